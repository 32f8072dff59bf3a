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
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace

from rag_query.contracts.errors import classify
from rag_query.contracts.evidence import Leg
from rag_query.contracts.trace import EventKind
from rag_query.retrieval.first_legs import FirstLegs, RecallRequest, report_candidates
from rag_query.retrieval.following_legs import FollowingLegs
from rag_query.retrieval.further import SEEDS, SHARES
from rag_query.retrieval.leg_failure import (
    LEG_CODES,
    OTHER,
    leg_failure,
    nothing_ran,
    stand_in_warning,
)
from rag_query.retrieval.legs import Ranking, strongest
from rag_query.retrieval.recalled import FOLLOWING, LEGS, Recalled
from rag_query.tracing.context import event

log = logging.getLogger(__name__)

_ORDER: tuple[Leg, ...] = ("sparse", "dense", "links", "expansion", "neighbours")


class Recall:
    """One plan's recall on one snapshot."""

    def __init__(self, request: RecallRequest) -> None:
        self._request = request
        self._out = Recalled()
        self._first = FirstLegs(request, self._out)
        self._further = FollowingLegs(request, self._first, self._out)
        #: Those each query of the plan asks for.
        self._legs = [LEGS[query.mode] for query in request.plan.queries]

    def run(self, pool: Executor) -> Recalled:
        """Search with every query, by words in a thread of ``pool`` where both legs are asked.

        Raises the first leg's failure when no leg could run.
        """
        found = self._both(pool, self._queries_with("sparse"), self._queries_with("dense"))
        if self._out.failures:
            self._fall_back(found)
        following = self._following(found)
        order = sorted([*found, *following], key=lambda r: (r.query_index, _ORDER.index(r.leg)))
        named = {ranking.query_index for ranking in order if ranking.identifiers}
        self._out.rankings = [self._weighed(ranking, named) for ranking in order]
        for index in range(len(self._legs)):
            legs = {r.leg for r in found if r.query_index == index}
            self._out.effective.append(
                "hybrid" if len(legs) > 1 else "dense_only" if "dense" in legs else "sparse_only"
            )
        return self._out

    def _queries_with(self, leg: Leg) -> list[int]:
        """Indices of the queries that ask for a leg."""
        return [index for index, legs in enumerate(self._legs) if leg in legs]

    def _both(self, pool: Executor, sparse: list[int], dense: list[int]) -> list[Ranking]:
        if not (sparse and dense):
            return self._guarded("sparse", sparse) + self._guarded("dense", dense)
        context = contextvars.copy_context()
        other = pool.submit(context.run, self._guarded, "sparse", sparse)
        found = self._guarded("dense", dense)
        return other.result() + found

    def _fall_back(self, found: list[Ranking]) -> None:
        """Let the other leg stand in for queries that asked for one that failed."""
        for failed in list(self._out.failures):
            other = OTHER[failed]
            if other not in self._out.failures:
                alone = [index for index, legs in enumerate(self._legs) if legs == (failed,)]
                found.extend(self._guarded(other, alone))
        failures = self._out.failures
        if len(failures) == len(LEG_CODES):
            raise nothing_ran(failures, first=self._legs[0][0])
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
                search = self._first.sparse if leg == "sparse" else self._first.dense
                return search(indices)
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
        for index, query in enumerate(self._request.plan.queries):
            for leg in FOLLOWING[query.mode]:
                seeds = strongest([r for r in found if r.query_index == index], SEEDS)
                self._out.seeds[index] = list(seeds)
                with self._timed(leg):
                    try:
                        rankings += self._further.follow(leg, index, seeds)
                    except Exception as exc:
                        self._not_followed(leg, index, exc)
        for ranking in rankings:
            report_candidates(ranking)
        return rankings

    def _not_followed(self, leg: str, index: int, fault: Exception) -> None:
        log.warning("%s failed", leg, exc_info=fault)
        code = classify(fault).code
        self._out.warnings.append(f"{leg}_failed: queries[{index}] ran as hybrid ({code})")
        event(EventKind.FALLBACK, query_index=index, **{f"{leg}_failed": str(code)})

    def _weighed(self, ranking: Ranking, named: set[int]) -> Ranking:
        """The ranking with its weight in fusion: query, leg and mode multiply.

        Args:
            named: the queries with an identifier that stands in a few chunks.
        """
        weights = self._request.plan.ranking.fusion.weights
        query = self._request.plan.queries[ranking.query_index]
        by_meaning = ranking.leg in ("dense", "neighbours")
        leg = weights.semantic if by_meaning else weights.exact
        weight = query.weight * (1.0 if leg is None else leg) * weights.of_mode(query.mode)
        weight *= SHARES.get(ranking.leg, 1.0)
        if len(self._legs[ranking.query_index]) > 1:  # What stands alone counts in full.
            weight *= self._request.stages.fuser.trust(
                ranking, names_code=ranking.query_index in named, by_meaning=by_meaning
            )
        return replace(ranking, weight=weight)
