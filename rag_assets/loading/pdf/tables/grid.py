"""What MuPDF takes for a table: the cells its rulings make.

MuPDF begins a row at every line of text and a column at every gap. Where a grid is ruled, the
rulings say which of them are cells.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from rag_assets.loading.pdf.extraction.blocks import Line, on_one_baseline
from rag_assets.loading.pdf.extraction.scripts import joint
from rag_assets.loading.pdf.extraction.stext import UNIT, Box, GridOf, LineOf
from rag_assets.loading.pdf.tables.drawn_cells import (
    LEFT,
    TOP,
    Cells,
    from_top_to_bottom,
    in_drawn_cells,
    is_cut,
)
from rag_assets.loading.pdf.tables.drawn_rows import drawn_spans, goes_on_drawn, rest_of_rows
from rag_assets.loading.pdf.tables.figurerows import runs_beside
from rag_assets.loading.pdf.tables.headrows import in_one_head_row

#: Letters that make a line of a cell prose, which may be wrapped.
_PROSE = 6
#: A column has more filled rows than these below a head that is set wide over it.
_HEADED = 2
#: A line of a cell is short when so many font sizes of the cell's width are left; borders keep off
#: text.
_ROOM = 3
#: Lines are drawn before so many columns of the grid for each column of its table, at most.
_PARTS = 4
#: In font sizes: how near each other lines end that are set to one width.
_EVEN = 0.1
#: How wide a border is at most, the lines of two cells together.
_BORDER = 3 * UNIT
_LATIN = "".join(map(chr, range(0x21, 0x7F)))


def fills(rows: list[list[LineOf]], inner_edges: list[int]) -> bool:
    """Whether text stands in more than one row and more than one column: most grids are frames."""
    texts = [[line for line in row if not line.text.isspace()] for row in rows]
    columns = {
        bisect_right(inner_edges, line.bbox.x + line.bbox.w // 2) for row in texts for line in row
    }
    return len(columns) > 1 and sum(map(bool, texts)) > 1


def filled(rows: list[Cells]) -> list[Cells]:
    """The rows and columns of a grid in which something stands."""
    rows = [row for row in rows if any(row)]
    used = [column for column, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    if rows and len(used) == len(rows[0]):
        return rows
    return [[row[column] for column in used] for row in rows]


def by_rulings(grid: GridOf, rows: list[Cells]) -> tuple[list[Cells], bool]:
    """The rows of a grid as its rulings make them, and whether most rows begin at one.

    A column no line is drawn before belongs to the one on its left when text runs from one into
    the other, or never both hold text (heads set in the middle of their column make such columns);
    so does a row to the one above when text was wrapped there, or lines of any length were set
    below each other in cells that are all drawn. Code with a frame around it is one column. The
    text of cells drawn over several columns or rows stands in the first (``drawn_cells``), and
    heads in rows below each other are made one row (``headrows``). Where no line is drawn inside,
    only what was cut changes; there are no rows when all is one text.

    Args:
        rows: ``grid.h`` rows of ``grid.w`` cells.
    """
    flags = grid.flags
    if len(rows) != grid.h or len(flags) < grid.h:
        return rows, False
    columns = zip(*flags[: grid.h], strict=False)
    lefts = {c for c, flag in enumerate(columns) if 0 < c < grid.w and any(map(LEFT.__and__, flag))}
    # Lines between the two of a double border part no rows.
    used = [c for c, column in enumerate(zip(*rows, strict=True)) if any(column)]
    tops = {r for r in range(1, grid.h) if any(flags[r][c] & TOP for c in used)}
    if not lefts or not tops:
        return _unparted(rows, flags, lefts), False
    rows = in_drawn_cells(grid, rows, tops)
    if len(lefts) == grid.w - 1 and len(tops) == grid.h - 1:
        mark_short(rows, [round(x * UNIT) for x in grid.xpos])
        return in_one_head_row(grid, rows, range(grid.h), range(grid.w)), True
    starts = _starts(rows, lefts, flags)
    if len(starts) < grid.w:
        rows = [_in_columns(row, starts) for row in rows]
    edges = [round(grid.xpos[c] * UNIT) for c in (*starts, grid.w)]
    few = len(tops) < 2
    drawn = [] if few or len(starts) > len(lefts) + 1 else drawn_spans(grid, starts)
    parts = rest_of_rows(rows, drawn, tops) if drawn else set()
    found: list[Cells] = []
    numbers: list[int] = []
    begun = 0
    for number, row in enumerate(rows):
        if not any(row):
            continue
        if found and (
            number in parts
            or (
                number not in tops
                and (runs_beside(found[-1], row) or _goes_on(found[-1], row, edges[1:], few=few))
            )
            or (drawn and goes_on_drawn(found[-1], row, drawn[number], numbers[-1]))
        ):
            found[-1] = [above + below for above, below in zip(found[-1], row, strict=True)]
        else:
            begun += number in tops or not found
            numbers.append(number)
            found.append(row)
    mark_short(found, edges)
    return in_one_head_row(grid, found, numbers, starts), 2 * begun > len(found)


def in_one_row(grid: GridOf, rows: list[Cells]) -> Cells:
    """The cells of a grid in which lines are drawn between columns and none between rows, when all
    of each is one text, wrapped where there was no room; none when they may hold more."""
    starts = _starts_of_row(grid) if len(rows) == grid.h else []
    if not starts:
        return []
    parts = [_in_columns(row, starts) for row in rows]
    cells = [[line for cell in column for line in cell] for column in zip(*parts, strict=True)]
    edges = [round(grid.xpos[c] * UNIT) for c in (*starts[1:], grid.w)]
    for cell, edge in zip(cells, edges, strict=True):
        for line, below in pairwise(cell):
            if below.box.y0 - line.box.y1 > line.size or not is_full(line, below, edge):
                return []
    return cells if len(starts) > 1 and all(cells) else []


def _starts_of_row(grid: GridOf) -> list[int]:
    """Where the columns of a grid begin in which no line is drawn between rows; none in others."""
    flags = grid.flags
    if len(flags) < grid.h or any(f & TOP for row in flags[1 : grid.h] for f in row[: grid.w]):
        return []
    return [0, *(c for c in range(1, grid.w) if all(row[c] & LEFT for row in flags[: grid.h]))]


def boxes_of_row(grid: GridOf) -> list[Box]:
    """The cells of a grid in which no line is drawn between rows: those of a single one."""
    starts = _starts_of_row(grid)
    edges = [round(grid.xpos[c] * UNIT) for c in (*starts, grid.w)] if starts else []
    top, low = round(grid.ypos[0] * UNIT), round(grid.ypos[grid.h] * UNIT)
    return [Box(left, top, right, low) for left, right in pairwise(edges)]


def row_going_on(grid: GridOf, rows: list[Cells], edges: tuple[int, ...]) -> Cells:
    """The only filled row of a grid when it has the columns that begin and end at ``edges``, those
    of a table on the page before; else nothing."""
    if len(rows) != grid.h or len(grid.flags) < grid.h:
        return []
    columns = zip(*grid.flags[: grid.h], strict=False)
    lefts = [c for c, flag in enumerate(columns) if 0 < c < grid.w and any(map(LEFT.__and__, flag))]
    found = filled([_in_columns(row, [0, *lefts]) for row in rows])
    drawn = edges_of(grid, found)
    are_same = len(drawn) == len(edges) and all(
        abs(a - b) <= _BORDER for a, b in zip(drawn, edges, strict=True)
    )
    return found[0] if drawn and are_same else []


def begins_or_ends_unparted(grid: GridOf) -> bool:
    """Whether no line parts the columns in the first row, or in the last, but some do in others: a
    title or a note stands there, or the grid is a box with more in it than the table."""
    parted = [any(map(LEFT.__and__, row[1 : grid.w])) for row in grid.flags[: grid.h]]
    return any(parted) and not (parted[0] and parted[-1])


def edges_of(grid: GridOf, rows: list[Cells]) -> tuple[int, ...]:
    """Where the columns of a table begin and the last one ends; empty when lines do not part all
    of them."""
    columns = zip(*grid.flags[: grid.h], strict=False)
    lefts = [c for c, flag in enumerate(columns) if 0 < c < grid.w and any(map(LEFT.__and__, flag))]
    drawn = [round(grid.xpos[column] * UNIT) for column in (0, *lefts)]
    # A head over several columns stands in each of them.
    own = [column[1:] if any(column[1:]) else column for column in zip(*rows, strict=True)]
    begins = [
        drawn[bisect_right(drawn, min([line.box.x0 for cell in column for line in cell])) - 1]
        for column in own
    ]
    if any(after <= before for before, after in pairwise(begins)):
        return ()
    return (*begins, round(grid.xpos[grid.w] * UNIT))


def is_drawing(grid: GridOf, columns: int) -> bool:
    """Whether lines part a grid much more often than its ``columns``, twice at double borders."""
    parts = zip(*(row[: grid.w] for row in grid.flags[: grid.h]), strict=False)
    return sum(any(map(LEFT.__and__, part)) for part in parts) > _PARTS * columns


def mark_short(rows: list[Cells], edges: list[int]) -> None:
    """Tell of the lines of CJK text in cells, columns from one of ``edges`` to the next, which left
    room for the line below. A bracket may be too long for it."""
    for row in rows:
        for at, cell in enumerate(row[: len(edges) - 1]):
            # Most have no second line.
            width = _width(row, at, edges) if len(cell) > 1 else 0
            begins = [line.box.x0 for line in cell]
            for number, (line, below) in enumerate(pairwise(cell)):
                if on_one_baseline(line, below):
                    begins[number + 1] = begins[number]
                room = width - (line.box.x1 - begins[number])
                # Latin letters, half as wide, are not parted from the character before them.
                letters = len(below.text) - len(below.text[1:].lstrip(_LATIN)) - 1
                if 2 * room < (2 * _ROOM + letters) * line.size or below.text[0] == "（":
                    continue
                line.short = _is_cjk(line, below) and not on_one_baseline(line, below)


def _is_cjk(line: Line, below: Line) -> bool:
    """Whether either of two lines is CJK text where they meet."""
    return joint(line.text[-1], line.text[-1]) == "" or joint(below.text[0], below.text[0]) == ""


def _width(row: Cells, at: int, edges: list[int]) -> int:
    """The width of a cell; one most of whose lines stand out of its column is merged with the empty
    ones beside it."""
    first, behind = at, at + 1
    if 2 * sum([line.box.x0 < edges[first] for line in row[at]]) > len(row[at]):
        while first and not row[first - 1]:
            first -= 1
    if 2 * sum([line.box.x1 > edges[behind] for line in row[at]]) > len(row[at]):
        while behind < len(edges) - 1 and not row[behind]:
            behind += 1
    return edges[behind] - edges[first]


def _starts(rows: list[Cells], lefts: set[int], flags: list[list[int]]) -> list[int]:
    """The columns of a grid at which the columns of its table begin."""
    ruled = [0, *sorted(lefts)]
    if len(ruled) == len(rows[0]):
        return ruled
    filled = [{r for r, cell in enumerate(column) if cell} for column in zip(*rows, strict=True)]
    if len({bisect_right(ruled, c) for c, held in enumerate(filled) if held}) == 1:
        lines = [line for row in rows for cell in row for line in cell]
        if 2 * sum(line.mono for line in lines) > len(lines):
            return ruled
    spread = {
        column
        for begin, end in pairwise([*ruled, len(filled)])
        if end > begin + 1 and _is_spread(rows, flags, begin, end)
        for column in range(begin + 1, end)
    }
    starts = [0]
    held = filled[0]
    for column in range(1, len(filled)):
        if column in lefts or (
            held & filled[column]
            and column not in spread
            # Where others are ruled, the letters of a head that is set wide make no columns.
            and not (len(lefts) > 1 and len(filled[column]) == 1 and len(held) > _HEADED)
            and not _runs_into(rows, column)
        ):
            starts.append(column)
            held = filled[column]
        else:
            held = held | filled[column]
    return starts


def _is_spread(rows: list[Cells], flags: list[list[int]], begin: int, end: int) -> bool:
    """Whether no gap in the cells between two drawn lines parts columns, since their text is set to
    the width of the cell: gaps are in lines that end with the longest and below which the text goes
    on, for its next word had no room, and there is none in the last line of a cell."""
    cells = [[line for cell in row[begin:end] for line in cell] for row in rows]
    parted = [sum(map(bool, row[begin:end])) > 1 for row in rows]
    if not any(parted):
        return False
    left = min([line.x0 for cell in cells for line in cell])
    right = max([line.x1 for cell in cells for line in cell])
    for number, (cell, is_parted) in enumerate(zip(cells, parted, strict=True)):
        if not is_parted:
            continue
        behind = number + 1
        if behind == len(rows) or not cells[behind] or flags[behind][begin] & TOP:
            return False
        first = cells[behind][0]
        room = right - left - sum([line.x1 - line.x0 for line in cell])
        if right - cell[-1].x1 > _EVEN * first.size or _first_word(first) < room:
            return False
    return True


def _first_word(line: Line) -> float:
    """How wide the first word of a line is, with a blank; of CJK text, the first character."""
    letters = len(line.text) - len(line.text.lstrip(_LATIN))
    return (letters + 1) * (line.x1 - line.x0) / len(line.text)


def _unparted(rows: list[Cells], flags: list[list[int]], lefts: set[int]) -> list[Cells]:
    """Rows in which not both kinds of lines are drawn, with what was cut in every row that goes on
    there in one column. None when all is one text, in a frame perhaps."""
    width = len(rows[0])
    if not lefts and _is_spread(rows, flags, 0, width):
        return []
    starts = [0]
    for column in range(1, width):
        pairs = [(row[column - 1], row[column]) for row in rows if row[column - 1] and row[column]]
        if column in lefts or not pairs or not all(is_cut(*pair) for pair in pairs):
            starts.append(column)
    if len(starts) == width:
        return rows
    joined = [_in_columns(row, starts) for row in rows]
    return joined if sum(map(any, zip(*joined, strict=True))) > 1 else []


def _runs_into(rows: list[Cells], column: int) -> bool:
    """Whether text was cut to begin a column, or begins left of where that on its left ends."""
    return any(
        line.touches(before) if on_one_baseline(before, line) else line.x0 < before.x1 - line.size
        for row in rows
        for before in row[column - 1]
        for line in row[column]
    )


def _in_columns(row: Cells, starts: list[int]) -> Cells:
    cells: Cells = [[] for _ in starts]
    for column, lines in enumerate(row):
        if lines:
            at = bisect_right(starts, column) - 1
            cells[at] = from_top_to_bottom(cells[at] + lines) if cells[at] else lines
    return cells


def _goes_on(above: Cells, row: Cells, edges: list[int], *, few: bool) -> bool:
    """Whether a row is only what was wrapped in the row above: a cell of prose had no room for the
    next word there, and none says otherwise.

    Args:
        few: no more than one line is drawn between rows, below the heads of columns perhaps; then
            a row that goes on leaves a cell empty.
    """
    wrapped, hole = False, not few
    for cell, more, edge in zip(above, row, edges, strict=True):
        if not more:
            hole = hole or bool(cell)
            continue
        if not cell:
            continue
        last, first = cell[-1], more[0]
        letters = sum(map(str.isalpha, last.text))
        if not letters or first.box.y0 - last.box.y1 > last.size or not is_full(last, first, edge):
            return False
        wrapped = wrapped or (letters >= _PROSE and (" " in last.text or not last.text.isascii()))
    return wrapped and hole


def is_full(last: Line, first: Line, edge: int) -> bool:
    """Whether the first word below had no room before ``edge``, a line away."""
    width = (first.x1 - first.x0) / len(first.text)
    word = len(first.text.split(maxsplit=1)[0]) if first.text.isascii() else 1
    return last.box.x1 + (word + 1) * width >= edge - last.size
