"""What a leg found, in its order, and which of it is strongest."""

from __future__ import annotations

import pytest

from rag_query.retrieval.legs import Ranking, ordered, strongest


def ranking(*chunks: str) -> Ranking:
    return Ranking(0, "hybrid", "sparse", chunks, [9.0 - place for place in range(len(chunks))])


def test_equal_scores_are_ordered_by_id_in_any_index() -> None:
    assert ordered(["b", "c", "a"], [1.0, 2.0, 1.0]) == (["c", "a", "b"], [2.0, 1.0, 1.0])


def test_ranks_count_from_one() -> None:
    assert ranking("b", "a").ranks == {"b": 1, "a": 2}


def test_what_several_legs_find_high_is_strongest() -> None:
    found = strongest([ranking("a", "b", "c"), ranking("b", "d")])
    assert list(found) == ["b", "a", "d", "c"]
    most = 1 / 6 + 1 / 7
    assert found == pytest.approx(
        {"b": 1.0, "a": 1 / 6 / most, "d": 1 / 7 / most, "c": 1 / 8 / most}
    )
    assert list(strongest([ranking(*"abcdefgh")])) == list("abcde")
    assert strongest([]) == strongest([ranking()]) == {}
