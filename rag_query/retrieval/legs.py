"""What a leg found: the one shape both searchers return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag_query.contracts.evidence import Leg, LinkStep
from rag_query.contracts.plan import Mode

#: Small, so that the second hit is clearly weaker than the first.
_RANK_OFFSET = 5


@dataclass(frozen=True)
class Ranking:
    """Candidates of one leg of one query, best first.

    Attributes:
        query_index: which query of the plan.
        mode: of that query.
        leg: what searched.
        chunk_ids: without repetition.
        scores: same length, descending: BM25, cosine, or of ``links`` 0 to 1.
        weight: of this ranking in fusion, 0 and up.
        coverage: how much of the query the leg understands, 0 to 1. Of words, the share of the
            query's different words that the library knows, rare ones counting more; of meaning,
            less than 1 where the embedder was not trained for the query's language.
        identifiers: of words: tokens of the query that name one thing and stand in a few chunks.
        paths: of ``links``: chunk_id -> the steps that lead to it.
    """

    query_index: int
    mode: Mode
    leg: Leg
    chunk_ids: Sequence[str]
    scores: Sequence[float]
    weight: float = 1.0
    coverage: float = 1.0
    identifiers: tuple[str, ...] = ()
    paths: Mapping[str, list[LinkStep]] = field(default_factory=dict)

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """chunk_id -> rank from 1."""
        return {chunk: rank for rank, chunk in enumerate(self.chunk_ids, 1)}


def ordered(chunk_ids: Sequence[str], scores: Sequence[float]) -> tuple[list[str], list[float]]:
    """Best first; equal scores by chunk id, so that no index's internal order shows."""
    pairs = sorted(zip(chunk_ids, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))
    return [chunk for chunk, _ in pairs], [score for _, score in pairs]


def strongest(rankings: Sequence[Ranking], most: int = 5) -> dict[str, float]:
    """The best hits of one query's legs by reciprocal rank, best first, the first with 1.0."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, chunk in enumerate(ranking.chunk_ids, 1):
            scores[chunk] = scores.get(chunk, 0.0) + 1 / (_RANK_OFFSET + rank)
    chunks, values = ordered(list(scores), list(scores.values()))
    return {
        chunk: value / values[0] for chunk, value in zip(chunks[:most], values[:most], strict=True)
    }
