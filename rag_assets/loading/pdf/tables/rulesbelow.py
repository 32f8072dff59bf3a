"""Heads of tables with a rule below each row: the first is drawn below the head, and nothing above
it."""

from __future__ import annotations

from rag_assets.loading.pdf.columns.cells import Cell, Span
from rag_assets.loading.pdf.extraction.blocks import TableBlock, bounds

#: So many columns have a head.
_HEADED = 0.75


def with_head(table: TableBlock, above: list[Cell]) -> TableBlock:
    """A table with the row above its first rule as its head, where the cells of that stand over its
    columns."""
    columns = [[cell for cell in column if cell] for column in zip(*table.rows, strict=True)]
    spans = [
        (min([cell[0].x0 for cell in column]), max([cell[-1].x1 for cell in column]))
        for column in columns
    ]
    head = _over(above, spans)
    if head is None:
        return table
    rows = [head, *table.rows]
    return TableBlock(bounds([line for row in rows for cell in row for line in cell]), rows)


def _over(cells: list[Cell], spans: list[Span]) -> list[Cell] | None:
    """The cells of a head that each stand over one column, or beside it where all columns have a
    head; None when one stands over more, or few have one."""
    head: list[Cell] = [[] for _ in spans]
    for number, cell in enumerate(cells):
        x0, x1 = cell[0].x0, cell[-1].x1
        over = [at for at, (left, right) in enumerate(spans) if x0 < right and x1 > left]
        if not over and len(cells) == len(spans):
            over = [number]
        if len(over) != 1 or head[over[0]]:
            return None
        head[over[0]] = cell
    return head if len(cells) >= max(2, _HEADED * len(spans)) else None
