"""Rows of a ruled table that MuPDF left out of its grid: a double rule below the heads ends one.

What goes on below it is a grid of its own, of the same columns, or none at all.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    Line,
    PageContent,
    TableBlock,
    TextBlock,
    bounds,
    on_one_baseline,
)
from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.tables.drawn_cells import Cells

#: Columns are the same, and text may stand out of one, by so much.
_NEAR = 1.5 * UNIT
#: In font sizes: the gap below the table, and the step from one row to the next.
_GAP = 1.0
_STEP = 2.0
_MIN_COLUMNS = 3
#: Rows of heads, a title among them.
_HEADS = 2


def with_rows_below(content: PageContent, lines: list[Line]) -> list[Line]:
    """The lines of a page once the tables on it have the rows that stand right below them, in
    their columns."""
    tables = [block for block in content.blocks if isinstance(block, TableBlock) and block.edges]
    for upper, lower in pairwise(tables):
        if _go_on(upper, lower):
            lower.rows[:0] = upper.rows
            lower.box = bounds(_lines(lower))
            content.blocks.remove(upper)
    found: set[int] = set()
    for table in tables:
        # Below a whole table the columns of something else may stand.
        are_heads = len(table.rows) <= _HEADS and len(table.edges) > _MIN_COLUMNS
        rows = _rows_below(table, lines) if are_heads else []
        found |= {id(line) for row in rows for cell in row for line in cell}
        if rows:
            table.rows += rows
            table.box = bounds(_lines(table))
    if not found:
        return lines
    blocks: list[Block] = []
    for block in content.blocks:
        if isinstance(block, TextBlock):
            rest = [line for line in block.lines if id(line) not in found]
            if len(rest) < len(block.lines):
                if rest:
                    blocks.append(TextBlock(bounds(rest), rest))
                continue
        blocks.append(block)
    content.blocks = blocks
    return content.lines()


def _lines(table: TableBlock) -> list[Line]:
    return [line for row in table.rows for cell in row for line in cell]


def _go_on(upper: TableBlock, lower: TableBlock) -> bool:
    """Whether a table stands right below heads of its columns, which are a table alone."""
    lines = _lines(upper)
    return (
        len(upper.rows) <= _HEADS
        and len(upper.edges) == len(lower.edges)
        and all(abs(a - b) <= _NEAR for a, b in zip(upper.edges, lower.edges, strict=True))
        and 0 <= lower.box.y0 - upper.box.y1 <= _GAP * lines[-1].size
        and not any(is_figure(line.text) for line in lines)
    )


def _rows_below(table: TableBlock, lines: list[Line]) -> list[Cells]:
    """The rows right below a table, in all of its columns; those below the first may leave some
    empty."""
    left, right, end = table.edges[0], table.edges[-1], table.box.y1
    size = _lines(table)[-1].size
    below = [
        line for line in lines if line.y0 >= end - size // 2 and left < line.x1 and line.x0 < right
    ]
    if not below or min([line.y0 for line in below]) - end > _GAP * size:
        return []
    below.sort(key=lambda line: (line.base, line.x0))
    groups: list[list[Line]] = []
    for line in below:
        if groups and on_one_baseline(line, groups[-1][0]):
            groups[-1].append(line)
        else:
            groups.append([line])
    rows: list[Cells] = []
    before = 0
    for group in groups:
        base = group[0].base
        if rows and base - before > _STEP * size:
            break
        row = _in_columns(group, table.edges)
        if not row or (not rows and not all(row)) or sum(map(bool, row)) < 2:
            break
        if _has_more_beside(group, lines, left, right):
            break
        rows.append(row)
        before = base
    return rows


def _has_more_beside(group: list[Line], lines: list[Line], left: int, right: int) -> bool:
    """Whether something stands on the baseline of a row outside of its table."""
    first = group[0]
    return any(
        (line.x1 <= left or line.x0 >= right) and on_one_baseline(line, first) for line in lines
    )


def _in_columns(group: list[Line], edges: tuple[int, ...]) -> Cells:
    """What stands on a baseline by column; nothing where it reaches out of one, or names what is to
    be filled in."""
    cells: Cells = [[] for _ in edges[:-1]]
    for line in sorted(group, key=lambda line: line.x0):
        at = bisect_right(edges, line.x0 + _NEAR) - 1
        if not 0 <= at < len(cells) or line.x1 > edges[at + 1] + _NEAR or line.text[-1] in ":：":
            return []
        cells[at].append(line)
    return cells
