"""A reranker may fail in any way; the fused order stands then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from rag_query.contracts.errors import ErrorCode
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.rerank import rerank

PASSAGES = [Passage(name, f"text {name}", 1.0) for name in "abc"]


class Scripted:
    """A reranker that does what the test says."""

    active = True

    def __init__(self, answer: Callable[[], list[float] | None]) -> None:
        self._answer = answer

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        return self._answer()


def test_scores_decide_and_ties_keep_the_fused_order() -> None:
    result = rerank(Scripted(lambda: [0.1, 0.9, 0.1]), "q", PASSAGES)
    assert result.order == [1, 0, 2]
    assert result.scores == {"a": 0.1, "b": 0.9, "c": 0.1}
    assert result.failure is None


def test_noop_keeps_the_order() -> None:
    import rag_query.builtin  # noqa: F401

    result = rerank(REGISTRY.create("reranker.noop", {}), "q", PASSAGES)
    assert (result.order, result.scores, result.failure) == ([0, 1, 2], {}, None)


def _boom() -> list[float]:
    raise RuntimeError("no memory")


@pytest.mark.parametrize(
    "answer", [_boom, lambda: [1.0], lambda: [float("nan")] * 3], ids=["raises", "short", "nan"]
)
def test_a_failure_keeps_the_fused_order_and_is_reported(
    answer: Callable[[], list[float]],
) -> None:
    result = rerank(Scripted(answer), "q", PASSAGES)
    assert result.order == [0, 1, 2]
    assert result.scores == {}
    assert result.failure is not None
    assert result.failure.code == ErrorCode.PROVIDER_UNAVAILABLE


def test_a_reranker_that_sleeps_runs_out_of_time() -> None:
    release = threading.Event()

    def sleep() -> list[float]:
        release.wait(10)
        return [1.0, 2.0, 3.0]

    try:
        result = rerank(Scripted(sleep), "q", PASSAGES, time_limit_s=0.05)
    finally:
        release.set()
    assert result.order == [0, 1, 2]
    assert result.failure is not None
    assert "0.05 s" in result.failure.message


def test_nothing_to_rerank() -> None:
    assert rerank(Scripted(_boom), "q", []).order == []
