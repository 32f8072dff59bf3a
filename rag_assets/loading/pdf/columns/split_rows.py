"""Rows whose cells were drawn apart: programs that write tables may draw all figures and then all
names, or the other way round."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.columns.cells import Cell, cells_of
from rag_assets.loading.pdf.columns.floats import MAX_VALUE
from rag_assets.loading.pdf.extraction.blocks import Block, Line, TextBlock, bounds

#: So many rows are no accident, when so much of what was drawn later stands in them.
_MIN_ROWS = 3
_MOST = 0.75
#: In font sizes: the gap between two cells, and how far apart edges that line up may be.
_GAP = 1.0
_EDGE = 0.3
_LETTER = re.compile(r"[^\W\d_]")

#: How often the stream had gone up the page before it drew a line.
_Drawn = tuple[int, Line]


class _Row(NamedTuple):
    """A row of which one side is a ``single`` cell and the other several; ``later`` is what was not
    drawn with the ``first`` line of it, all of it at one time, after ``ups`` ups."""

    first: Line
    later: list[Line]
    ups: int
    lines: list[Line]
    single: Cell
    others: list[Cell]


def with_whole_rows(blocks: list[Block]) -> list[Block]:
    """Blocks with no gutter between them, the cells of each row where it was begun.

    On one side of such a row is one cell, a narrow one, and on the other there are several: columns
    of text that stand beside each other have one each."""
    ups = {n for n, (a, b) in enumerate(pairwise(blocks), 1) if b.box.y1 <= a.box.y0}
    # Asked of every page: on most the stream goes down, or up for a header.
    if not ups or _lines_in(blocks[min(ups) :]) < _MIN_ROWS:
        return blocks
    drawn: list[_Drawn] = []
    times = 0
    for number, block in enumerate(blocks):
        times += number in ups
        if isinstance(block, TextBlock):
            drawn += [(times, line) for line in block.lines]
    rows = _rows(drawn)
    whole: Counter[int] = Counter()
    for row in rows:
        whole[row.ups] += len(row.later)
    counted = Counter([times for times, _ in drawn])
    rows = [row for row in rows if whole[row.ups] >= _MOST * counted[row.ups]]
    rows = [row for row in rows if _lines_up(row, rows)]
    return _joined(blocks, rows) if len(rows) >= _MIN_ROWS else blocks


def _lines_in(blocks: list[Block]) -> int:
    return sum([len(block.lines) for block in blocks if isinstance(block, TextBlock)])


def _rows(drawn: list[_Drawn]) -> list[_Row]:
    """The rows on baselines on which lines stand that were drawn apart."""
    found: list[_Row | None] = []
    on_base: list[_Drawn] = []
    for each in sorted(drawn, key=lambda pair: pair[1].base):
        if on_base and 3 * (each[1].base - on_base[0][1].base) >= each[1].size:
            found.append(_row(on_base))
            on_base = []
        on_base.append(each)
    if on_base:
        found.append(_row(on_base))
    return [row for row in found if row is not None]


def _row(drawn: list[_Drawn]) -> _Row | None:
    """The row that lines on one baseline make, or None."""
    times = sorted({times for times, _ in drawn})
    if len(times) != 2 or any(line.vertical or line.mono for _, line in drawn):
        return None
    lines = sorted([line for _, line in drawn], key=lambda line: line.x0)
    if any(b.x0 < a.x1 for a, b in pairwise(lines)):
        return None
    begun = {id(line) for t, line in drawn if t == times[0]}
    first = [line for line in lines if id(line) in begun]
    later = [line for line in lines if id(line) not in begun]
    sides = sorted([cells_of(side, _GAP) for side in (first, later)], key=len)
    (single, *more), others = sides
    if more or len(others) < 2 or single[-1].x1 - single[0].x0 >= MAX_VALUE * single[0].size:
        return None
    if not any(_LETTER.search(line.text) for line in single):
        return None
    return _Row(first[0], later, times[1], lines, single, others)


def _lines_up(row: _Row, rows: list[_Row]) -> bool:
    """Whether the single cell of a row begins, and others begin or end, where those of another row
    do."""
    near = _EDGE * row.lines[0].size
    for other in rows:
        if other is row or abs(other.single[0].x0 - row.single[0].x0) > near:
            continue
        alike = [
            a
            for a in row.others
            if any(
                abs(a[0].x0 - b[0].x0) <= near or abs(a[-1].x1 - b[-1].x1) <= near
                for b in other.others
            )
        ]
        if len(alike) > 1:
            return True
    return False


def _joined(blocks: list[Block], rows: list[_Row]) -> list[Block]:
    """The blocks with each of some rows in the place of its first line."""
    whole = {id(row.first): row.lines for row in rows}
    moved = {id(line) for row in rows for line in row.lines}
    found: list[Block] = []
    for block in blocks:
        if not isinstance(block, TextBlock):
            found.append(block)
            continue
        lines = [
            each
            for line in block.lines
            for each in whole.get(id(line), () if id(line) in moved else (line,))
        ]
        if lines:
            found.append(block if lines == block.lines else TextBlock(bounds(lines), lines))
    return found
