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
_MARK = re.compile(f"[{chr(_FIRST)}-\U0010fffd]")
#: Between two letters a mark changes nothing of how a text is written.
_LETTERS = re.compile(r"[^\W\d_](?=[^\W\d_])")
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
        self._left = 0 if _MARK.search(unescape(html)) else MAX_IDS

    def put(self, root: Element, but: Collection[str]) -> None:
        """Mark the first words behind the place of each id.

        Args:
            but: ids that are known to lead somewhere else.
        """
        if self._left:
            self._known = set(but)
            self._read(root)

    def take(self, md: str) -> Places:
        """Take the marks out of what was written."""
        if not self._names:
            return Places(md, {})
        lines: dict[str, int] = {}
        line = at = 0
        for mark in _MARK.finditer(md):
            line += md.count("\n", at, mark.start())
            at = mark.start()
            for name in self._names[ord(mark[0]) - _FIRST]:
                lines.setdefault(name, line)
        return Places(_MARK.sub("", md), lines)

    def _read(self, element: Element, *, in_code: bool = False) -> None:
        for at, child in enumerate(element.children):
            if isinstance(child, str):
                if self._pending and element.tag not in _UNMARKED:
                    element.children[at] = self._marked(child)
                continue
            # Lines of code may have their numbers as ids. A link to its own place is not shown.
            if not in_code and (child.shown or child.tag == "a"):
                self._note(child)
            # A heading is a title as well.
            if child.shown and child.tag not in HEADINGS:
                self._read(child, in_code=in_code or child.tag == "pre")

    def _note(self, element: Element) -> None:
        for name in ids_at(element):
            if self._left and name not in self._known:
                self._known.add(name)
                self._pending.append(name)
                self._left -= 1

    def _marked(self, text: str) -> str:
        letters = _LETTERS.search(text)
        if letters is None:
            return text
        mark = chr(_FIRST + len(self._names))
        self._names.append(self._pending)
        self._pending = []
        return f"{text[: letters.end()]}{mark}{text[letters.end() :]}"
