"""Lists of names and values: rows of pieces a wide gap apart, each a line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.figures import is_figure
from rag_assets.loading.pdf.rows import Item, PageRows, Row

#: So many rows below each other are a list, of figures and of other values.
_MIN_FIGURES = 2
_MIN_ROWS = 3
#: In font sizes: the gap before a value, and how far apart the edges of values that line up are.
_GAP = 2
_EDGE = 0.3


def mark_pairs(pages: Sequence[PageRows]) -> None:
    """Set ``Row.part`` of the rows of lists of names and values."""
    for page in pages:
        # Asked of every row of a document: most pages have few rows of more than one piece.
        if sum([len(row.lines) > 1 for row in page.rows]) >= _MIN_FIGURES:
            _mark(page.items)


def _mark(items: Sequence[Item]) -> None:
    run: list[Row] = []
    for item in [*items, None]:
        pair = item if isinstance(item, Row) and _is_pair(item) else None
        if pair and run and _line_up(run[-1], pair):
            run.append(pair)
            continue
        figures = len(run) >= _MIN_FIGURES and all(is_figure(row.lines[-1].text) for row in run)
        if figures or len(run) >= _MIN_ROWS:
            for row in run:
                row.part = "line"
        run = [pair] if pair else []


def _is_pair(row: Row) -> bool:
    if len(row.lines) < 2 or row.mono or row.vertical or row.level or row.furniture or row.part:
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
