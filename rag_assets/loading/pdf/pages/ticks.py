"""Boxes to tick as signs before or behind what they stand beside."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from msgspec.structs import replace

from rag_assets.loading.pdf.extraction.blocks import Block, Line, TableBlock, TextBlock, bounds
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.file.annotations import CheckBox

_TICKED, _EMPTY = "☒", "☐"
#: A box stands at most so many font sizes before its words, or behind them.
_BEFORE, _BEHIND = 3, 15


class _Placed(NamedTuple):
    """A line of a run, and twice where its middle is on the page."""

    y: int
    run: int
    line: Line

    @classmethod
    def of(cls, line: Line, run: int) -> _Placed:
        return cls(line.y0 + line.y1, run, line)


_y = attrgetter("y")


def write_ticks(blocks: list[Block], boxes: Sequence[CheckBox]) -> None:
    """Put a sign for each box next to its words, in place of what ticks it; one that stands beside
    none gets none."""
    runs = list(_runs(blocks))
    # By their height on the page: forms have thousands of lines and of boxes.
    rows = [_Placed.of(line, number) for number, run in enumerate(runs) for line in run]
    rows.sort(key=_y)
    reach = max([row.line.size for row in rows], default=0)
    for each in boxes:
        box = each.box
        beside = [
            (place, row.run, runs[row.run].index(row.line))
            for row in _between(rows, box.y0 + box.y1 - reach, box.y0 + box.y1 + reach)
            if (place := _place(row.line, box)) is not None
        ]
        if not beside:
            continue
        (is_before, _), number, at = min(beside)
        run = runs[number]
        sign = _sign(_TICKED if each.is_ticked else _EMPTY, box, run[at])
        run.insert(at + is_before, sign)
        insort(rows, _Placed.of(sign, number), key=_y)
        for row in _between(rows, 2 * box.y0, 2 * box.y1 + 1):
            if _is_tick(row.line, box):
                runs[row.run].remove(row.line)
                rows.remove(row)
    blocks[:] = [block for block in blocks if not isinstance(block, TextBlock) or block.lines]
    for block in blocks:
        if isinstance(block, TextBlock):
            block.box = bounds(block.lines)


def _between(rows: list[_Placed], begin: int, end: int) -> list[_Placed]:
    return rows[bisect_left(rows, begin, key=_y) : bisect_right(rows, end, key=_y)]


def _runs(blocks: Sequence[Block]) -> Iterator[list[Line]]:
    for block in blocks:
        if isinstance(block, TextBlock):
            yield block.lines
        elif isinstance(block, TableBlock):
            for row in block.rows:
                yield from row


def _is_tick(line: Line, box: Box) -> bool:
    """Whether a line is what ticks a box."""
    x, y = (line.x0 + line.x1) // 2, (line.y0 + line.y1) // 2
    is_sign = len(line.text) == 1 and line.text not in (_TICKED, _EMPTY)
    return is_sign and box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def _place(line: Line, box: Box) -> tuple[bool, int] | None:
    """Whether a line stands before a box, which those behind one go before, and how far; None of
    one that is not beside it."""
    if line.vertical or abs((line.y0 + line.y1) - (box.y0 + box.y1)) >= line.size:
        return None
    is_before = line.x0 < (box.x0 + box.x1) // 2
    gap = box.x0 - line.x1 if is_before else line.x0 - box.x1
    near = gap <= (_BEHIND if is_before else _BEFORE) * line.size
    return (is_before, max(gap, 0)) if near and not _is_tick(line, box) else None


def _sign(sign: str, box: Box, line: Line) -> Line:
    """On the baseline of its words, as large as they are."""
    place = Box(box.x0, line.y0, box.x1, line.y1)
    written = replace(line, text=sign, raw=sign, box=place, glued=False, short=False)
    written.stand_at(place)
    return written
