"""Pieces of a text or list: nothing is lost, nothing comes twice, nothing is too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_app.budget import estimated_tokens
from mcp_app.reading import Position, pages_told, parts, piece, place_line
from rag_query.contracts.errors import ErrorCode, ExcerptaError


@given(st.text(alphabet="ab\n", max_size=300), st.integers(1, 40))
def test_pieces_hold_the_whole_text_but_for_the_breaks_between(text: str, size: int) -> None:
    pieces: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part, following = piece(text, offset, size)
        assert len(part) <= size
        assert following is None or following > offset
        if following is not None:
            assert set(text[offset + len(part) : following]) <= {"\n"}
        pieces.append(part)
        offset = following
    assert "".join(pieces).replace("\n", "") == text.replace("\n", "")


@given(
    st.lists(st.text(alphabet="ab备\n", max_size=60), max_size=12),
    st.integers(5, 60),
    st.integers(1, 100),
)
def test_items_of_a_list_are_shown_once_and_in_order(
    texts: list[str], room: int, max_chars: int
) -> None:
    shown = dict.fromkeys(range(len(texts)), "")
    start: tuple[int, int] | None = (0, 0)
    while start is not None:
        taken, following = parts(texts, start, room, 2, max_chars)
        assert following is None or following > start
        assert sum(len(part.text) for part in taken) <= max_chars
        spent = sum(estimated_tokens(part.text) + 2 for part in taken)
        assert spent <= room or len(taken) == 1
        for part in taken:
            assert part.cut == (part.text != texts[part.index])
            shown[part.index] += part.text
        start = following
    for index, text in enumerate(texts):
        assert shown[index].replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize(("count", "told"), [(1, "1 page"), (2, "2 pages"), (0, "0 pages")])
def test_one_page_is_one_page(count: int, told: str) -> None:
    assert pages_told(count) == told


def test_a_place_names_every_page_it_spans() -> None:
    assert place_line("A / B", 1, 3) == "A / B · pages 1-3"
    assert place_line("A", 2, 2) == "A · page 2"
    assert place_line("__preamble__", None, None) == "(before the first heading)"


@given(st.text(max_size=40), st.integers(0, 10**9))
def test_a_cursor_comes_back_as_it_was(version: str, offset: int) -> None:
    position = Position(version, offset)
    assert Position.decode(position.encode()) == position


@given(st.text(max_size=40))
def test_any_other_cursor_is_refused(text: str) -> None:
    try:
        decoded = Position.decode(text)
    except ExcerptaError as exc:
        assert exc.code is ErrorCode.INVALID_ARGUMENT
    else:
        assert decoded.offset >= 0


@pytest.mark.parametrize("cursor", ["", "e30", "W10", "WyJhIiwgLTFd", "é", "a" * 1000])
def test_cursors_of_nobody(cursor: str) -> None:
    with pytest.raises(ExcerptaError):
        Position.decode(cursor)
