"""Ruled tables that go on over the end of a page, and rows of them that were broken there.

What stands on the page below has no heads of its own, or those of the table once more; its first
row may be the end of the last one above. Each page keeps its own table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure, is_year
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock
from rag_assets.loading.pdf.order.rows import Item, PageRows, Row
from rag_assets.loading.pdf.tables.drawn_cells import Cells
from rag_assets.loading.pdf.tables.grid import is_full
from rag_assets.loading.pdf.tables.headrows import are_bold

#: The same column begins so near, in hundredths of a point.
_NEAR = 150


def mend_broken_tables(pages: Sequence[PageRows]) -> None:
    """Give the tables that go on from the page before their heads, and the row that was broken
    there its end.

    A table goes on when nothing but furniture stands between two tables of the same columns, the
    first one ends in the lower half of its page, and the first row of the second is no row of
    heads.
    """
    for before, page in pairwise(pages):
        # A page that could not be read is none of them.
        if page.number != before.number + 1:
            continue
        # Tables, and images, are the items that are no rows.
        if len(before.items) > len(before.rows) and len(page.items) > len(page.rows):
            _mend(before, page)


def _mend(before: PageRows, page: PageRows) -> None:
    """Join what a table at the end of a page and one that begins the next page share."""
    upper, lower = _content(before.items[::-1]), _content(page.items)
    if not (isinstance(upper, TableBlock) and isinstance(lower, TableBlock)):
        return
    if 2 * upper.box.y1 <= before.height:
        return
    rows = _in_columns_of(upper, lower)
    if rows and _go_on(upper, rows, before.number, lower, page.number):
        page.items.remove(lower)


def _content(items: Sequence[Item]) -> Item | None:
    """The first of some items that is no furniture."""
    return next((item for item in items if not (isinstance(item, Row) and item.furniture)), None)


def _in_columns_of(upper: TableBlock, lower: TableBlock) -> list[Cells]:
    """The rows of a table in the columns of the one above, of which some may be empty in it; none
    when those are others."""
    edges = upper.edges
    if not edges or not lower.edges or abs(edges[-1] - lower.edges[-1]) > _NEAR:
        return []
    places = [
        next((n for n, edge in enumerate(edges[:-1]) if abs(edge - begin) <= _NEAR), None)
        for begin in lower.edges[:-1]
    ]
    rows = []
    for row in lower.rows:
        cells: Cells = [[] for _ in edges[:-1]]
        for place, cell in zip(places, row, strict=True):
            if place is None:
                return []
            cells[place] = cell
        rows.append(cells)
    return rows


def _go_on(upper: TableBlock, rows: list[Cells], page: int, lower: TableBlock, below: int) -> bool:
    """Join the tables of the pages ``page`` and ``below`` where they are one; whether nothing is
    left of the ``lower`` one.

    Args:
        rows: those of the lower one, in the columns of the upper one.
    """
    head, *body = upper.rows
    own, *rest = rows
    is_repeated = _texts(own) == _texts(head)
    first = rest[0] if is_repeated and rest else own
    is_end = bool(body) and _is_end_of(upper, first)
    if not (is_repeated or is_end or _is_no_head(head, body, own)):
        return False
    if not is_repeated:
        rest = rows
        lower.elsewhere |= {
            id(line): upper.elsewhere.get(id(line), page) for cell in head for line in cell
        }
    if is_end:
        _add_end(upper, first, below)
        rest = rest[1:]
    lower.rows = [own if is_repeated else head, *rest]
    lower.edges = upper.edges
    return is_end and not rest


def _texts(row: Cells) -> list[list[str]]:
    return [[line.text for line in cell] for cell in row]


def _add_end(table: TableBlock, row: Cells, page: int) -> None:
    """Add to the last row of a table what stands of it on another page."""
    table.rows[-1] = [above + more for above, more in zip(table.rows[-1], row, strict=True)]
    table.elsewhere |= {id(line): page for cell in row for line in cell}


def _is_end_of(table: TableBlock, row: Cells) -> bool:
    """Whether a row is what a page had no room for of the last row of a table: it has no first
    cell, and its text was wrapped in cells that ran to the end of the page."""
    if row[0] or not table.rows[-1][0] or not any(row):
        return False
    last = table.rows[-1]
    if any(more and _is_word(cell) for cell, more in zip(last, row, strict=True)):
        return False
    low = max([line.box.y1 for cell in last for line in cell])
    ends: list[Line] = []
    for cell, more, edge in zip(last, row, table.edges[1:], strict=True):
        if not more:
            continue
        if not cell or all(is_figure(line.text) for line in (cell[-1], more[0])):
            return False
        if not is_full(cell[-1], more[0], edge):
            return False
        ends.append(cell[-1])
    return any(low - line.box.y1 < line.size for line in ends)


def _is_word(cell: list[Line]) -> bool:
    """Whether one word is all that stands in a cell, a code or a name: nothing goes on from it."""
    return len(cell) == 1 and cell[0].text.isascii() and " " not in cell[0].text


def _is_no_head(head: Cells, body: list[Cells], row: Cells) -> bool:
    """Whether a row is one of the body: none of it is bold, as all heads are, or it has figures
    below figures where the head has words, and neither a name of the head nor, unless it is a sum,
    its style."""
    heads_are_bold = are_bold(head)
    if heads_are_bold and not any(line.bold for cell in row for line in cell):
        return True
    last = body[-1] if body else row
    has_style = heads_are_bold and are_bold(row) and not are_bold(last)
    if (has_style and not _is_sum(row)) or (row[0] and _texts(row)[0] == _texts(head)[0]):
        return False
    return any(
        name
        and not _are_figures(name)
        and _are_figures(cell)
        and _are_figures(above)
        # A year heads columns of figures too.
        and _are_years(cell) <= _are_years(above)
        for name, above, cell in zip(head, last, row, strict=True)
    )


def _is_sum(row: Cells) -> bool:
    """Whether a bold row has but figures behind its name, none of which is a year, and which do
    not count up, as those of heads may: "Name", "1", "2"."""
    figures = [cell for cell in row[1:] if cell]
    texts = [line.text for cell in figures for line in cell]
    counted = [str(number) for number in range(1, len(texts) + 1)]
    return all(_are_figures(cell) and not _are_years(cell) for cell in figures) and texts != counted


def _are_figures(cell: list[Line]) -> bool:
    return bool(cell) and all(is_figure(line.text) for line in cell)


def _are_years(cell: list[Line]) -> bool:
    return all(is_year(line.text) for line in cell)
