"""Cursors of lists, also those that no page gave."""

from __future__ import annotations

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.paging import Pages, next_cursor, sql_order

PAGES = Pages(("title",), 100)


def test_a_page_gives_the_cursor_of_the_next() -> None:
    cursor = next_cursor(100, 50, 1000)
    assert PAGES.start("title", 50, cursor) == 150
    assert PAGES.start("title", 50, None) == 0


@pytest.mark.parametrize("cursor", ["", "o", "12", "o-1", "o1.5", "o" + "9" * 23, "o" + "9" * 5000])
def test_a_cursor_that_no_page_gave_is_refused(cursor: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        PAGES.start("title", 50, cursor)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(("order", "limit"), [("author", 50), ("title", 0), ("title", 101)])
def test_an_order_or_a_limit_that_a_list_has_not_is_refused(order: str, limit: int) -> None:
    with pytest.raises(ExcerptaError) as caught:
        PAGES.start(order, limit, None)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("limit", [1, 100])
def test_the_smallest_and_the_largest_page_are_given(limit: int) -> None:
    assert PAGES.start("title", limit, None) == 0


@pytest.mark.parametrize(("start", "shown", "total"), [(0, 0, 0), (0, 5, 5), (0, 0, 5)])
def test_the_last_page_has_no_cursor(start: int, shown: int, total: int) -> None:
    assert next_cursor(start, shown, total) is None


def test_a_minus_puts_the_greatest_first() -> None:
    assert (sql_order("title"), sql_order("-title")) == ("title asc", "title desc")
