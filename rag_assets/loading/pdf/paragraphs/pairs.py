"""Lists of names and values: rows of pieces a wide gap apart, each a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: So many rows below each other are a list, of figures and of other values.
_MIN_FIGURES = 2
_MIN_ROWS = 3
#: In font sizes: the gap before a value, and how far apart the edges of values that line up are.
_GAP = 2
_EDGE = 0.3


def mark_pairs(page: PageRows) -> None:
    """Set ``Row.part`` of the rows of lists of names and values."""
    # Asked of every row of a document: most are one piece.
    pieced = [number for number, row in enumerate(page.rows) if len(row.lines) > 1]
    if any(b - a == 1 for a, b in pairwise(pieced)):
        for run in _runs(page.rows, pieced):
            figures = all(is_figure(row.lines[-1].text) for row in run)
            if len(run) >= (_MIN_FIGURES if figures else _MIN_ROWS):
                for row in run:
                    row.part = "line"


def _runs(rows: Sequence[Row], pieced: Sequence[int]) -> Iterator[list[Row]]:
    """Pairs below each other whose values line up; ``pieced`` are the places of rows of pieces."""
    run: list[Row] = []
    last = -1
    for at in pieced:
        row = rows[at]
        if not _is_pair(row):
            continue
        if not (run and at == last + 1 and _line_up(run[-1], row)):
            if len(run) > 1:
                yield run
            run = []
        run.append(row)
        last = at
    if len(run) > 1:
        yield run


def _is_pair(row: Row) -> bool:
    if row.mono or row.vertical or row.level or row.furniture or row.part:
        return False
    return any(b.x0 - a.x1 >= _GAP * row.size for a, b in pairwise(row.lines))


def _line_up(above: Row, row: Row) -> bool:
    """Whether values of two rows below each other begin at one x, or figures end there."""
    if row.y0 <= above.y0 or row.size != above.size:
        return False
    near = _EDGE * row.size
    if any(abs(a.x0 - b.x0) <= near for a in above.lines[1:] for b in row.lines[1:]):
        return True
    a, b = above.lines[-1], row.lines[-1]
    return abs(a.x1 - b.x1) <= near and is_figure(a.text) and is_figure(b.text)
