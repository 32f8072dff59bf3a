"""What is missing is said in the question's own words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rag_query.generation.question import read_question
from rag_query.generation.sufficiency import missing
from rag_query.text.analysis import Analyzer


def told(question: str, evidence: str, analyzer: Analyzer) -> dict[str, str]:
    """kind -> what is missing of it."""
    scored: Any = [
        SimpleNamespace(
            sentence=SimpleNamespace(text=evidence),
            terms=frozenset(analyzer.tokens(evidence)),
            typed=True,
        )
    ]
    read = read_question(question, analyzer, lambda _: 1, 100)
    return {each.kind: each.what for each in missing(read, scored)}


def test_words_are_whole_and_a_missing_name_is_said_once(analyzer: Analyzer) -> None:
    found = told("Who are the presidents of France?", "The harbour is deep.", analyzer)
    assert found["name"] == "France"
    assert found["words"] == "presidents"


def test_chinese_words_stand_as_they_are(analyzer: Analyzer) -> None:
    found = told("仓库的消防栓在哪里？", "今天天气很好。", analyzer)
    assert "仓库" in found["words"]


def test_nothing_is_said_of_words_that_are_there(analyzer: Analyzer) -> None:
    found = told("How deep is the harbour at low tides?", "The harbour is deep.", analyzer)
    assert "harbour" not in found["words"] and "tides" in found["words"]
