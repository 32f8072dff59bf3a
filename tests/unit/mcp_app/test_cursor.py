"""Cursors of tools."""

from __future__ import annotations

import pytest

from mcp_app.cursor import MOST, decode, encode
from rag_query.contracts.errors import ErrorCode, ExcerptaError


def test_a_cursor_gives_back_its_parts() -> None:
    assert decode(encode("media", MOST), str, int) == ("media", MOST)
    assert decode(encode(0), int) == (0,)


@pytest.mark.parametrize("parts", [("a", 1, 2), ("a",), (1, 1), ("a", "1"), ("a", True)])
def test_a_cursor_of_other_parts_is_refused(parts: tuple[str | int, ...]) -> None:
    with pytest.raises(ExcerptaError) as caught:
        decode(encode(*parts), str, int)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("number", [-1, MOST + 1, 10**30])
def test_a_number_that_no_list_reaches_is_refused(number: int) -> None:
    with pytest.raises(ExcerptaError) as caught:
        decode(encode("media", number), str, int)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
