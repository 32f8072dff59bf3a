"""Cursors of lists, also those that no page gave."""

from __future__ import annotations

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.paging import Pages, next_cursor

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
