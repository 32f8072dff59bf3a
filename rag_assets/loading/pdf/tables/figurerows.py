"""Rows of figures in a cell: where nothing is drawn between them, each line of figures is a row."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line, on_one_baseline
from rag_assets.loading.pdf.tables.drawn_cells import Cells

#: So many lines of figures are rows, though a label has more lines or a column fewer.
_MANY = 5
#: Figures in so many columns, or more, tell of rows of which not each has a name.
_NAMED = 3


def in_rows(rows: list[Cells]) -> list[Cells]:
    """The rows of a table, parted where nothing is drawn between them: columns of figures stand in
    them, line by line, beside labels."""
    return [part for row in rows for part in (_parted(row) or [row])]


def _parted(row: Cells) -> list[Cells]:
    """A row for each line of figures; none where they are no rows. Where there are many, a column
    may have holes, and a label more lines: they belong to the figures below."""
    filled = [cell for cell in row if cell]
    if len(filled) < 2 or max(map(len, filled)) < 2:
        return []
    figures = [cell for cell in filled if _are_figures(cell)]
    if 2 * len(figures) < len(filled):
        return []
    longest = max(figures, key=len)
    starts = [longest[0]]
    starts += [b for a, b in pairwise(longest) if not on_one_baseline(a, b)]
    parts: list[Cells] = [[[] for _ in row] for _ in starts]
    lows = [line.base + line.size // 3 for line in starts]
    for column, cell in enumerate(row):
        for line in cell:
            at = bisect_left(lows, line.base)
            if at == len(starts) or (len(starts) < _MANY and not on_one_baseline(line, starts[at])):
                return []
            parts[at][column].append(line)
    if len(starts) < 2:
        return []
    if len(starts) < _MANY and not all(map(all, _held(parts, row))):
        # The first may be the end of the row above: what has a name of its own begins with it.
        beside = [part[1:] for part in parts]
        is_named_below = bool(row[0]) and not parts[0][0] and len(filled) > _NAMED
        if not is_named_below or not all(map(all, _held(beside, row[1:]))):
            return []
    return parts


def _held(parts: list[Cells], row: Cells) -> list[list[bool]]:
    """Whether each part holds a single line of each cell that is filled."""
    return [
        [len(cell) == 1 for cell, whole in zip(part, row, strict=True) if whole] for part in parts
    ]


def runs_beside(above: Cells, row: Cells) -> bool:
    """Whether many labels of the row above stand beside or below this one, all of figures."""
    if not all(map(_are_figures, filter(None, row))):
        return False
    top = min([line.box.y0 for cell in row for line in cell])
    return any(sum([line.box.y0 >= top for line in cell]) >= _MANY for cell in above)


def _are_figures(cell: list[Line]) -> bool:
    """Whether most lines of a cell are figures; some say that there is none."""
    return 10 * sum([is_figure(line.text) for line in cell]) >= 8 * len(cell)
