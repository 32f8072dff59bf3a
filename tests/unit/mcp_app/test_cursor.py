"""Cursors of tools."""

from __future__ import annotations

import pytest

from mcp_app.cursor import MOST, decode, encode
from rag_query.contracts.errors import ErrorCode, ExcerptaError


def test_a_cursor_gives_back_its_parts() -> None:
    assert decode(encode("media", MOST), str, int) == ("media", MOST)


@pytest.mark.parametrize("number", [-1, MOST + 1, 10**30])
def test_a_number_that_no_list_reaches_is_refused(number: int) -> None:
    with pytest.raises(ExcerptaError) as caught:
        decode(encode("media", number), str, int)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
