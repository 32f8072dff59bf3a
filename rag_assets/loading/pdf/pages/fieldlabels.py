"""What was filled in beside the labels of a form.

What its fields show is drawn after all else of a page, all labels before all values; a reader sees
each value behind its label.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from rag_assets.loading.pdf.extraction.blocks import Block, Line, TextBlock, bounds, lines_of
from rag_assets.loading.pdf.extraction.stext import Box

_base = attrgetter("base")


def set_behind_labels(blocks: list[Block], fields: Sequence[Box]) -> None:
    """Put what stands in each of some ``fields`` behind the words left of it; what has its label
    above it, or none, stays where it is."""
    lines = sorted(lines_of(blocks), key=_base)
    held: dict[int, list[Line]] = {}
    field_of: dict[int, int] = {}
    for number, box in enumerate(sorted(fields, key=lambda box: box.x0)):
        if each := [line for line in _standing_in(box, lines) if id(line) not in field_of]:
            held[number] = each
            field_of |= dict.fromkeys(map(id, each), number)
    behind: dict[int, list[Line]] = {}
    for number, each in held.items():
        label = _label(each[0], lines, field_of)
        # Fields may lie on each other: what stands behind others may not lead back to them.
        if label is not None and field_of.get(id(label), -1) < number:
            behind.setdefault(id(label), []).extend(each)
    if not behind:
        return
    moved = {id(line) for each in behind.values() for line in each}
    for block in blocks:
        if isinstance(block, TextBlock):
            begun = [line for line in block.lines if id(line) not in moved]
            block.lines = [each for line in begun for each in _followed(line, behind)]
    blocks[:] = [block for block in blocks if not isinstance(block, TextBlock) or block.lines]
    for block in blocks:
        if isinstance(block, TextBlock):
            block.box = bounds(block.lines)


def _standing_in(box: Box, lines: list[Line]) -> list[Line]:
    """What stands in a box, of lines in the order of their baselines."""
    return [
        line
        for line in _between(lines, box.y0, box.y1)
        if box.x0 <= (line.x0 + line.x1) // 2 <= box.x1
    ]


def _label(value: Line, lines: list[Line], field_of: Mapping[int, int]) -> Line | None:
    """The line nearest left of a value; none where one that is in no field stands right above."""
    size = value.size
    above = _between(lines, value.base - 2 * size, value.base - size)
    if any(id(line) not in field_of and abs(line.x0 - value.x0) <= size for line in above):
        return None
    beside = _between(lines, value.base - size // 3, value.base + size // 3)
    before = [line for line in beside if line.x1 <= value.x0 and not line.vertical]
    return max(before, key=lambda line: line.x1, default=None)


def _followed(line: Line, behind: Mapping[int, list[Line]]) -> Iterator[Line]:
    """A line and what stands behind it: behind a field there may be another."""
    yield line
    for each in behind.get(id(line), ()):
        yield from _followed(each, behind)


def _between(lines: list[Line], begin: int, end: int) -> list[Line]:
    return lines[bisect_left(lines, begin, key=_base) : bisect_right(lines, end, key=_base)]
