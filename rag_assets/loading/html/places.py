"""Where the ids of a page stand that lead to no heading and no term.

Marks are put into the page's text before it is written as Markdown, and taken out again behind.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from typing import NamedTuple

from rag_assets.loading.html.anchors import MAX_IDS, ids_at
from rag_assets.loading.html.tree import HEADINGS, Element

#: The first of the characters for private use that stand for places (Unicode, 23.5).
_FIRST = 0x100000
MARKS = f"[{chr(_FIRST)}-\U0010fffd]"
_MARK = re.compile(MARKS)
#: Behind a letter or digit a mark changes nothing of how a text is written, unless it ends there.
_BEHIND = re.compile(r"[^\W_](?=.)", re.DOTALL)
#: What is read by its letters; readings are told by theirs whether blanks part them.
_UNMARKED = frozenset({"sup", "sub", "math", "script", "rt", "rtc"})


class Places(NamedTuple):
    """``md`` without marks, and the line of each id, from 0."""

    md: str
    lines: dict[str, int]


class PlaceMarks:
    """The marks of one page; a page with such characters of its own gets none."""

    def __init__(self, html: str) -> None:
        self._names: list[list[str]] = []
        self._pending: list[str] = []
        self._known: set[str] = set()
        #: The last words of the section so far: an element and which of its children they are.
        self._words: tuple[Element, int] | None = None
        self._left = 0 if _MARK.search(unescape(html)) else MAX_IDS

    def put(self, root: Element, but: Collection[str]) -> None:
        """Mark the first words behind the place of each id, or the last ones of its section.

        Args:
            but: ids that are known to lead somewhere else.
        """
        if self._left:
            self._known = set(but)
            self._read(root)

    def take(self, md: str) -> Places:
        """Take the marks out of what was written."""
        if not (self._names or self._pending):
            return Places(md, {})
        lines: dict[str, int] = {}
        line = at = 0
        for mark in _MARK.finditer(md):
            line += md.count("\n", at, mark.start())
            at = mark.start()
            for name in self._names[ord(mark[0]) - _FIRST]:
                lines.setdefault(name, line)
        last = md.count("\n")
        return Places(_MARK.sub("", md), lines | dict.fromkeys(self._pending, last))

    def _read(self, element: Element, *, in_code: bool = False, marked: bool = True) -> None:
        marked = marked and element.tag not in _UNMARKED
        for at, child in enumerate(element.children):
            if isinstance(child, str):
                if marked and _BEHIND.search(child):
                    self._words = element, at
                    self._mark()
                continue
            # Lines of code may have their numbers as ids. A link to its own place is not shown.
            if not in_code and (child.shown or child.tag == "a"):
                self._note(child)
            if not child.shown:
                continue
            if child.tag in HEADINGS:
                # It is a title as well, and what is below it another section.
                self._mark()
                self._pending = []
                self._words = None
            else:
                self._read(child, in_code=in_code or child.tag == "pre", marked=marked)

    def _note(self, element: Element) -> None:
        for name in ids_at(element):
            if self._left and name not in self._known:
                self._known.add(name)
                self._pending.append(name)
                self._left -= 1

    def _mark(self) -> None:
        """Have what waits lead to the last words."""
        if self._words is None or not self._pending:
            return
        element, at = self._words
        mark = chr(_FIRST + len(self._names))
        element.children[at] = _BEHIND.sub(rf"\g<0>{mark}", str(element.children[at]), count=1)
        self._names.append(self._pending)
        self._pending = []
