"""Where the words of a question stand in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.analysis import Analyzer
from rag_query.text.matching import content_words, find_words

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("migrating cells", "Cells migrate, the cell does not.", ["Cells", "migrate", "cell"]),
        ("max_section", "set max_section_level here", ["max_section_level"]),
        ("observe", "Ｏｂｓｅｒｖｅ café", ["Ｏｂｓｅｒｖｅ"]),
        ("cafe", "Un café noir", ["café"]),
        ("绿茶 冲泡", "泡绿茶的水不要煮沸，冲泡三分钟。", ["绿茶", "冲泡"]),
        ("網絡", "网络连线", ["网络"]),
        ("网络", "網絡連線", ["網絡"]),
        ("검색", "한국어 검색 엔진", ["검색"]),
        ("tea", "", []),
    ],
)
def test_words_are_marked_in_every_script(question: str, text: str, words: list[str]) -> None:
    found = find_words(text, content_words(ANALYZER.tokens(question)), ANALYZER)
    assert [text[start:end] for start, end in found] == words


def test_function_words_are_marked_only_when_there_is_nothing_else() -> None:
    assert content_words(["the", "tide"]) == {"tide"}
    assert content_words(["the", "who"]) == {"the", "who"}


@given(st.text(max_size=80), st.text(max_size=20))
def test_ranges_are_in_the_text_ordered_and_apart(text: str, question: str) -> None:
    ranges = find_words(text, ANALYZER.tokens(question), ANALYZER)
    last = -1
    for start, end in ranges:
        assert last < start < end <= len(text)
        last = end
