"""Fenced code in Markdown, without a parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.MULTILINE
)
_CLOSING = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*$")


class Fence(NamedTuple):
    """A line that may begin fenced code.

    Attributes:
        start: of the line.
        end: of the line, before its newline.
        mark: three or more of one character.
        may_close: whether nothing follows the mark.
    """

    start: int
    end: int
    mark: str
    may_close: bool

    def closes(self, opening: Fence) -> bool:
        """Whether it ends the code that ``opening`` begins."""
        return (
            self.may_close
            and self.mark[0] == opening.mark[0]
            and len(self.mark) >= len(opening.mark)
        )


def fences(text: str) -> Iterator[Fence]:
    """All lines of ``text`` that look like a fence, in order, those in code too."""
    if "```" not in text and "~~~" not in text:
        return
    for line in _FENCE.finditer(text):
        yield Fence(line.start(), line.end(), line[1], _CLOSING.match(line[0]) is not None)


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Fenced code, fences included; an unclosed fence reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return []
    # As ``fences`` tell, without making them: this is asked of every Markdown text.
    ranges: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for line in _FENCE.finditer(text):
        mark = line[1]
        if opened is None:
            opened = (line.start(), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and _CLOSING.match(line[0]):
            ranges.append((opened[0], line.end()))
            opened = None
    if opened is not None:
        ranges.append((opened[0], len(text)))
    return ranges


def holds(ranges: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether one of ``ranges``, in order, holds a place."""
    at = bisect_right(ranges, place, key=lambda found: found[0]) - 1
    return at >= 0 and place < ranges[at][1]
