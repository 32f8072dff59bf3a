"""The cells that the rulings of a grid draw over several of its columns or rows.

MuPDF knows no such cells: each line stands in the column and the row that its middle happens to lie
in. Text belongs to the first of them.
"""

from __future__ import annotations

from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line, on_one_baseline
from rag_assets.loading.pdf.extraction.stext import UNIT, GridOf

Cells = list[list[Line]]

#: In the flags of a cell: a line is drawn along its left side, along its top.
LEFT, TOP = 4, 8
#: The middle of centred text is so many font sizes off that of its cell, at most; LibreOffice sets
#: it off by up to this part of the height.
_OFF = 1.0
_OFF_HEIGHT = 0.25


def in_drawn_cells(grid: GridOf, rows: list[Cells], tops: set[int]) -> list[Cells]:
    """The rows of a grid with the text of every drawn cell in its first column and row.

    Args:
        rows: ``grid.h`` rows of ``grid.w`` cells.
        tops: the rows a line is drawn above, in some column.
    """
    flags = grid.flags
    used = [any(column) for column in zip(*rows, strict=True)]
    # The lines of a double border run through rows in which nothing stands.
    columns = zip(*[flag for row, flag in zip(rows, flags, strict=False) if any(row)], strict=True)
    lefts = {c for c, column in enumerate(columns) if c > 0 and any(map(LEFT.__and__, column))}
    edges = [round(x * UNIT) for x in grid.xpos]
    head = next(filter(any, rows), None)
    rows = [
        _across(row, flag, lefts, used, edges, is_head=row is head)
        for row, flag in zip(rows, flags, strict=False)
    ]
    for column in range(grid.w):
        if all(flags[top][column] & TOP for top in tops):
            continue
        begin = 0
        for end in range(1, grid.h + 1):
            if end < grid.h and not flags[end][column] & TOP:
                continue
            inner = [top for top in tops if begin < top < end]
            if inner and _is_drawn_apart(rows[begin:end], flags[begin:end], column, lefts):
                _raise(rows, column, (begin, min(inner), end), grid.ypos)
            begin = end
    return rows


def _across(
    row: Cells,
    flags: list[int],
    lefts: set[int],
    used: list[bool],
    edges: list[int],
    *,
    is_head: bool,
) -> Cells:
    """A row with the text of cells that reach over borders of other rows in their first columns.

    Args:
        flags: those of the row's cells.
        lefts: the columns a line is drawn before, in some row.
        used: whether anything stands in a column.
        edges: where the columns begin, and where the last one ends.
        is_head: whether nothing stands above the row; then no text stands below another's head.
    """
    found = list(row)
    if not any(row) or all(map(LEFT.__and__, flags[1 : len(row)])):
        return found
    if all(flags[column] & LEFT for column in lefts):
        return _uncut(found, flags)  # most rows: no border is missing
    begins = [0, *(c for c in range(1, len(row)) if flags[c] & LEFT), len(row)]
    for begin, end in pairwise(begins):
        held = [column for column in range(begin, end) if row[column]]
        inner = [edges[column] for column in range(begin + 1, end) if column in lefts]
        if not held or not inner:
            continue
        place = held[0]
        border = min([left for left in lefts if left > begin])
        while place > begin and (place >= border or not used[place]):
            place -= 1
        # Nothing ever stands between the two lines of a double border.
        while not used[place]:
            place += 1
        if held == [place]:
            continue
        lines = from_top_to_bottom([line for column in held for line in row[column]])
        if _is_one_text(lines) and (
            is_head or _reaches_over(lines, edges[begin], edges[end], inner)
        ):
            found[begin:end] = [[] for _ in range(begin, end)]
            found[place] = lines
    return _uncut(found, flags)


def _is_one_text(lines: list[Line]) -> bool:
    """Whether no gap parts two of some lines that stand on one baseline."""
    return not any(
        line.box.x0 - before.box.x1 > line.size
        for before, line in pairwise(lines)
        if on_one_baseline(before, line)
    )


def _reaches_over(lines: list[Line], left: int, right: int, inner: list[int]) -> bool:
    """Whether text stands on both sides of a border that is not drawn there, or in the middle of
    what is drawn; a single figure may only stand in its column, though no line is drawn beside."""
    x0, x1 = min([line.box.x0 for line in lines]), max([line.box.x1 for line in lines])
    size = lines[0].size
    if any(x0 + size < edge < x1 - size for edge in inner):
        return True
    is_centred = abs((x0 - left) - (right - x1)) <= 2 * _OFF * size
    return is_centred and not (len(lines) == 1 and is_figure(lines[0].text))


def _uncut(row: Cells, flags: list[int]) -> Cells:
    """The row with the text that a border of other rows cut in front of the border."""
    found = list(row)
    at = 0
    for column, lines in enumerate(row[1:], 1):
        if lines and not flags[column] & LEFT and is_cut(found[at], lines):
            found[at] = from_top_to_bottom(found[at] + lines)
            found[column] = []
        elif lines:
            at = column
    return found


def is_cut(before: list[Line], lines: list[Line]) -> bool:
    """Whether a border between two cells, which hold these lines, cuts a text in two."""
    return any(on_one_baseline(b, line) and line.touches(b) for line in lines for b in before)


def _is_drawn_apart(
    rows: list[Cells], flags: list[list[int]], column: int, lefts: set[int]
) -> bool:
    """Whether lines are drawn on both sides of a column, all along some rows, or of more in which
    nothing else stands.

    Args:
        flags: those of the rows.
        lefts: the columns a line is drawn before, in some row.
    """
    border = max([left for left in lefts if left <= column], default=0)
    if border and not all(flag[border] & LEFT for flag in flags):
        return False
    ends = min([left for left in lefts if left > column], default=len(rows[0]))
    beside = [at for at in range(border, ends) if at != column]
    if any(row[at] for row in rows for at in beside):
        return False
    behind = zip(*[flag[column + 1 :] for flag in flags], strict=False)
    return any(all(map(LEFT.__and__, side)) for side in behind)


def _raise(
    rows: list[Cells], column: int, cell: tuple[int, int, int], heights: list[float]
) -> None:
    """Put the text that stands in the middle of a cell, below the first of its ruled rows or in
    several of them, there.

    Args:
        cell: the rows at which the cell and its second ruled row begin, and that behind it.
        heights: where the rows of the grid begin, in points.
    """
    begin, second, end = cell
    inside = rows[begin:end]
    lines = [line for row in inside for line in row[column]]
    if not lines or any(b.box.y0 - a.box.y1 > a.size for a, b in pairwise(lines)):
        return
    told = [bool(row[column]) for row in inside]
    if not any(told[second - begin :]):
        return
    if any(told[: second - begin]):
        if _each_has_its_own(inside, column):
            return
    elif sum(told) > 1 and sum(told) == sum(map(any, rows[second:end])):
        return
    top, low = heights[begin] * UNIT, heights[end] * UNIT
    off = lines[0].box.y0 + max([line.box.y1 for line in lines]) - top - low
    if abs(off) <= 2 * max(_OFF * lines[0].size, _OFF_HEIGHT * (low - top)):
        for row in inside:
            row[column] = []
        rows[begin][column] = lines


def _each_has_its_own(rows: list[Cells], column: int) -> bool:
    """Whether a line of a column stands on a baseline of the others in each row that has any."""
    lines = [line for row in rows for line in row[column]]
    others = [
        [line for at, cell in enumerate(row) if at != column for line in cell] for row in rows
    ]
    return all(
        any(on_one_baseline(line, other) for line in lines for other in row)
        for row in others
        if row
    )


def from_top_to_bottom(lines: list[Line]) -> list[Line]:
    """Lines from top to bottom, those on one baseline from left to right. Where they touch, the
    border between two columns had cut a word."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.base):
        if rows and on_one_baseline(line, rows[-1][0]):
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.x0)
        for before, line in pairwise(row):
            blank = before.raw[-1:].isspace() or line.raw[:1].isspace()
            line.glued = line.glued or (not blank and line.touches(before))
    return [line for row in rows for line in row]
