"""Candidates of every leg, side by side, and the fallbacks of DEV_SPEC 3.2.8.2.

| asked | what failed | what runs instead |
|---|---|---|
| semantic | dense | sparse only |
| exact | sparse | dense only |
| hybrid | one of them | the other |
| any | both | the query fails |

Relational and associative queries then set out from what the legs found (``relational.py``,
``associative.py``); when that fails, what the legs found is the answer, and a warning says so.
"""

from __future__ import annotations

import contextvars
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ExcerptaError, classify
from rag_query.contracts.evidence import Leg
from rag_query.contracts.explain import ExpansionTerm, NamedEntity
from rag_query.contracts.plan import Mode, RetrievalPlan
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.library.bm25_schema import BODY
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval import associative, entities, relational
from rag_query.retrieval.chunk_vectors import vectors_of
from rag_query.retrieval.diversity import DropLog
from rag_query.retrieval.filters import Conditions
from rag_query.retrieval.further import MAX_VARIANTS, NAMED_STRENGTH, SEEDS, SHARES
from rag_query.retrieval.hints import read_hints
from rag_query.retrieval.leg_failure import (
    LEG_CODES,
    OTHER,
    leg_failure,
    nothing_ran,
    stand_in_warning,
)
from rag_query.retrieval.legs import Ranking, ordered, strongest
from rag_query.retrieval.preprocess import QueryIR
from rag_query.retrieval.semantic import understood
from rag_query.retrieval.stages import QueryStages
from rag_query.tracing.context import count, event, span

log = logging.getLogger(__name__)

EffectiveMode = Literal["hybrid", "dense_only", "sparse_only"]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: Legs of each mode.
LEGS: dict[Mode, tuple[Leg, ...]] = {
    "exact": ("sparse",),
    "semantic": ("dense",),
    "hybrid": ("sparse", "dense"),
    "relational": ("sparse", "dense"),
    "associative": ("sparse", "dense"),
}
#: What sets out from the hits of those legs.
FOLLOWING: dict[Mode, tuple[Leg, ...]] = {
    "exact": (),
    "semantic": (),
    "hybrid": (),
    "relational": ("links",),
    "associative": ("expansion", "neighbours"),
}
_ORDER: tuple[Leg, ...] = ("sparse", "dense", "links", "expansion", "neighbours")
_SPANS: Mapping[Leg, SpanName] = {
    "links": SpanName.RETRIEVE_LINKS,
    "expansion": SpanName.RETRIEVE_EXPANSION,
    "neighbours": SpanName.RETRIEVE_NEIGHBOURS,
}
#: Where a query's text conditions thin out the dense leg, it recalls so many times more.
_OVERFETCH = 4


@dataclass
class Recalled:
    """What the legs found.

    Attributes:
        rankings: in the order of the queries, sparse before dense, with fusion weights.
        failures: leg -> why it failed.
        effective: what ran, for each query.
        warnings: for the caller.
        dropped: candidates that broke a text condition.
        stage_ms: wall time of each leg.
        seeds: query index -> the hits a relational or associative query set out from.
        expansions: query index -> the terms added to an associative query.
        entities: query index -> what a relational query names.
        neighbours: query index -> whether an associative query's embedding could be moved.
    """

    rankings: list[Ranking] = field(default_factory=list)
    failures: dict[Leg, ExcerptaError] = field(default_factory=dict)
    effective: list[EffectiveMode] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    dropped: DropLog = field(default_factory=DropLog)
    stage_ms: dict[str, float] = field(default_factory=dict)
    seeds: dict[int, list[str]] = field(default_factory=dict)
    expansions: dict[int, list[ExpansionTerm]] = field(default_factory=dict)
    entities: dict[int, list[NamedEntity]] = field(default_factory=dict)
    neighbours: dict[int, bool] = field(default_factory=dict)


class Recall:
    """One plan's recall on one snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        stages: QueryStages,
        plan: RetrievalPlan,
        embed: Embed,
    ) -> None:
        self._snapshot = snapshot
        self._stages = stages
        self._plan = plan
        self._embed = embed
        self._queries: Sequence[QueryIR] = ()
        self._conditions: Sequence[Conditions] = ()
        self._k = plan.budget.candidate_k or stages.fuser.params.candidate_k
        self._vectors: dict[int, NDArray[np.float32]] = {}
        self._out = Recalled()

    def run(
        self, queries: Sequence[QueryIR], conditions: Sequence[Conditions], pool: Executor
    ) -> Recalled:
        """Search with every query; each has its own conditions.

        Raises the first leg's failure when no leg could run.
        """
        self._queries, self._conditions = queries, conditions
        asked = [LEGS[query.mode] for query in self._plan.queries]
        found = self._both(pool, self._of(asked, "sparse"), self._of(asked, "dense"))
        if self._out.failures:
            self._fall_back(asked, found)
        following = self._following(found)
        order = sorted([*found, *following], key=lambda r: (r.query_index, _ORDER.index(r.leg)))
        named = {ranking.query_index for ranking in order if ranking.identifiers}
        self._out.rankings = [self._weighed(ranking, asked, named) for ranking in order]
        for index in range(len(asked)):
            legs = {r.leg for r in found if r.query_index == index}
            self._out.effective.append(
                "hybrid" if len(legs) > 1 else "dense_only" if "dense" in legs else "sparse_only"
            )
        return self._out

    def _both(self, pool: Executor, sparse: list[int], dense: list[int]) -> list[Ranking]:
        if not (sparse and dense):
            return self._guarded("sparse", sparse) + self._guarded("dense", dense)
        context = contextvars.copy_context()
        other = pool.submit(context.run, self._guarded, "sparse", sparse)
        found = self._guarded("dense", dense)
        return other.result() + found

    def _fall_back(self, asked: Sequence[tuple[Leg, ...]], found: list[Ranking]) -> None:
        """Let the other leg stand in for queries that asked for one that failed."""
        for failed in list(self._out.failures):
            other = OTHER[failed]
            if other not in self._out.failures:
                alone = [index for index, legs in enumerate(asked) if legs == (failed,)]
                found.extend(self._guarded(other, alone))
        failures = self._out.failures
        if len(failures) == len(LEG_CODES):
            raise nothing_ran(failures, first=asked[0][0])
        for failed, failure in failures.items():
            self._out.warnings.append(stand_in_warning(failed, failure))
            payload = {
                f"{failed}_failed": str(failure.code),
                "retrieval_mode_effective": f"{OTHER[failed]}_only",
            }
            event(EventKind.FALLBACK, **payload)

    def _guarded(self, leg: Leg, indices: list[int]) -> list[Ranking]:
        """A leg over its queries; a failure is kept in ``failures``."""
        if not indices:
            return []
        with self._timed(leg):
            try:
                return self._sparse(indices) if leg == "sparse" else self._dense(indices)
            except Exception as exc:
                self._out.failures[leg] = leg_failure(leg, exc)
                return []

    @contextmanager
    def _timed(self, leg: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            took = (time.perf_counter() - began) * 1000
            stage = f"retrieve_{leg}"
            self._out.stage_ms[stage] = self._out.stage_ms.get(stage, 0.0) + took

    def _following(self, found: Sequence[Ranking]) -> list[Ranking]:
        """Rankings of what sets out from each query's best hits."""
        rankings: list[Ranking] = []
        for index, query in enumerate(self._plan.queries):
            for leg in FOLLOWING[query.mode]:
                seeds = strongest([r for r in found if r.query_index == index], SEEDS)
                self._out.seeds[index] = list(seeds)
                follow = {
                    "links": self._walked,
                    "expansion": self._expanded,
                    "neighbours": self._moved,
                }[leg]
                with self._timed(leg):
                    try:
                        with span(_SPANS[leg], top_k=self._k, query_index=index) as opened:
                            following = follow(index, seeds)
                            opened.set(candidates=sum(len(r.chunk_ids) for r in following))
                        rankings += following
                    except Exception as exc:
                        self._not_followed(leg, index, exc)
        for ranking in rankings:
            _report(ranking)
        return rankings

    def _not_followed(self, leg: str, index: int, fault: Exception) -> None:
        log.warning("%s failed", leg, exc_info=fault)
        code = classify(fault).code
        self._out.warnings.append(f"{leg}_failed: queries[{index}] ran as hybrid ({code})")
        event(EventKind.FALLBACK, query_index=index, **{f"{leg}_failed": str(code)})

    def _walked(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        searcher = self._snapshot.searcher
        if searcher is None:
            return []

        def allowed(chunk_ids: Sequence[str]) -> set[str]:
            return self._stages.sparse.matching(
                searcher, self._queries[index], chunk_ids, self._conditions[index]
            )

        names = [self._queries[index].sparse_query_expr, *read_hints(self._hints(index)).entities]
        named = entities.named(
            names, searcher, self._snapshot.served, self._conditions[index], allowed
        )
        self._out.entities[index] = named
        starts = {**seeds, **{entity.chunk_id: NAMED_STRENGTH for entity in named}}
        walked = relational.walk(self._snapshot.links, starts, allowed)
        return [relational.ranking(walked, self._k, query_index=index)]

    def _expanded(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        searcher = self._snapshot.searcher
        if searcher is None:
            return []
        query = self._queries[index]
        total = searcher.num_docs

        def rarity(token: str) -> float:
            return (searcher.doc_freq(BODY, token) + 0.5) / (total + 1)

        terms = associative.expansion_terms(query, seeds, self._snapshot.served, rarity)
        self._out.expansions[index] = terms
        if not terms:
            return []
        expanded, factors = associative.expanded(query, terms)
        result = self._stages.sparse.search(
            searcher,
            expanded,
            self._conditions[index],
            self._k,
            query_index=index,
            mode="associative",
            factors=factors,
        )
        return [replace(result.ranking, leg="expansion", coverage=1.0)]

    def _moved(self, index: int, seeds: Mapping[str, float]) -> list[Ranking]:
        """The neighbours of the question moved towards its hits, and of its variants."""
        question = self._vectors.get(index)
        self._out.neighbours[index] = False
        if question is None or "dense" in self._out.failures:
            return []
        query = self._queries[index]
        vectors = [associative.moved(question, vectors_of(self._snapshot, list(seeds)), seeds)]
        if variants := list(query.variants[:MAX_VARIANTS]):
            vectors += list(self._embed(variants))
        best: dict[str, float] = {}
        for vector in vectors:
            if vector is None:
                continue
            found = self._search_dense(index, vector)
            for chunk, score in zip(found.chunk_ids, found.scores, strict=True):
                best[chunk] = max(score, best.get(chunk, -1.0))
        if not best:
            return []
        self._out.neighbours[index] = True
        chunks, scores = ordered(list(best), list(best.values()))
        return [Ranking(index, "associative", "neighbours", chunks[: self._k], scores[: self._k])]

    def _hints(self, index: int) -> dict[str, Any]:
        return self._plan.queries[index].hints

    def _sparse(self, indices: list[int]) -> list[Ranking]:
        part = self._snapshot.manifest.bm25
        found: list[Ranking] = []
        with span(
            SpanName.RETRIEVE_SPARSE,
            self._stages.refs["retrieve_sparse"],
            top_k=self._k,
            fts_profile_id=part.analysis_profile_id if part else None,
        ) as opened:
            searcher = self._snapshot.searcher
            for index in indices:
                if searcher is None:
                    break
                result = self._stages.sparse.search(
                    searcher,
                    self._queries[index],
                    self._conditions[index],
                    self._k,
                    query_index=index,
                    mode=self._plan.queries[index].mode,
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
                _report(result.ranking)
            opened.set(candidates=sum(len(r.chunk_ids) for r in found))
        count(candidates_sparse=sum(len(r.chunk_ids) for r in found))
        return found

    def _dense(self, indices: list[int]) -> list[Ranking]:
        part = self._snapshot.manifest.vector
        found: list[Ranking] = []
        with span(
            SpanName.RETRIEVE_DENSE,
            self._stages.refs["retrieve_dense"],
            top_k=self._k,
            vector_index_id=f"{part.table}@{part.version}" if part else None,
        ) as opened:
            began = time.perf_counter()
            texts = [self._queries[index].dense_query_text for index in indices]
            # Without a vector nothing was ever embedded, and there is nothing to find.
            vectors = self._embed(texts) if part else ()
            opened.set(embed_ms=round((time.perf_counter() - began) * 1000, 3))
            for index, vector in zip(indices, vectors, strict=part is not None):
                self._vectors[index] = vector
                ranking = self._search_dense(index, vector)
                found.append(ranking)
                _report(ranking)
            opened.set(candidates=sum(len(r.chunk_ids) for r in found))
        count(candidates_dense=sum(len(r.chunk_ids) for r in found))
        return found

    def _search_dense(self, index: int, vector: NDArray[np.float32]) -> Ranking:
        query = self._queries[index]
        thinned = bool(query.required or query.excluded)
        ranking = self._stages.dense.search(
            self._snapshot,
            vector,
            self._conditions[index],
            self._k * _OVERFETCH if thinned else self._k,
            query_index=index,
            mode=self._plan.queries[index].mode,
            coverage=understood(query.language, self._stages.languages),
        )
        return self._within_text_conditions(ranking, query) if thinned else ranking

    def _within_text_conditions(self, ranking: Ranking, query: QueryIR) -> Ranking:
        """What ``+``, ``-`` and quotes ask of the text holds for the dense leg too."""
        try:
            searcher = self._snapshot.searcher
            if searcher is None:
                return ranking
            fits = self._stages.sparse.matching(searcher, query, ranking.chunk_ids)
        except (ExcerptaError, ValueError, OSError) as exc:
            self._out.warnings.append(
                f"queries[{ranking.query_index}]: quotes, + and - could not be applied to "
                f"semantic results ({leg_failure('sparse', exc).code})"
            )
            return replace(
                ranking, chunk_ids=ranking.chunk_ids[: self._k], scores=ranking.scores[: self._k]
            )
        kept = [row for row, chunk in enumerate(ranking.chunk_ids) if chunk in fits][: self._k]
        self._out.dropped.add("text_condition", (c for c in ranking.chunk_ids if c not in fits))
        return replace(
            ranking,
            chunk_ids=[ranking.chunk_ids[row] for row in kept],
            scores=[ranking.scores[row] for row in kept],
        )

    def _weighed(
        self, ranking: Ranking, asked: Sequence[tuple[Leg, ...]], named: set[int]
    ) -> Ranking:
        """The ranking with its weight in fusion: query, leg and mode multiply.

        Args:
            named: the queries with an identifier that stands in a few chunks.
        """
        weights = self._plan.ranking.fusion.weights
        query = self._plan.queries[ranking.query_index]
        by_meaning = ranking.leg in ("dense", "neighbours")
        leg = weights.semantic if by_meaning else weights.exact
        mode = None if query.mode in ("exact", "semantic") else getattr(weights, query.mode)
        weight = query.weight * (1.0 if leg is None else leg) * (1.0 if mode is None else mode)
        weight *= SHARES.get(ranking.leg, 1.0)
        if len(asked[ranking.query_index]) > 1:  # What stands alone counts in full.
            weight *= self._stages.fuser.trust(
                ranking, names_code=ranking.query_index in named, by_meaning=by_meaning
            )
        return replace(ranking, weight=weight)

    @staticmethod
    def _of(asked: Sequence[tuple[Leg, ...]], leg: Leg) -> list[int]:
        return [index for index, legs in enumerate(asked) if leg in legs]


def _report(ranking: Ranking) -> None:
    event(
        EventKind.RETRIEVAL_CANDIDATES,
        source=ranking.leg,
        query_index=ranking.query_index,
        candidates=lambda: [
            {"chunk_id": chunk, "score": score}
            for chunk, score in zip(ranking.chunk_ids, ranking.scores, strict=True)
        ],
    )
