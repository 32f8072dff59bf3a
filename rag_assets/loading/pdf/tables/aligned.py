"""Tables that nothing is ruled in: their columns are told by where their cells stand.

Such a table is a run of rows below each other. A row is what stands on one baseline, in cells a
wide gap apart; the cells of all rows stand in common columns, each with a common left edge, right
edge or middle. The first row is the head: words or years above a column of figures, and a table
has at least one such column beside the first. That is what tells it from text set in columns,
indexes, contents, forms and the authors below a title, which are left alone; and so is whatever
has leaders or is set like code. A table may stand in a column of text. What is wrapped in a cell
goes on below it, close to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from rag_assets.loading.pdf.columns.cells import Cell, Span, cells_of
from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.columns.gutter import columns_of
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds
from rag_assets.loading.pdf.tables.wrappedrows import wrapped_tables

#: Rows and columns of the smallest table, the head among them.
_MIN_ROWS = 3
_MIN_COLUMNS = 3
#: In font sizes: the gap between two cells, the step to the next row, to the first below the head
#: and to what was wrapped, how far apart edges that line up may be, and how wide the cells of all
#: columns but one are at most.
_GAP = 1.0
_STEP = 2.5
_HEAD_STEP = 3.0
_WRAPPED = 1.45
_EDGE = 0.3
_WIDE = 12
#: Rows of a head, above one more, at most; they are so much closer than the rows of the table.
_MAX_HEAD = 3
_CLOSER = 0.95
#: The next row may be so much further away than the second is from the first.
_FURTHER = 1.8
#: Share of the cells of a column that line up; of a column of figures that are filled, and that are
#: figures; of the first column that are filled.
_ALIGNED = 0.8
_FILLED = 0.4
_NAMED = 0.3
#: A line of a paragraph is so wide, beside the widest.
_FULL = 0.85
_FIGURES = 0.75

_LEADERS = re.compile(r"(?:[.·…_] ?){4}|…{2}")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MARKS = frozenset("•◦▪‣●○■□∙·☐☑☒").union(map(chr, range(0xF000, 0xF100)))


def aligned_tables(lines: list[Line]) -> dict[int, TableBlock]:
    """``id`` of a line -> the table without rulings it stands in.

    Args:
        lines: the text of a page outside of other tables.
    """
    # Asked of every page: few have so many lines on the baselines of others, or with two others.
    if len(lines) - len({line.base for line in lines}) < _MIN_ROWS * (_MIN_COLUMNS - 1):
        return {}
    counted = Counter([line.base for line in lines])
    wide = {base for base, times in counted.items() if times >= _MIN_COLUMNS}
    wrapped = wrapped_tables(lines, wide) if wide else {}
    if wrapped:
        lines = [line for line in lines if id(line) not in wrapped]
    if len(wide) < _MIN_ROWS:
        return wrapped
    figures = {
        line.base
        for line in lines
        if line.base in wide and not line.mono and _DIGIT.search(line.text)
    }
    if len(figures) < _MIN_ROWS - 1:
        return wrapped
    found = _hunt(lines, lines)
    rest = [line for line in lines if id(line) not in found] if found else lines
    columns = columns_of(rest)
    if len(columns) > 1:
        for column in columns:
            found |= _hunt(column, lines)
    return wrapped | found


def _hunt(lines: list[Line], on_page: list[Line]) -> dict[int, TableBlock]:
    """The tables among some lines of a page."""
    rows = _rows(lines)
    found: dict[int, TableBlock] = {}
    at = 0
    while at < len(rows):
        taken, run, spans = _run(rows, at)
        if len(run) < _MIN_ROWS:
            at += 1
            continue
        run, spans = _with_whole_head(rows[max(at - _MAX_HEAD, 0) : at], run, spans)
        at += taken
        table = _table(run, spans)
        if table is not None and _is_alone(table, spans, on_page):
            found |= {id(line): table for row in table.rows for cell in row for line in cell}
    return found


def _rows(lines: list[Line]) -> list[list[Cell]]:
    """The cells on one baseline, from left to right, for each baseline from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.base):
        if line.vertical or line.y1 - line.y0 >= 3 * line.size:
            continue
        if rows and 3 * (line.base - rows[-1][0].base) < line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [cells_of(sorted(row, key=lambda line: line.x0), _GAP) for row in rows]


def _run(rows: list[list[Cell]], at: int) -> tuple[int, list[list[Cell]], list[Span]]:
    """How many rows from ``at`` on may be those of one table, their cells, with what was wrapped in
    them, and the columns they stand in. Its last row has more than one cell."""
    head = rows[at]
    spans = _widened([], head, []) if len(head) >= _MIN_COLUMNS else None
    if spans is None:
        return 0, [], []
    if at + 1 < len(rows) and _stand_behind(head, rows[at + 1]):
        end = max(head[-1][-1].x1, rows[at + 1][-1][-1].x1)
        spans = list(pairwise([*(x0 for x0, _ in spans), end]))
    run = [head]
    kept = (1, 1, spans)
    before, pitch = head[0][0].base, 0
    for number, row in enumerate(rows[at + 1 :], start=2):
        first = row[0][0]
        step = first.base - before
        farthest = _STEP if len(run) > 1 else _HEAD_STEP
        if step > max(farthest * first.size, _FURTHER * pitch):
            break
        cells, wider = row, _widened(spans, row, run)
        if wider is None and any(len(cell) > 1 for cell in row):
            # What stands close behind a long name may be the cell beside it.
            cells = [[line] for cell in row for line in cell]
            wider = _widened(spans, cells, run)
        if wider is None:
            if kept[1] < len(run) or not _is_overfull(row, run, spans):
                break
            # It is one of the table when the next row stands in the columns again.
            before = first.base
            run.append(row)
            continue
        before, spans = first.base, wider
        close = len(cells) < _MIN_COLUMNS and step <= _WRAPPED * first.size
        if close and (first.x0 >= spans[0][1] or _FURTHER * step < _WRAPPED * pitch):
            run[-1] = _joined(run[-1], cells, spans)
        else:
            run.append(cells)
            pitch = pitch or step
        if len(run[-1]) > 1:
            kept = (number, len(run), spans)
    taken, length, spans = kept
    return taken, run[:length], spans


def _stand_behind(head: list[Cell], row: list[Cell]) -> bool:
    """Whether the cells below heads begin no further left, end before the next head, and one begins
    behind its own: sheets set words to the left and figures to the right of their column, which
    then reaches to the next head."""
    if len(row) != len(head):
        return False
    edges = [cell[0].x0 for cell in head[1:]]
    return (
        all(h[0].x0 <= c[0].x0 + _EDGE * c[0].size for h, c in zip(head, row, strict=True))
        and all(cell[-1].x1 <= edge for cell, edge in zip(row, edges, strict=False))
        and any(h[-1].x1 <= c[0].x0 for h, c in zip(head, row, strict=True))
    )


def _widened(spans: list[Span], cells: list[Cell], above: list[list[Cell]]) -> list[Span] | None:
    """The columns with room for a row; None when a cell stands in two, or two stand in one."""
    wider = list(spans)
    for cell in cells:
        x0, x1 = cell[0].x0, cell[-1].x1
        over = [span for span in wider if span[0] < x1 and span[1] > x0]
        # A head in the middle may stand beside all the names below it but the longest.
        if len(over) > 1 and any(_parts(over, row) for row in above):
            return None
        for span in over:
            wider.remove(span)
            x0, x1 = min(x0, span[0]), max(x1, span[1])
        wider.append((x0, x1))
    wider.sort()
    return wider if len({_at(wider, cell) for cell in cells}) == len(cells) else None


def _parts(spans: list[Span], row: list[Cell]) -> bool:
    """Whether a row has cells in more than one of some columns, which no cell may stand across."""
    return sum([any(c[0].x0 < x1 and c[-1].x1 > x0 for c in row) for x0, x1 in spans]) > 1


def _is_overfull(row: list[Cell], run: list[list[Cell]], spans: list[Span]) -> bool:
    """Whether a row below some of a table stands in its columns, but for a cell that reaches over
    the next one."""
    if len(run) < _MIN_ROWS or not _MIN_COLUMNS <= len(row) < len(spans):
        return False
    over = [
        [at for at, (x0, x1) in enumerate(spans) if x0 < c[-1].x1 and x1 > c[0].x0] for c in row
    ]
    columns = [at for some in over for at in some]
    return len(columns) == len(set(columns)) == len(spans) and max(map(len, over)) == 2


def _at(spans: list[Span], cell: Cell) -> int:
    """The column a cell stands in."""
    return bisect_right(spans, cell[0].x0, key=lambda span: span[0]) - 1


def _joined(above: list[Cell], row: list[Cell], spans: list[Span]) -> list[Cell]:
    """The cells of a row with what was wrapped in them."""
    cells = {_at(spans, cell): cell for cell in above}
    for cell in row:
        column = _at(spans, cell)
        cells[column] = cells.get(column, []) + cell
    return [cells[column] for column in sorted(cells)]


def _with_whole_head(
    above: list[list[Cell]], run: list[list[Cell]], spans: list[Span]
) -> tuple[list[list[Cell]], list[Span]]:
    """The rows of a table with all of its head, whose cells may be wrapped and end on one baseline,
    and the columns they stand in.

    Args:
        above: the rows before it.
    """
    while len(run) > _MIN_ROWS and _is_head_above(*run[:3]):
        run = [_joined(run[0], run[1], spans), *run[2:]]
    for row in reversed(above):
        wider = _widened(spans, row, run) if _is_head_above(row, run[0], run[1]) else None
        if wider is None:
            break
        spans = wider
        run = [_joined(row, run[0], spans), *run[1:]]
    return run, spans


def _is_head_above(row: list[Cell], head: list[Cell], body: list[Cell]) -> bool:
    """Whether a row holds the beginnings of the cells of a head: close above it, closer than the
    rows of the table are, each in line with one, and not only with that of the names."""
    size = row[0][0].size
    bases = [line.base for cell in head for line in cell]
    step = min(bases) - row[0][0].base
    if not 0 < step <= _WRAPPED * size or step >= _CLOSER * (body[0][0].base - max(bases)):
        return False
    if any(is_figure(_text(cell)) for cell in (*row, *head)):
        return False
    below = [next((h for h in head if _lines_up_with(cell, h)), None) for cell in row]
    return all(below) and any(cell is not head[0] for cell in below)


def _lines_up_with(cell: Cell, other: Cell) -> bool:
    """Whether two cells begin, end or have their middle at one x."""
    near = 2 * _EDGE * cell[0].size
    left, right = cell[0].x0 - other[0].x0, cell[0].x1 - other[0].x1
    return min(abs(left), abs(right), abs(left + right) / 2) <= near


def _table(run: list[list[Cell]], spans: list[Span]) -> TableBlock | None:
    """The table some rows make, or None."""
    full = sum([len(row) >= _MIN_COLUMNS for row in run])
    if full < max(_MIN_ROWS, len(run) // 2):
        return None
    lines = [line for row in run for cell in row for line in cell]
    if all(line.mono for line in lines) or any(_is_other(line.text) for line in lines):
        return None
    # Forms have their names beside what is filled in.
    if any(cell[-1].text.endswith((":", "：")) for cell in run[0]):
        return None
    rows: list[list[Cell]] = [[[] for _ in spans] for _ in run]
    for cells, row in zip(rows, run, strict=True):
        for cell in row:
            cells[_at(spans, cell)] = cell
    columns = list(zip(*rows, strict=True))
    if not any(_has_figures(column[0], column[1:]) for column in columns[1:]):
        return None
    bodies = [[cell for cell in column[1:] if cell] for column in columns]
    if len(bodies[0]) < _NAMED * (len(run) - 1):
        return None
    if not all(_lines_up(cells) for cells in bodies[1:]):
        return None
    size = lines[0].size
    widths = [
        max([cell[-1].x1 for cell in column if cell]) - min([cell[0].x0 for cell in column if cell])
        for column in columns
    ]
    wide = [c for c, width in enumerate(widths) if width > _WIDE * size and bodies[c]]
    if len(wide) > 1 or any(_is_prose(bodies[c]) for c in wide):
        return None
    return TableBlock(bounds(lines), rows)


def _is_other(text: str) -> bool:
    """Whether a text stands in a list or in a table of contents."""
    return text[0] in _MARKS or bool(_LEADERS.search(text))


def _is_prose(cells: list[Cell]) -> bool:
    """Whether the cells of a wide column are the lines of a paragraph: full, and close together."""
    lines = [cell[0] for cell in cells]
    widest = max([line.x1 - line.x0 for line in lines])
    full = sum([line.x1 - line.x0 > _FULL * widest for line in lines])
    close = sum([b.base - a.base <= _WRAPPED * b.size for a, b in pairwise(lines)])
    return full > len(lines) // 2 and close > len(lines) // 2


def _has_figures(head: Cell, body: tuple[Cell, ...]) -> bool:
    """Whether a column has words, or a year, above figures."""
    title = _text(head)
    cells = [_text(cell) for cell in body if cell]
    if not title or len(cells) < max(2, _FILLED * len(body)):
        return False
    if sum(map(is_figure, cells)) < _FIGURES * len(cells):
        return False
    if not is_figure(title):
        return True
    # Years of a life are no heads of columns.
    years = sum([bool(_YEAR.search(text)) for text in cells])
    return bool(_YEAR.search(title)) and 2 * years < len(cells)


def _text(cell: Cell) -> str:
    return " ".join([line.text for line in cell])


def _lines_up(cells: list[Cell]) -> bool:
    """Whether most cells begin, end or have their middle at one x."""
    edges: tuple[Callable[[Line], int], ...] = (
        lambda line: line.x0,
        lambda line: line.x1,
        lambda line: (line.x0 + line.x1) // 2,
    )
    for edge in edges:
        places = sorted([edge(cell[0]) for cell in cells])
        middle = places[len(places) // 2] if places else 0
        near = [cell for cell in cells if abs(edge(cell[0]) - middle) <= _EDGE * cell[0].size]
        if len(near) >= _ALIGNED * len(cells):
            return True
    return False


def _is_alone(table: TableBlock, spans: list[Span], lines: list[Line]) -> bool:
    """Whether nothing else stands among the cells of a table, and no wide column is a part of text
    that goes on above or below it."""
    box = table.box
    own = {id(line) for row in table.rows for cell in row for line in cell}
    wide = [(x0, x1) for x0, x1 in spans if x1 - x0 > _WIDE * lines[0].size]
    for line in lines:
        if line.x0 >= box.x1 or line.x1 <= box.x0 or id(line) in own:
            continue
        middle = (line.y0 + line.y1) // 2
        if box.y0 < middle < box.y1:
            return False
        near = box.y0 - line.size < middle < box.y1 + line.size
        if near and any(x0 <= line.x0 and line.x1 <= x1 for x0, x1 in wide):
            return False
    return True
