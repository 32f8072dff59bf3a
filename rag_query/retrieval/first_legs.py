"""The sparse and the dense leg over the queries of a plan: by words and by meaning."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.plan import RetrievalPlan
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval.filters import Conditions
from rag_query.retrieval.leg_failure import leg_failure
from rag_query.retrieval.legs import Ranking
from rag_query.retrieval.preprocess import QueryIR
from rag_query.retrieval.recalled import Recalled
from rag_query.retrieval.semantic import understood
from rag_query.retrieval.stages import QueryStages
from rag_query.tracing.context import count, event, span

#: Texts -> unit vectors, float32 of shape (len(texts), dimensions).
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: Where a query's text conditions thin out the dense leg, it recalls so many times more.
_OVERFETCH = 4


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A plan, and all that its recall needs.

    Attributes:
        queries: one for each query of the plan; ``conditions`` too.
        k: candidates wanted of each leg.
    """

    snapshot: Snapshot
    stages: QueryStages
    plan: RetrievalPlan
    embed: Embed
    queries: Sequence[QueryIR]
    conditions: Sequence[Conditions]
    k: int


class FirstLegs:
    """The legs that search with the queries themselves.

    Args:
        out: takes warnings and what text conditions drop.

    Attributes:
        vectors: query index -> its embedding, of the queries the dense leg has searched with.
    """

    def __init__(self, request: RecallRequest, out: Recalled) -> None:
        self._request = request
        self._out = out
        self.vectors: dict[int, NDArray[np.float32]] = {}

    def sparse(self, indices: list[int]) -> list[Ranking]:
        """The chunks that hold the words of each of some queries."""
        request = self._request
        part = request.snapshot.manifest.bm25
        found: list[Ranking] = []
        with span(
            SpanName.RETRIEVE_SPARSE,
            request.stages.refs["retrieve_sparse"],
            top_k=request.k,
            fts_profile_id=part.analysis_profile_id if part else None,
        ) as opened:
            searcher = request.snapshot.searcher
            for index in indices:
                if searcher is None:
                    break
                result = request.stages.sparse.search(
                    searcher,
                    request.queries[index],
                    request.conditions[index],
                    request.k,
                    query_index=index,
                    mode=request.plan.queries[index].mode,
                )
                for phrase in result.relaxed:
                    self._out.warnings.append(
                        f'queries[{index}]: "{phrase[:80]}" stands nowhere in the library; '
                        "its words were searched instead"
                    )
                if result.dropped_terms:
                    self._out.warnings.append(
                        f"queries[{index}]: {result.dropped_terms} frequent words of a very long "
                        "text were left out of the exact search"
                    )
                found.append(result.ranking)
                report_candidates(result.ranking)
            opened.set(candidates=sum(len(r.chunk_ids) for r in found))
        count(candidates_sparse=sum(len(r.chunk_ids) for r in found))
        return found

    def dense(self, indices: list[int]) -> list[Ranking]:
        """The chunks whose vectors are nearest to those of each of some queries."""
        request = self._request
        part = request.snapshot.manifest.vector
        found: list[Ranking] = []
        with span(
            SpanName.RETRIEVE_DENSE,
            request.stages.refs["retrieve_dense"],
            top_k=request.k,
            vector_index_id=f"{part.table}@{part.version}" if part else None,
        ) as opened:
            began = time.perf_counter()
            texts = [request.queries[index].dense_query_text for index in indices]
            # Without a vector nothing was ever embedded, and there is nothing to find.
            vectors = request.embed(texts) if part else ()
            opened.set(embed_ms=round((time.perf_counter() - began) * 1000, 3))
            for index, vector in zip(indices, vectors, strict=part is not None):
                self.vectors[index] = vector
                ranking = self.nearest(index, vector)
                found.append(ranking)
                report_candidates(ranking)
            opened.set(candidates=sum(len(r.chunk_ids) for r in found))
        count(candidates_dense=sum(len(r.chunk_ids) for r in found))
        return found

    def nearest(self, index: int, vector: NDArray[np.float32]) -> Ranking:
        """The chunks whose vectors are nearest to one that stands for query ``index``."""
        request = self._request
        query = request.queries[index]
        thinned = bool(query.required or query.excluded)
        ranking = request.stages.dense.search(
            request.snapshot,
            vector,
            request.conditions[index],
            request.k * _OVERFETCH if thinned else request.k,
            query_index=index,
            mode=request.plan.queries[index].mode,
            coverage=understood(query.language, request.stages.languages),
        )
        return self._within_text_conditions(ranking, query) if thinned else ranking

    def _within_text_conditions(self, ranking: Ranking, query: QueryIR) -> Ranking:
        """What ``+``, ``-`` and quotes ask of the text holds for the dense leg too."""
        request = self._request
        try:
            searcher = request.snapshot.searcher
            if searcher is None:
                return ranking
            fits = request.stages.sparse.matching(searcher, query, ranking.chunk_ids)
        except (ExcerptaError, ValueError, OSError) as exc:
            self._out.warnings.append(
                f"queries[{ranking.query_index}]: quotes, + and - could not be applied to "
                f"semantic results ({leg_failure('sparse', exc).code})"
            )
            return replace(
                ranking,
                chunk_ids=ranking.chunk_ids[: request.k],
                scores=ranking.scores[: request.k],
            )
        kept = [row for row, chunk in enumerate(ranking.chunk_ids) if chunk in fits][: request.k]
        self._out.dropped.add("text_condition", (c for c in ranking.chunk_ids if c not in fits))
        return replace(
            ranking,
            chunk_ids=[ranking.chunk_ids[row] for row in kept],
            scores=[ranking.scores[row] for row in kept],
        )


def report_candidates(ranking: Ranking) -> None:
    """Tell the trace what a leg found; the list is made when the trace is written."""
    event(
        EventKind.RETRIEVAL_CANDIDATES,
        source=ranking.leg,
        query_index=ranking.query_index,
        candidates=lambda: [
            {"chunk_id": chunk, "score": score}
            for chunk, score in zip(ranking.chunk_ids, ranking.scores, strict=True)
        ],
    )
