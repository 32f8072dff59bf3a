"""The rules of pre-normalisation; each finds its edits (DEV_SPEC 3.1.7.1).

They change presentation only. Fenced code keeps everything but control characters; indented code
keeps its blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rag_assets.normalizing.edits import Edit

#: Read as line ends: vertical tab, form feed, NEL, line and paragraph separator.
_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
#: Controls without a meaning in text, invisible characters, directional marks and tags. The
#: joiners U+200C and U+200D stay: Persian spelling and emoji need them.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_CONTROLS = re.compile(f"(\r\n?|[{_LINE_ENDS}])|[{_INVISIBLE}]+")
_TRAILING = re.compile(r"(?<=\S)[^\S\n]++(?=\n|\Z)|(?<![^\n])[^\S\n]++(?=\n|\Z)")
_BLANK_RUN = re.compile(r"\n{3,}")
_INDENTED = re.compile(r"(?: {4}|\t)")
#: Where an image written in line leads.
_DESTINATION = re.compile(r"\]\(\s*(<(?:\\.|[^<>\n\\])*>|(?:\\.|[^\s()\\]|\([^\s()]*\))+)")
_SRC = re.compile(r"\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)


class Link(NamedTuple):
    """An image reference in the facts; ``asset_id`` is null when its bytes could not be had."""

    start: int
    end: int
    source_type: str
    origin: str
    asset_id: str | None


def controls(text: str) -> Iterator[Edit]:
    """Foreign line ends become ``\\n``; controls and invisible characters go."""
    for found in _CONTROLS.finditer(text):
        yield Edit(found.start(), found.end(), "\n" if found[1] else "")


def trailing_blanks(text: str, code: list[tuple[int, int]]) -> Iterator[Edit]:
    """Blanks at the ends of lines, outside code."""
    inside = _Inside(code)
    for found in _TRAILING.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        is_blank = start == found.start()
        if not inside(found.start()) and (is_blank or not _INDENTED.match(text, start)):
            yield Edit(found.start(), found.end())


def blank_runs(text: str, code: list[tuple[int, int]], longest: int) -> Iterator[Edit]:
    """More than ``longest`` blank lines in a row, and all at either end, outside code."""
    inside = _Inside(code)
    head = len(text) - len(text.lstrip("\n"))
    tail = len(text.rstrip("\n"))
    if head:
        yield Edit(0, head)
    for found in _BLANK_RUN.finditer(text, head, max(tail, head)):
        too_many = found.start() + longest + 1
        if too_many < found.end() and not inside(found.start()):
            # Blank lines within indented code are its own.
            if _INDENTED.match(text, found.end()):
                continue
            yield Edit(too_many, found.end())
    if head < tail < len(text):
        yield Edit(tail, len(text))


def image_links(text: str, links: Iterable[Link]) -> Iterator[Edit]:
    """References become ``asset://<asset_id>``; the data of data URIs never stays in the text."""
    for link in links:
        if link.asset_id is not None:
            target = f"asset://{link.asset_id}"
        elif link.origin[:5].lower() == "data:":
            target = "data:,"
        else:
            continue
        yield _rewritten(text[link.start : link.end], link, target)


def _rewritten(written: str, link: Link, target: str) -> Edit:
    if link.source_type == "html":
        if found := _SRC.search(written):
            group = next(g for g in (1, 2, 3) if found[g] is not None)
            return Edit(link.start + found.start(group), link.start + found.end(group), target)
        return Edit(link.start, link.end, f'<img src="{target}">')
    at = written.find(link.origin, max(written.find("]("), 0) + 1) if link.origin else -1
    if "](" in written and at >= 0:
        end = at + len(link.origin)
        if written[at - 1] == "<" and written[end : end + 1] == ">":
            at, end = at - 1, end + 1
        return Edit(link.start + at, link.start + end, target)
    # With escapes or entities the address reads otherwise than it is written.
    if inline := list(_DESTINATION.finditer(written)):
        start, end = inline[-1].span(1)
        return Edit(link.start + start, link.start + end, target)
    # A reference ("![alt][name]", "![name]"): its definition stands elsewhere and may be shared.
    name = written.rfind("[")
    if name > 1 and written.endswith("]"):
        return Edit(link.start + name, link.end, f"({target})")
    return Edit(link.end, link.end, f"({target})")


class _Inside:
    """Whether offsets, asked for in order, lie in some ranges in order."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges = ranges
        self._at = 0

    def __call__(self, offset: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= offset:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] <= offset
