"""Pages of a list: its orders, the size of a page, and the cursor from one to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Cursors as :func:`next_cursor` makes them; longer numbers would not fit an integer of SQL.
_CURSOR = re.compile(r"o[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Pages:
    """How a list can be paged.

    Attributes:
        orders: names of columns; ``-`` before one means the greatest first.
        most: entries of a page.
    """

    orders: Sequence[str]
    most: int

    def start(self, order: str, limit: int, cursor: str | None) -> int:
        """The offset of a page's first entry. Raises ExcerptaError ``INVALID_ARGUMENT``."""
        if order not in self.orders:
            raise invalid_argument(f"order must be one of {', '.join(self.orders)}.")
        if not 1 <= limit <= self.most:
            raise invalid_argument(f"limit must be 1 to {self.most}.")
        if cursor is None:
            return 0
        if not _CURSOR.fullmatch(cursor):
            raise invalid_argument("cursor is not one that a page gave.")
        return int(cursor[1:])


def sql_order(order: str) -> str:
    """One of :attr:`Pages.orders` as SQL."""
    return f"{order.lstrip('-')} {'desc' if order.startswith('-') else 'asc'}"


def next_cursor(start: int, shown: int, total: int) -> str | None:
    """The cursor of the page after ``shown`` entries from ``start``; None on the last."""
    after = start + shown
    return f"o{after}" if shown and after < total else None


def invalid_argument(message: str, hint: str = "") -> ExcerptaError:
    """A wrong argument."""
    return ExcerptaError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)
