"""The walk over a graph given by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.library.link_graph import Edge, LinkGraph
from rag_query.retrieval.relational import DECAY, HOPS, ranking, walk


def graph(*links: tuple[str, str]) -> LinkGraph:
    edges: dict[str, list[Edge]] = {}
    for source, target in links:
        edges.setdefault(source, []).append(Edge(target, "link", "out", None, 1.0))
        edges.setdefault(target, []).append(Edge(source, "link", "in", None, 1.0))
    return LinkGraph(edges)


def everything(chunk_ids: Sequence[str]) -> set[str]:
    return set(chunk_ids)


def test_strength_decays_with_each_step_and_ends_after_two() -> None:
    walked = walk(graph(("a", "b"), ("b", "c"), ("c", "d")), {"a": 1.0}, everything)
    assert set(walked) == {"b", "c"}
    assert walked["b"].score == pytest.approx(DECAY)
    assert walked["c"].score == pytest.approx(DECAY * DECAY / 2**0.5)
    assert [step.to_chunk for step in walked["c"].path] == ["b", "c"]


def test_the_strongest_way_is_the_path() -> None:
    walked = walk(graph(("a", "x"), ("b", "x")), {"a": 0.2, "b": 1.0}, everything)
    assert walked["x"].path[0].from_chunk == "b"


def test_what_is_not_allowed_is_not_passed_through() -> None:
    walked = walk(graph(("a", "b"), ("b", "c")), {"a": 1.0}, lambda ids: set(ids) - {"b"})
    assert walked == {}


def test_the_ranking_is_cut_with_its_paths() -> None:
    walked = walk(graph(("a", "b"), ("a", "c"), ("a", "d")), {"a": 1.0}, everything)
    found = ranking(walked, 2, query_index=3)
    assert (found.query_index, found.leg, found.chunk_ids) == (3, "links", ["b", "c"])
    assert set(found.paths) == {"b", "c"}


nodes = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(nodes, nodes), max_size=20), st.dictionaries(nodes, st.floats(0.01, 1)))
def test_every_path_is_one_of_the_graph(
    links: list[tuple[str, str]], seeds: dict[str, float]
) -> None:
    walked = walk(graph(*links), seeds, everything)
    for chunk, reached in walked.items():
        assert 0 < reached.score <= max(seeds.values()) * DECAY
        assert 1 <= len(reached.path) <= HOPS
        assert reached.path[0].from_chunk in seeds
        assert reached.path[-1].to_chunk == chunk
        for before, after in zip(reached.path, reached.path[1:], strict=False):
            assert before.to_chunk == after.from_chunk
        for step in reached.path:
            way = (step.from_chunk, step.to_chunk)
            assert (way if step.direction == "out" else way[::-1]) in links
