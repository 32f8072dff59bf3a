"""Cells between rules, arranged as a table: which are a column, and which baselines are a row.

Nothing is ruled between them, so what is as wide as the cells below each other is a column.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.cells import Cell, Span, cells_of
from rag_assets.loading.pdf.columns.figures import is_figure, is_year
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds

#: In font sizes: the gap between two cells, the step to what was wrapped, and how far what is
#: raised or lowered stands from its baseline.
_GAP = 0.7
_WRAPPED = 1.6
_RAISED = 0.7
#: Rows are further apart, and middles that line up no further.
_NEARER = 0.9
_MIDDLE = 0.35
#: Blanks are narrower, and edges that line up so near each other, in font sizes too.
_BLANK = 0.4
_EDGE = 0.5
#: Letters that make a line of a cell prose, which may be wrapped.
_PROSE = 6
#: What is raised or lowered is at most this share of the size of the text.
_SMALL = 0.85
#: Share of the rows that may be one cell across columns, or two in one of them; and of the cells
#: of a second column that stand below each other.
_ACROSS = 0.2
_ALIGNED = 0.7


def rows_of_cells(lines: list[Line]) -> list[list[Cell]]:
    """The cells on each baseline, from top to bottom and from left to right."""
    counted = Counter([line.size for line in lines])
    usual = max(counted, key=counted.__getitem__)
    rows: list[list[Line]] = []
    small: list[Line] = []
    for line in sorted(lines, key=lambda line: line.base):
        if line.size < _SMALL * usual:
            small.append(line)
        elif rows and 3 * (line.base - rows[-1][0].base) < usual:
            rows[-1].append(line)
        else:
            rows.append([line])
    for line in small:
        row = min(rows, key=lambda row: abs(row[0].base - line.base))
        if abs(row[0].base - line.base) <= _RAISED * usual:
            row.append(line)
        else:
            rows.append([line])
    rows.sort(key=lambda row: row[0].base)
    return [cells_of(sorted(row, key=lambda line: line.x0), _GAP) for row in rows]


def arranged(head: list[list[Cell]], body: list[list[list[Cell]]]) -> TableBlock | None:
    """The table of some rows between rules, or None."""
    wide = [row for rows in body for row in rows if len(row) > 1]
    spans = _spans([head[-1], *wide])
    if len(spans) < 2 or not _parts(head[-1], spans):
        return None
    # A formula may have wide gaps, and a wide cell reach into the next column.
    if sum(not _parts(row, spans) for row in wide) > _ACROSS * len(wide):
        return None
    if len({_at(spans, cell) for row in head for cell in row}) < len(spans) - 1:
        return None
    found = [row for band in body for row in _band([_placed(row, spans) for row in band], spans)]
    # Entries with rules around their heads are no rows: their text has no such columns.
    above = body[: max(len(body) - 1, 1)]
    held = {_at(spans, cell) for band in above for row in band for cell in row}
    if len(held) < min(len(spans), 3) or (
        len(spans) == 2 and not _line_up_below([row[1] for row in found if row[1]])
    ):
        return None
    across = sum(_width(row[0], spans) > 1 for band in body for row in band if len(row) == 1)
    if across > _ACROSS * len(found):
        return None
    full = sum(sum(map(bool, row)) > 1 for row in found)
    if 2 * full < len(found) or full + len(spans) < 4:
        return None
    rows = [*_head(head, spans), *found]
    return TableBlock(bounds([line for row in rows for cell in row for line in cell]), rows)


def with_row_below(table: TableBlock, rows: list[list[Cell]], ys: Sequence[int]) -> TableBlock:
    """A table with the row below its last rule, where rules part its rows and none ends them: it
    stands as far below that rule as the row above it below its own, and in the same columns."""
    spans = _spans([[cell for cell in row if cell] for row in table.rows])
    last = min([cell[0].base for cell in table.rows[-1] if cell])
    if not rows or not _parts(rows[0], spans) or len(spans) != len(table.rows[0]):
        return table
    first = rows[0][0][0]
    apart = abs(first.base - ys[-1] - (last - ys[-2]))
    if apart > _MIDDLE * first.size or not _stand_in(rows[0], spans):
        return table
    row = _placed(rows[0], spans)
    if not row[0] or 2 * sum(map(bool, row)) <= len(row):
        return table
    spans = _spans([*([cell for cell in each if cell] for each in table.rows), rows[0]])
    for below in rows[1:]:
        more = _placed(below, spans)
        # What is wrapped is no wider than what it goes on from; text that follows may be.
        wide = any(
            c and c[-1].x1 > right + c[0].size for c, (_, right) in zip(more, spans, strict=True)
        )
        if wide or not _goes_on(row, more, spans):
            break
        row = [a + b for a, b in zip(row, more, strict=True)]
    found = [*table.rows, row]
    return TableBlock(bounds([line for each in found for cell in each for line in cell]), found)


def _stand_in(row: list[Cell], spans: list[Span]) -> bool:
    """Whether each cell of a row stands in the column it begins in, and in no other."""
    return all(_width(cell, spans) == 1 for cell in row)


def _band(rows: list[list[Cell]], spans: list[Span]) -> list[list[Cell]]:
    """The rows of a table between two rules, from what stands on each baseline."""
    named = [row for row in rows if row[0]]
    if len(named) == 1 and named[0] is not rows[0] and sum(map(bool, named[0])) > 1:
        columns = list(zip(*rows, strict=True))
        if any(any(column) > bool(cell) for column, cell in zip(columns, named[0], strict=True)):
            # Cells of one row, each set in the middle of its height.
            return [[[line for cell in column for line in cell] for column in columns]]
    if _is_one(rows):
        return [[[line for cell in column for line in cell] for column in zip(*rows, strict=True)]]
    found = rows[:1]
    for row in rows[1:]:
        if _goes_on(found[-1], row, spans):
            found[-1] = [above + below for above, below in zip(found[-1], row, strict=True)]
        else:
            found.append(row)
    return found


def _is_one(rows: list[list[Cell]]) -> bool:
    """Whether what stands on some baselines is one row, each cell in the middle of its height. The
    name of a group of rows stands so too, alone beside them."""
    if not _middles_line_up(rows):
        return False
    lengths = [sum(map(len, column)) for column in zip(*rows, strict=True)]
    return lengths[0] > 1 or len(set(filter(None, lengths[1:]))) > 1


def _middles_line_up(rows: list[list[Cell]]) -> bool:
    """Whether baselines are nearer to each other than rows can be, for all cells are set in the
    middle of one height."""
    bases = [next(cell[0].base for cell in row if cell) for row in rows]
    size = next(cell[0].size for cell in rows[0] if cell)
    if all(below - above >= _NEARER * size for above, below in pairwise(bases)):
        return False
    columns = [
        [line.base for cell in column for line in cell] for column in zip(*rows, strict=True)
    ]
    middles = [sum(column) / len(column) for column in columns if column]
    return bool(max(middles) - min(middles) <= _MIDDLE * size)


def _spans(rows: Sequence[list[Cell]]) -> list[Span]:
    """The columns some rows stand in: what is as wide as their cells, together."""
    spans: list[Span] = []
    for x0, x1 in sorted([(cell[0].x0, cell[-1].x1) for row in rows for cell in row]):
        if spans and x0 < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(x1, spans[-1][1]))
        else:
            spans.append((x0, x1))
    return spans


def _parts(row: list[Cell], spans: list[Span]) -> bool:
    """Whether the cells of a row stand in columns of their own."""
    return len({_at(spans, cell) for cell in row}) == len(row)


def _at(spans: list[Span], cell: Cell) -> int:
    """The column a cell begins in."""
    return max(bisect_right(spans, cell[0].x0, key=lambda span: span[0]) - 1, 0)


def _width(cell: Cell, spans: list[Span]) -> int:
    """Over how many columns a cell stands."""
    return sum(cell[0].x0 < x1 and cell[-1].x1 > x0 for x0, x1 in spans)


def _placed(row: list[Cell], spans: list[Span]) -> list[Cell]:
    cells: list[Cell] = [[] for _ in spans]
    for cell in row:
        at = _at(spans, cell)
        for number, line in enumerate(cell):
            # What stands close behind a long head may be the one beside it.
            if number and line.x0 - cell[number - 1].x1 > _BLANK * line.size:
                at = _at(spans, [line])
            cells[at].append(line)
    return cells


def _head(head: list[list[Cell]], spans: list[Span]) -> list[list[Cell]]:
    """The rows of a head: one where each says in its columns what was wrapped above."""
    rows = [_placed(row, spans) for row in head]
    # What has a figure in it is the row of a table above.
    if any(_is_datum(cell) for row in rows[:-1] for cell in row):
        return rows
    for above, below in pairwise([] if _middles_line_up(rows) else rows):
        for a, b, (left, right) in zip(above, below, spans, strict=True):
            if (a and (a[0].x0 < left or a[-1].x1 > right)) or (a and b and not _line_up(a, b)):
                return rows
        if all(a and b for a, b in zip(above, below, strict=True)):
            return rows
    return [[[line for cell in column for line in cell] for column in zip(*rows, strict=True)]]


def _is_datum(cell: Cell) -> bool:
    text = cell[0].text if cell else ""
    return is_figure(text) and not is_year(text)


def _line_up(above: Cell, below: Cell) -> bool:
    """Whether two cells begin, end or have their middle at one x."""
    left, right = above[0].x0 - below[0].x0, above[-1].x1 - below[-1].x1
    return min(abs(left), abs(right), abs(left + right) // 2) <= _EDGE * below[0].size


def _line_up_below(cells: list[Cell]) -> bool:
    """Whether the cells of a column are figures, or most stand below each other."""
    near = sum(_line_up(a, b) for a, b in pairwise(cells))
    figures = sum(is_figure(cell[0].text) for cell in cells)
    return figures > len(cells) // 2 or near >= _ALIGNED * (len(cells) - 1)


def _goes_on(above: list[Cell], row: list[Cell], spans: list[Span]) -> bool:
    """Whether a row is only what was wrapped in the cells of the one above: the next word had no
    room in any of them."""
    if sum(map(bool, row)) >= sum(map(bool, above)):
        return False
    for cell, more, (_, right) in zip(above, row, spans, strict=True):
        if not more:
            continue
        if not cell or more[0].base - cell[-1].base > _WRAPPED * more[0].size:
            return False
        text = cell[-1].text
        if sum(map(str.isalpha, text)) < _PROSE or (text.isascii() and " " not in text):
            return False
        word = len(more[0].text.split(maxsplit=1)[0]) if more[0].text.isascii() else 1
        width = (more[0].x1 - more[0].x0) / len(more[0].text)
        if cell[-1].x1 + (word + 1) * width < right - more[0].size:
            return False
    return True
