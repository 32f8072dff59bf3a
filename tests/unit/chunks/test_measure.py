"""Sizes of texts: what a chunk may hold is measured alike from both ends, and never too small."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.chunks.measure import LengthFunction, Measure, Ruler, TokenRuler, exceeds

LETTERS = st.text(alphabet="ab é中文字。\n\U00020000\ud800", max_size=30)
TEXTS = LETTERS | st.lists(LETTERS, max_size=3).map(f"![](asset://{'0' * 16})".join)
LIMITS = st.integers(0, 40) | st.floats(0, 12)
FUNCTIONS = st.sampled_from(["chars", "estimated_tokens"])


@st.composite
def tokenized(draw: st.DrawFn) -> tuple[str, TokenRuler]:
    """A text, and where its tokens begin; several may begin at one character."""
    text = draw(TEXTS)
    starts = draw(st.lists(st.integers(0, max(len(text) - 1, 0)), max_size=20).map(sorted))
    return text, TokenRuler(text, np.array(starts, np.int64))


def _reaches_as_far_as_it_may(ruler: Measure, length: int, limit: float) -> bool:
    """Whether both directions end where the next character would be one too many."""
    places = range(length + 1)
    ends = all(
        ruler.reach(start, limit)
        == max(end for end in places if end >= start and ruler.size(start, end) <= limit)
        for start in places
    )
    return ends and all(
        ruler.reach_back(end, limit)
        == min(start for start in places if start <= end and ruler.size(start, end) <= limit)
        for end in places
    )


@given(TEXTS, FUNCTIONS, LIMITS)
def test_a_piece_is_as_long_as_the_limit_allows(
    text: str, function: LengthFunction, limit: float
) -> None:
    assert _reaches_as_far_as_it_may(Ruler(text, function), len(text), limit)


@given(tokenized(), LIMITS)
def test_a_piece_holds_as_many_tokens_as_the_limit_allows(
    case: tuple[str, TokenRuler], limit: float
) -> None:
    text, ruler = case
    assert _reaches_as_far_as_it_may(ruler, len(text), limit)


@given(TEXTS, FUNCTIONS)
def test_neighbouring_pieces_are_as_long_as_the_text(text: str, function: LengthFunction) -> None:
    ruler = Ruler(text, function)
    parts = [ruler.size(place, place + 1) for place in range(len(text))]
    assert all(part > 0 for part in parts) or "asset://" in text
    assert sum(parts) == pytest.approx(ruler.size(0, len(text)))


@given(TEXTS, LIMITS)
def test_a_text_exceeds_what_its_ruler_says(text: str, limit: float) -> None:
    for function in ("chars", "estimated_tokens"):
        size = Ruler(text, function).size(0, len(text))
        assert exceeds(text, limit, function) == (size > limit)


@pytest.mark.parametrize(
    ("text", "tokens"), [("abcdefgh", 2), ("汉字汉", 2), ("ab汉字cd", 4 / 4 + 4 / 3), ("", 0)]
)
def test_estimated_tokens_weigh_chinese_more(text: str, tokens: float) -> None:
    assert Ruler(text, "estimated_tokens").size(0, len(text)) == pytest.approx(tokens)
    assert Ruler(text, "chars").size(0, len(text)) == len(text)
