"""Rows of cells that lines are drawn around: text on several baselines there is one row.

MuPDF begins a row at every line of text. Where the cells of a ruled row are set in the middle of
its height, as browsers and word processors do, a short label stands beside any line of a long one.
"""

from __future__ import annotations

from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line, on_one_baseline
from rag_assets.loading.pdf.extraction.scripts import is_east_asian
from rag_assets.loading.pdf.extraction.stext import GridOf
from rag_assets.loading.pdf.tables.drawn_cells import LEFT, TOP, Cells

#: Between which rows of a grid, from one to behind another, the lines of a cell are drawn.
Span = tuple[int, int]

#: In font sizes: how far apart the middles of cells may be that are set at one height.
_MIDDLE = 0.35
#: Rows of as many lines in each cell are told by so many ruled rows and columns, and have so many
#: lines at most; so many or more in several cells may be entries of their own.
_RULED = 4
_COLUMNS = 3
_LINES = 3
#: In font sizes: how much shorter a full line may be, for a number goes to the next one whole.
_UNPARTED = 2.0
#: What a range or a fraction ends with that goes on below.
_GOES_ON = ("-", "–", "—", "~", "～", "〜", "至", "/")


def drawn_spans(grid: GridOf, starts: list[int]) -> list[list[Span | None]]:
    """For each row of a grid and each column of its table, which begin at ``starts``, between which
    rows the lines of a cell are drawn there; None where no line is drawn on the left."""
    drawn: list[list[Span | None]] = [[None] * len(starts) for _ in range(grid.h)]
    for at, column in enumerate(starts):
        begins = 0
        for end in range(1, grid.h + 1):
            if end < grid.h and not grid.flags[end][column] & TOP:
                continue
            for number in range(begins, end):
                if grid.flags[number][column] & LEFT:
                    drawn[number][at] = (begins, end)
            begins = end
    return drawn


def rest_of_rows(rows: list[Cells], drawn: list[list[Span | None]], tops: set[int]) -> set[int]:
    """The rows of a grid that belong to the one above, since all between two rulings is one row.

    Args:
        drawn: as ``drawn_spans`` gives them.
        tops: the rows a line is drawn above, in some column.
    """
    spans = list(pairwise(sorted({0, *tops, len(rows)})))
    texts = [[number for number in range(*span) if any(rows[number])] for span in spans]
    are_short = (
        max(map(len, texts)) <= _LINES
        and sum(map(bool, texts)) >= _RULED
        and len(rows[0]) >= _COLUMNS
        # Where all have as many lines, each line may be a record of a group.
        and len({len(each) for each in texts[1:] if each}) > 1
    )
    found: set[int] = set()
    for span, numbers in zip(spans, texts, strict=True):
        if len(numbers) > 1 and _is_one(rows, drawn, span, are_short=are_short):
            found.update(numbers[1:])
    return found


def _is_one(
    rows: list[Cells], drawn: list[list[Span | None]], span: Span, *, are_short: bool
) -> bool:
    """Whether all that stands between two rulings is one row: each cell in the middle of its
    height, or as many lines in each; where several have as many, no figures below figures.

    Args:
        are_short: whether the rulings of the table make many rows, none of many lines, as those
            of a timetable; only then as many lines in each cell are no rows.
    """
    columns: list[list[list[Line]]] = []
    for column in range(len(rows[0])):
        filled = [number for number in range(*span) if rows[number][column]]
        cells = {drawn[number][column] for number in filled}
        if None in cells:
            return False
        # A label of several ruled rows tells nothing of one.
        if cells == {span}:
            columns.append(_on_baselines([ln for n in filled for ln in rows[n][column]]))
    pairs = [(a[0], b[0]) for lines in columns for a, b in pairwise(lines)]
    if any(below.box.y0 - above.box.y1 > above.size for above, below in pairs):
        return False
    most = max(map(len, columns), default=0)
    longest = [lines for lines in columns if len(lines) == most]
    if len(longest) > 1 and (most > _LINES or any(_are_apart(*pair) for pair in pairs)):
        return False
    if len(longest) == len(columns):
        return are_short and most > 1
    if most == _LINES and len(longest) > 1:
        return False
    near = 2 * _MIDDLE * longest[0][0][0].size
    return all(abs(_middle(lines) - _middle(longest[0])) <= near for lines in columns)


def _on_baselines(lines: list[Line]) -> list[list[Line]]:
    """The lines of a cell, those on one baseline together."""
    found: list[list[Line]] = []
    for line in lines:
        if found and on_one_baseline(line, found[-1][0]):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _middle(lines: list[list[Line]]) -> int:
    """Twice the height of the middle of a cell's text."""
    return lines[0][0].box.y0 + lines[-1][0].box.y1


def goes_on_drawn(above: Cells, row: Cells, drawn: list[Span | None], begins: int) -> bool:
    """Whether a row stands in the cells drawn around the row above, which ``begins`` with them,
    and is no row of its own: it leaves one of them empty, and holds no figures below figures.

    Args:
        drawn: between which rows the cells of the row are drawn.
    """
    spans = {span for span, cell in zip(drawn, row, strict=True) if cell}
    span = spans.pop()
    if spans or span is None or span[0] != begins:
        return False
    pairs = [(cell, more) for cell, more in zip(above, row, strict=True) if cell]
    return not all(more for _, more in pairs) and not any(
        more and _is_below(cell[-1], more) for cell, more in pairs
    )


def _is_below(last: Line, more: list[Line]) -> bool:
    """Whether lines are no part of the cell that ``last`` ends: they stand apart, or are figures
    below a figure."""
    if more[0].box.y0 - last.box.y1 > last.size:
        return True
    return _are_apart(last, more[0]) and all(is_figure(line.text) for line in more)


def _are_apart(above: Line, below: Line) -> bool:
    """Whether two lines are figures, and the first begins no range; nor are they lines of one
    Chinese text, of which each but the last is full but for what may not be parted."""
    goes_on = is_east_asian(above.text[-1]) and is_east_asian(below.text[0])
    return (
        is_figure(above.text)
        and is_figure(below.text)
        and not (goes_on and below.x1 - above.x1 <= _UNPARTED * above.size)
        and not (len(above.text) > 1 and above.text.endswith(_GOES_ON))
    )
