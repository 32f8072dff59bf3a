"""A language model as a judge: its grades decide, and a bad answer changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.llm.base import LlmRequest
from rag_query.providers.llm.fake import FakeLlm, Reply
from rag_query.providers.llm.none import NoLlm
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.rerank import Reranked, rerank

PASSAGES = [
    Passage("a", "coffee " * 500, 0.9, title="Coffee"),
    Passage("b", "green tea", 0.8),
    Passage("c", "black tea", 0.7),
]


def grades(*given: tuple[int, float]) -> str:
    return json.dumps({"grades": [{"passage": n, "grade": g} for n, g in given]})


def judged(reply: Reply, **params: Any) -> tuple[Reranked, LlmRequest]:
    llm = FakeLlm([reply])
    made = REGISTRY.create("reranker.llm", params, llm=lambda: llm)
    return rerank(made, "which tea is green?", PASSAGES), llm.asked[0]


def test_grades_decide_and_equal_ones_keep_the_fused_order() -> None:
    result, asked = judged(grades((3, 2.0), (1, 2.0), (2, 9.0)))
    assert result.order == [1, 0, 2]
    assert result.scores == {"a": 2.0, "b": 9.0, "c": 2.0}
    assert "which tea is green?" in asked.messages[-1].text
    assert "(Coffee)" in asked.messages[-1].text
    assert asked.output is not None
    assert asked.prompt_profile_id


def test_a_long_passage_is_cut() -> None:
    _, asked = judged(grades((1, 1), (2, 1), (3, 1)), max_passage_chars=50)
    assert len(asked.messages[-1].text) < 400


def test_what_was_not_shown_stays_below_in_its_order() -> None:
    result, asked = judged(grades((1, 0), (2, 5)), max_passages=2)
    assert result.order == [1, 0, 2]
    assert "black tea" not in asked.messages[-1].text


@pytest.mark.parametrize(
    "reply",
    [
        grades((1, 1), (2, 1)),
        grades((1, 1), (2, 1), (2, 3)),
        grades((0, 1), (1, 1), (2, 3)),
        grades((1, 1), (2, 1), (3, 99)),
        "Passage 2 is best.",
        ExcerptaError(ErrorCode.LLM_TIMEOUT, "too slow", transient=True),
    ],
    ids=["left out", "twice", "unknown number", "beyond the scale", "prose", "timeout"],
)
def test_a_bad_answer_keeps_the_fused_order(reply: Reply) -> None:
    result, _ = judged(reply)
    assert result.order == [0, 1, 2]
    assert result.scores == {}
    assert result.failure is not None
    assert result.failure.code is ErrorCode.PROVIDER_UNAVAILABLE


def test_without_a_model_the_fused_order_stands_and_says_what_to_do() -> None:
    made = REGISTRY.create("reranker.llm", {}, llm=NoLlm)
    result = rerank(made, "q", PASSAGES)
    assert result.order == [0, 1, 2]
    assert result.failure is not None
    assert "language model" in result.failure.message
