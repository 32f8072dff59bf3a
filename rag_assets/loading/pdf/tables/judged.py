"""Whether what MuPDF takes for a table is one."""

from __future__ import annotations

from itertools import combinations

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.tables.drawn_cells import Cells

#: A list mark alone, as it stands in a grid made of a list.
_MARKS = frozenset("•◦▪‣●○■□∙☐☑☒-").union(map(chr, range(0xF000, 0xF100)))
#: So many font sizes off each other, cells of a row still begin, end or have their middle on one
#: height.
_LEVEL = 0.5


def is_table(rows: list[Cells], *, ruled: bool) -> bool:
    """Whether a grid found by MuPDF is a table, not columns of text that happen to line up.

    Text set in columns gives cells of many lines, or bullets in a column of their own beside them;
    cells between rulings may be as long as they like, and signs in several columns of them are to
    be ticked, or were. Text beside a box has lines of its own: the cells of a row stand level.
    """
    cells = [cell for row in rows for cell in row]
    full = [cell for cell in cells if cell]
    if len(full) < 0.4 * len(cells):
        return False
    if not ruled and sum(len(cell) > 3 for cell in full) > 0.2 * len(full):
        return False
    beside = _beside(rows)
    if beside and 2 * sum(map(_stand_level, beside)) <= len(beside):
        return False
    marks = [
        sum(line.text in _MARKS for cell in column for line in cell)
        for column in zip(*rows, strict=True)
    ]
    return sum(marks) <= 0.25 * len(full) or (ruled and sum(map(bool, marks)) > 1)


def _beside(rows: list[Cells]) -> list[list[list[Line]]]:
    """The cells of each row that has several. A row of one below it goes on from it: another cell
    may be set in the middle of all the rows it is drawn beside."""
    joined: list[Cells] = []
    for row in rows:
        if joined and sum(map(bool, row)) == 1 < sum(map(bool, joined[-1])):
            joined[-1] = [above + cell for above, cell in zip(joined[-1], row, strict=True)]
        else:
            joined.append(row)
    return [held for row in joined if len(held := [cell for cell in row if cell]) > 1]


def _stand_level(cells: list[list[Line]]) -> bool:
    """Whether two of the cells of a row begin, end or have their middle on one height."""
    return any(
        abs(a - b) <= _LEVEL * min(one[0].size, other[0].size)
        for one, other in combinations(cells, 2)
        for a, b in zip(_heights(one), _heights(other), strict=True)
    )


def _heights(cell: list[Line]) -> tuple[int, int, int]:
    """Where a cell begins, ends and has its middle."""
    bases = [line.base for line in cell]
    top, low = min([line.y0 for line in cell]), max([line.y1 for line in cell])
    return min(bases), max(bases), (top + low) // 2
