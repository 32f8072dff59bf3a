"""Parts that lines of their own name in a text without sections: "Ingredients: …", 做法：.

A recipe of a corpus has no headings but such labels. What stands below one, up to the next, is of
its domain type, if the labels of a section tell two types and one that only such texts have.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_assets.chunks.domain_types import TitleTypes
from rag_query.text.fences import code_ranges, holds

#: A line that begins with a label, bold or not. Items of lists and rows of tables do not count.
_LABEL = re.compile(r"^[*_]{0,2}(?P<label>[^\W\d_][^\n:：*_|]{0,30})[*_]{0,2}[:：]", re.MULTILINE)
_HEADINGS_ALONE = re.compile(r"(?:\s*#{1,6}[ \t][^\n]*)*\s*")


class Part(NamedTuple):
    """``text[start:end]`` of a section; ``kind`` is None above the first label."""

    start: int
    end: int
    kind: str | None


def labelled_parts(text: str, types: TitleTypes) -> list[Part]:
    """The parts of a section in order, all of it; empty where it has no such labels."""
    found = [
        (match.start(), kind)
        for match in _LABEL.finditer(text)
        if (kind := types.of_label(match["label"].strip()))
    ]
    if not types.are_told({kind for _, kind in found}):
        return []
    code = code_ranges(text)
    found = [(start, kind) for start, kind in found if not holds(code, start)]
    if not types.are_told({kind for _, kind in found}):
        return []
    first = found[0][0]
    if _HEADINGS_ALONE.fullmatch(text, 0, first):
        found[0] = (0, found[0][1])
    starts: list[tuple[int, str | None]] = [(0, None)] if found[0][0] else []
    starts += found
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [Part(start, end, kind) for (start, kind), end in zip(starts, ends, strict=True)]
