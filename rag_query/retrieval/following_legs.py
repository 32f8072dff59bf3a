"""Legs that set out from what the first ones found: links, added terms, and a moved vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_query.contracts.evidence import Leg
from rag_query.contracts.trace import SpanName
from rag_query.library.bm25_schema import BODY
from rag_query.retrieval import associative, entities, relational
from rag_query.retrieval.chunk_vectors import vectors_of
from rag_query.retrieval.first_legs import FirstLegs, RecallRequest
from rag_query.retrieval.further import MAX_VARIANTS, NAMED_STRENGTH
from rag_query.retrieval.hints import read_hints
from rag_query.retrieval.legs import Ranking, ordered
from rag_query.retrieval.recalled import Recalled
from rag_query.tracing.context import span

_SPANS: Mapping[Leg, SpanName] = {
    "links": SpanName.RETRIEVE_LINKS,
    "expansion": SpanName.RETRIEVE_EXPANSION,
    "neighbours": SpanName.RETRIEVE_NEIGHBOURS,
}


class FollowingLegs:
    """What relational and associative queries find beyond their first hits.

    Args:
        first: the legs that searched with the queries themselves.
        out: takes what a query names, the terms that were added, and what failed.
    """

    def __init__(self, request: RecallRequest, first: FirstLegs, out: Recalled) -> None:
        self._request = request
        self._first = first
        self._out = out

    def follow(self, leg: Leg, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        """What one of these legs finds for query ``index``.

        Args:
            seeds: chunk_id -> strength, 0 to 1, of the query's best hits.
        """
        follow = {
            "links": self._walked,
            "expansion": self._expanded,
            "neighbours": self._moved,
        }[leg]
        with span(_SPANS[leg], top_k=self._request.k, query_index=index) as opened:
            found = follow(index, seeds)
            opened.set(candidates=sum(len(r.chunk_ids) for r in found))
        return found

    def _walked(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        """The chunks that links lead to, from the hits and from what the query names."""
        request = self._request
        searcher = request.snapshot.searcher
        if searcher is None:
            return []

        def allowed(chunk_ids: Sequence[str]) -> set[str]:
            return request.stages.sparse.matching(
                searcher, request.queries[index], chunk_ids, request.conditions[index]
            )

        names = [
            request.queries[index].sparse_query_expr,
            *read_hints(request.plan.queries[index].hints).entities,
        ]
        named = entities.named(
            names, searcher, request.snapshot.served, request.conditions[index], allowed
        )
        self._out.entities[index] = named
        starts = {**seeds, **{entity.chunk_id: NAMED_STRENGTH for entity in named}}
        walked = relational.walk(request.snapshot.links, starts, allowed)
        return [relational.ranking(walked, request.k, query_index=index)]

    def _expanded(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        """The chunks that hold words the hits share, besides those of the query."""
        request = self._request
        searcher = request.snapshot.searcher
        if searcher is None:
            return []
        query = request.queries[index]
        total = searcher.num_docs

        def rarity(token: str) -> float:
            return (searcher.doc_freq(BODY, token) + 0.5) / (total + 1)

        terms = associative.expansion_terms(query, seeds, request.snapshot.served, rarity)
        self._out.expansions[index] = terms
        if not terms:
            return []
        expanded, factors = associative.expanded(query, terms)
        result = request.stages.sparse.search(
            searcher,
            expanded,
            request.conditions[index],
            request.k,
            query_index=index,
            mode="associative",
            factors=factors,
        )
        return [replace(result.ranking, leg="expansion", coverage=1.0)]

    def _moved(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        """The neighbours of the question moved towards its hits, and of its variants."""
        request = self._request
        question = self._first.vectors.get(index)
        self._out.neighbours[index] = False
        if question is None or "dense" in self._out.failures:
            return []
        query = request.queries[index]
        vectors = [associative.moved(question, vectors_of(request.snapshot, list(seeds)), seeds)]
        if variants := list(query.variants[:MAX_VARIANTS]):
            vectors += list(request.embed(variants))
        best: dict[str, float] = {}
        for vector in vectors:
            if vector is None:
                continue
            found = self._first.nearest(index, vector)
            for chunk, score in zip(found.chunk_ids, found.scores, strict=True):
                best[chunk] = max(score, best.get(chunk, -1.0))
        if not best:
            return []
        self._out.neighbours[index] = True
        chunks, scores = ordered(list(best), list(best.values()))
        k = request.k
        return [Ranking(index, "associative", "neighbours", chunks[:k], scores[:k])]
