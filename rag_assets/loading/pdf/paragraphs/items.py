"""Which items of a list an item or a row stands within, as their indentation tells."""

from __future__ import annotations

from rag_assets.loading.pdf.order.rows import Row
from rag_assets.loading.pdf.paragraphs.clauses import SENTENCE_END
from rag_assets.loading.pdf.paragraphs.paragraphs import starts_item

#: The rows of a list item are indented by so many font sizes, where they are.
_HANGING = 0.6


def within(outer: list[Row], last: Row | None, item: Row) -> list[Row]:
    """The items an item stands within, of the ``last`` one and those that one stood within."""
    if last is None or last.left != item.left or item.y0 <= last.y0:
        return []
    return [each for each in [*outer, last] if item.x0 - each.x0 >= _HANGING * item.size]


def leaves_item(item: Row, before: Row, row: Row) -> bool:
    """Whether a row begins where a list item does, and the rows of the item are indented."""
    if before is item:
        return _begins_below_mark(item, row)
    return (
        before.x0 - item.x0 >= _HANGING * item.size
        and row.x0 - item.x0 < _HANGING * item.size
        and row.left == before.left
        and row.y0 > before.y0
        and not starts_item(row)
    )


def _begins_below_mark(item: Row, row: Row) -> bool:
    """Whether a row begins where the mark of an item does that stands apart from the text, which
    ends its sentence: that text is one row, and no other tells where its rows begin."""
    mark = item.lines[0]
    return (
        4 * abs(row.x0 - item.x0) < item.size
        and len(item.lines) > 1
        and len(mark.text) == 1
        and item.lines[1].x0 - mark.x0 >= _HANGING * item.size
        and SENTENCE_END.search(item.text) is not None
        and row.left == item.left
        and row.y0 > item.y0
        and not row.text[0].islower()
        and not starts_item(row)
    )
