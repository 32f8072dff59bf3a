"""Fusion gives one order and loses no signal."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.evidence import Leg
from rag_query.contracts.plan import Fusion, FusionMethod, Normalization
from rag_query.retrieval.fusion import DefaultFuser, Fused, FusionParams
from rag_query.retrieval.legs import Ranking, ordered
from rag_query.retrieval.semantic import understood

FUSER = DefaultFuser(FusionParams())


def ranking(leg: Leg, scores: dict[str, float], *, query: int = 0, weight: float = 1.0) -> Ranking:
    ids, values = ordered(list(scores), list(scores.values()))
    return Ranking(query, "hybrid", leg, ids, values, weight=weight)


def fuse(method: FusionMethod, *rankings: Ranking, rrf_k: int = 60) -> list[Fused]:
    return FUSER.fuse(rankings, Fusion(method=method, rrf_k=rrf_k, normalization="min_max"))


SPARSE = ranking("sparse", {"a": 9.0, "b": 6.0, "c": 3.0})
DENSE = ranking("dense", {"b": 0.9, "d": 0.8, "a": 0.5})


def test_rrf_is_the_formula() -> None:
    found = {f.chunk_id: f.score for f in fuse("rrf", SPARSE, DENSE)}
    assert found["b"] == pytest.approx(1 / 62 + 1 / 61)
    assert found["a"] == pytest.approx(1 / 61 + 1 / 63)
    assert found["d"] == pytest.approx(1 / 62)
    assert list(found) == ["b", "a", "d", "c"]
    assert fuse("rrf", SPARSE, rrf_k=1)[0].score == pytest.approx(1 / 2)


def test_weighted_sum_is_a_weighted_mean_of_normalised_scores() -> None:
    heavy = ranking("dense", {"b": 0.9, "d": 0.8, "a": 0.5}, weight=3.0)
    found = {f.chunk_id: f.score for f in fuse("weighted_sum", SPARSE, heavy)}
    assert found["b"] == pytest.approx((1 * 0.5 + 3 * 1.0) / 4)
    assert found["d"] == pytest.approx(3 * 0.75 / 4)
    assert found["a"] == pytest.approx(1 * 1.0 / 4)
    assert found["c"] == 0.0


def test_theoretical_minimum_keeps_the_weakest_hit_above_nothing() -> None:
    how = Fusion(method="weighted_sum", rrf_k=60, normalization="theoretical_min_max")
    found = {f.chunk_id: f.score for f in FUSER.fuse([SPARSE], how)}
    assert found == {"a": 1.0, "b": pytest.approx(2 / 3), "c": pytest.approx(1 / 3)}
    found = {f.chunk_id: f.score for f in FUSER.fuse([DENSE], how)}
    assert found == {"b": 1.0, "d": pytest.approx(1.8 / 1.9), "a": pytest.approx(1.5 / 1.9)}


@pytest.mark.parametrize("normalization", ["min_max", "theoretical_min_max"])
def test_what_links_find_keeps_its_share_of_the_strength(normalization: Normalization) -> None:
    links = ranking("links", {"a": 0.4, "b": 0.2})
    how = Fusion(method="weighted_sum", rrf_k=60, normalization=normalization)
    assert [f.score for f in FUSER.fuse([links], how)] == [0.4, 0.2]


def test_none_puts_one_ranking_after_the_other() -> None:
    found = fuse("none", SPARSE, DENSE)
    assert [f.chunk_id for f in found] == ["a", "b", "c", "d"]
    assert [f.score for f in found] == [9.0, 6.0, 3.0, 0.8]
    assert [f.chunk_id for f in fuse("none", DENSE, SPARSE)] == ["b", "d", "a", "c"]


def test_every_leg_of_every_query_is_kept() -> None:
    other = ranking("sparse", {"b": 1.0}, query=1)
    top = fuse("rrf", SPARSE, DENSE, other)[0]
    assert top.chunk_id == "b"
    assert [(s.query_index, s.leg, s.rank, s.score) for s in top.hits] == [
        (0, "sparse", 2, 6.0),
        (0, "dense", 1, 0.9),
        (1, "sparse", 1, 1.0),
    ]
    assert top.queries() == [0, 1]
    assert top.contributions() == {
        "sparse": pytest.approx(1 / 62 + 1 / 61),
        "dense": pytest.approx(1 / 61),
    }


def test_a_weight_of_zero_adds_nothing_but_is_shown() -> None:
    silent = ranking("dense", {"z": 0.9}, weight=0.0)
    last = fuse("rrf", SPARSE, silent)[-1]
    assert (last.chunk_id, last.score, last.hits[0].score) == ("z", 0.0, 0.9)
    assert [f.score for f in fuse("weighted_sum", silent)] == [0.0]


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse("weighted_sum") == []
    assert fuse("rrf", ranking("sparse", {})) == []


def test_equal_scores_are_ordered_by_id() -> None:
    found = fuse("weighted_sum", ranking("sparse", {"b": 1.0, "a": 1.0}))
    assert [(f.chunk_id, f.score) for f in found] == [("a", 1.0), ("b", 1.0)]


_scores = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 50, width=32), max_size=8)


@given(st.sampled_from(["rrf", "weighted_sum"]), _scores, _scores)
def test_the_order_of_rankings_does_not_matter_and_contributions_add_up(
    method: FusionMethod, left: dict[str, float], right: dict[str, float]
) -> None:
    rankings = [ranking("sparse", left), ranking("dense", right)]
    results = [fuse(method, *order) for order in itertools.permutations(rankings)]
    assert [f.chunk_id for f in results[0]] == [f.chunk_id for f in results[1]]
    assert {f.chunk_id for f in results[0]} == left.keys() | right.keys()
    for found in results[0]:
        assert found.score == pytest.approx(sum(s.contribution for s in found.hits))
        if method == "rrf":
            assert found.score == pytest.approx(found.rrf_score)


def test_a_leg_that_understands_little_of_the_query_hardly_counts() -> None:
    fuser = DefaultFuser(FusionParams())
    trusts = [
        fuser.trust(Ranking(0, "hybrid", "sparse", ["a"], [1.0], coverage=coverage))
        for coverage in (1.0, 0.6, 0.3, 0.0)
    ]
    assert trusts == [1.0, 1.0, pytest.approx(0.125), 0.0]
    unknown = Ranking(0, "hybrid", "sparse", ["a"], [1.0], coverage=0.1)
    assert fuser.trust(unknown, names_code=True) == 1.0
    assert fuser.trust(unknown, names_code=True, by_meaning=True) == 0.3
    off = DefaultFuser(FusionParams(full_coverage=0.0))
    assert off.trust(Ranking(0, "hybrid", "sparse", ["a"], [1.0], coverage=0.0)) == 1.0


def test_an_embedder_understands_the_languages_it_was_trained_for() -> None:
    assert understood("zh", ("*",)) == understood("en", ("en",)) == 1.0
    assert understood("other", ("en",)) == 1.0
    assert understood("zh", ("en",)) < 0.5
