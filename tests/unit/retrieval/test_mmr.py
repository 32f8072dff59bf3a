"""Maximal marginal relevance, and the scale soft preferences add to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from rag_query.retrieval import mmr
from rag_query.retrieval.fusion import Fused
from rag_query.retrieval.pack import Candidate
from rag_query.retrieval.relevance import PREFERENCE_WEIGHT, prefer, relevance

START = datetime(2026, 1, 1, tzinfo=UTC)


def candidate(name: str, score: float, *, days: float = 0, **rest: Any) -> Candidate:
    fused = Fused(name, score, score, ())
    return Candidate(
        fused, "doc", "sec", "file://a/b", "file", START + timedelta(days=days), **rest
    )


def names(candidates: list[Candidate]) -> str:
    return "".join(c.fused.chunk_id for c in candidates)


def test_the_second_choice_is_unlike_the_first() -> None:
    similarity = np.array([[1, 0.95, 0], [0.95, 1, 0], [0, 0, 1]], np.float32)
    assert mmr.order([1.0, 0.9, 0.6], similarity, 0.5, 3) == [0, 2, 1]
    assert mmr.order([1.0, 0.9, 0.6], similarity, 1.0, 3) == [0, 1, 2]
    assert mmr.order([1.0, 0.9, 0.6], similarity, 0.5, 1) == [0, 1, 2]
    assert mmr.order([], np.empty((0, 0), np.float32), 0.5, 3) == []


def test_without_vectors_words_are_compared() -> None:
    similarity = mmr.word_similarity([["a", "b"], ["a", "b"], ["c"], []])
    assert similarity[0].tolist() == pytest.approx([1, 1, 0, 0])


def test_relevance_is_one_scale_whatever_ordered_the_list() -> None:
    fused = [candidate("a", 4), candidate("b", 1)]
    assert relevance(fused, "rrf") == [1, 0.25]
    assert relevance(fused, "none") == [1, 0]
    reranked = [
        candidate("a", 1, rerank_score=-3.0),
        candidate("b", 4, rerank_score=-9.0),
        candidate("c", 2),
    ]
    assert relevance(reranked, "rrf") == [1, 0.5, 0.25]
    equal = [candidate(name, 1, rerank_score=2.0) for name in "ab"]
    assert relevance([*equal, candidate("c", 1)], "rrf") == [1, 1, 0.5]
    assert relevance([candidate("a", 0)], "rrf") == [0]


def test_a_preference_decides_between_near_equals_only_and_is_shown() -> None:
    listed = [
        candidate("a", 1.0),
        candidate("b", 0.95, days=10, tags=["Official"], asset_ids=["x"]),
        candidate("c", 0.5, days=20),
    ]
    assert names(prefer(listed, {"recent"}, "rrf")) == "abc"
    assert names(prefer(listed, {"official"}, "rrf")) == "bac"
    first = prefer(listed, {"has_image", "official", "recent"}, "rrf")[0]
    assert [(b.name, b.feature) for b in first.boosts] == [
        ("recent", 0.5), ("official", 1.0), ("has_image", 1.0),
    ]  # fmt: skip
    assert all(b.added == b.weight * b.feature for b in first.boosts)
    assert first.final_score == pytest.approx(0.95 + 2.5 * PREFERENCE_WEIGHT)
    assert first.recency == 0.5


def test_what_is_not_known_gets_no_boost() -> None:
    equal_age = prefer([candidate("a", 1.0), candidate("b", 1.0)], {"recent"}, "rrf")
    assert names(equal_age) == "ab"
    assert [c.boosts[0].added for c in equal_age] == [0, 0]
