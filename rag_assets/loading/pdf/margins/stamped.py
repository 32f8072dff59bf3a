"""Rows that are no running text of their page: in a stamp or form field, or written across it."""

from __future__ import annotations

from collections.abc import Set

from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.order.rows import PageRows


def set_stamped(page: PageRows, stamps: list[Box], aslant: Set[int]) -> None:
    """Set ``stamped`` of the rows whose middle lies in one of ``stamps``, the boxes of stamps and
    form fields on the page, and of those that run across its other text.

    Args:
        aslant: the ``id`` of lines that are known to.
    """
    for row in page.rows if aslant else ():
        row.stamped = row.aslant = id(row.lines[0]) in aslant
    # Asked of every row, and so first without a call.
    across = [row for row in page.rows if row.y1 - row.y0 >= 3 * row.size and row.turned]
    if 2 * len(across) <= len(page.rows):
        for row in across:
            row.stamped = True
    for row in page.rows if stamps else ():
        box = row.lines[0].box
        x, y = (box.x0 + box.x1) // 2, (box.y0 + box.y1) // 2
        row.stamped |= any(s.x0 <= x <= s.x1 and s.y0 <= y <= s.y1 for s in stamps)
