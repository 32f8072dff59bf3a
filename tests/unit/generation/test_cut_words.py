"""Chinese words stand in a text however it is cut, but not across two words of it."""

from __future__ import annotations

import pytest

from rag_query.generation.vocabulary.cut_words import cut_otherwise
from rag_query.text.analysis import Analyzer


@pytest.mark.parametrize(
    ("term", "text", "stands"),
    [
        ("水池", "对地下水池进行清洗。", True),
        ("移除", "3.4.0 移除了 Modbus。", True),
        ("余蔚", "任命扶余王余蔚为太傅。", True),
        ("病假", "生病假装上班。", False),
        ("国会", "我国会派人。", False),
        ("水", "地下水池", False),
    ],
)
def test_a_word_stands_where_an_end_of_it_is_one_of_a_word(
    term: str, text: str, stands: bool, analyzer: Analyzer
) -> None:
    assert cut_otherwise([term], analyzer.tokens(text), text) == ({term} if stands else set())
