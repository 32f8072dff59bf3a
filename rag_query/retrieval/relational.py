"""The links leg: a walk of two hops from the query's best hits and from what it names, along
links and against them.

A step keeps ``DECAY`` of the strength it set out with, shared among the ways that leave the chunk
(by the square root of their number: a page that links to everything says little of each). A chunk
that several ways lead to keeps the strongest, and the steps of that one are its path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag_query.contracts.evidence import LinkStep
from rag_query.library.link_graph import Edge, LinkGraph
from rag_query.retrieval.further import DECAY, HOPS, MAX_FRONT, MAX_WAYS
from rag_query.retrieval.legs import Ranking, ordered

#: Which of some chunks the query's conditions allow.
Allowed = Callable[[Sequence[str]], set[str]]


@dataclass(frozen=True, slots=True)
class Reached:
    """A chunk the walk came to.

    Attributes:
        score: what is left of the hit's strength, 0 to 1.
        path: from the hit to this chunk.
    """

    score: float
    path: tuple[LinkStep, ...]


def walk(graph: LinkGraph, seeds: Mapping[str, float], allowed: Allowed) -> dict[str, Reached]:
    """What the seeds lead to; a chunk that is not allowed is neither found nor passed through.

    Args:
        seeds: chunk_id -> strength, 0 to 1. A seed another seed leads to is found, too.
    """
    found: dict[str, Reached] = {}
    front = {chunk: Reached(strength, ()) for chunk, strength in seeds.items()}
    for _ in range(HOPS):
        reached: dict[str, Reached] = {}
        for chunk, at in front.items():
            ways = graph.edges(chunk)[:MAX_WAYS]
            passed = {chunk, *(step.from_chunk for step in at.path)}
            score = at.score * DECAY / max(1, len({way.chunk_id for way in ways})) ** 0.5
            for edge in ways:
                best = reached.get(edge.chunk_id) or found.get(edge.chunk_id)
                if edge.chunk_id not in passed and (best is None or score > best.score):
                    reached[edge.chunk_id] = Reached(score, (*at.path, _step(chunk, edge)))
        fits = allowed(list(reached))
        reached = {chunk: at for chunk, at in reached.items() if chunk in fits}
        found.update(reached)
        strongest = sorted(reached, key=lambda chunk: (-reached[chunk].score, chunk))
        front = {chunk: reached[chunk] for chunk in strongest[:MAX_FRONT]}
    return found


def ranking(walked: Mapping[str, Reached], k: int, *, query_index: int) -> Ranking:
    """The ``k`` strongest, with their paths."""
    chunks, scores = ordered(list(walked), [at.score for at in walked.values()])
    return Ranking(
        query_index,
        "relational",
        "links",
        chunks[:k],
        scores[:k],
        paths={chunk: list(walked[chunk].path) for chunk in chunks[:k]},
    )


def _step(chunk: str, edge: Edge) -> LinkStep:
    return LinkStep(
        from_chunk=chunk,
        kind=edge.kind,
        direction=edge.direction,
        text=edge.text,
        to_chunk=edge.chunk_id,
    )
