"""From several rankings to one, without losing what each of them said.

* ``rrf``: reciprocal rank fusion, ``sum weight / (k + rank)`` (Cormack, Clarke, Büttcher 2009).
* ``weighted_sum``: ``sum weight * normalised score / sum weight``. Normalised by the lowest and
  highest score of the ranking, or by the measure's theoretical minimum (Bruch, Gai, Ingber 2023).
* ``none``: rankings one after another; a chunk keeps the score of the first that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from rag_query.contracts.evidence import Leg, LegSignal
from rag_query.contracts.plan import Fusion, FusionMethod, Normalization
from rag_query.providers.registry import Params
from rag_query.retrieval.legs import Ranking

#: Scores that differ by less are equal; the tie breaker decides.
SCORE_DIGITS = 9
_THEORETICAL_MINIMUM: Mapping[Leg, float] = {"sparse": 0.0, "dense": -1.0}


class LegWeights(Params):
    """Weights of the legs where a plan names none."""

    exact: float = Field(0.5, ge=0, le=1000)
    semantic: float = Field(0.5, ge=0, le=1000)


class FusionParams(Params):
    """``fusion.default``: what a plan leaves open.

    Attributes:
        method: of :class:`~rag_query.contracts.plan.Fusion`.
        rrf_k: RRF's constant.
        weights: of the legs.
        normalization: for ``weighted_sum``.
        candidate_k: candidates each leg of each query recalls.
        rerank_top_n: candidates a reranker sees.
        full_coverage: beside a dense leg, a sparse leg of whose query words the library knows a
            smaller share weighs less in proportion: it answers another question (in another
            language, most often). 0 turns that off.
    """

    method: FusionMethod = "weighted_sum"
    rrf_k: int = Field(60, ge=1, le=10_000)
    weights: LegWeights = Field(default_factory=LegWeights)
    normalization: Normalization = "min_max"
    candidate_k: int = Field(100, ge=1, le=10_000)
    rerank_top_n: int = Field(50, ge=1, le=1000)
    full_coverage: float = Field(0.5, ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Fused:
    """One candidate after fusion.

    Attributes:
        chunk_id: which.
        score: of the effective method; higher is better.
        rrf_score: reciprocal rank fusion of the same rankings, for comparison.
        legs: what each ranking said, in the order of the rankings.
    """

    chunk_id: str
    score: float
    rrf_score: float
    legs: tuple[LegSignal, ...]

    def best_query(self) -> int:
        """The query that added most; the earlier of equals."""
        added: dict[int, float] = {}
        for leg in self.legs:
            added[leg.query_index] = added.get(leg.query_index, 0.0) + leg.contribution
        return min(added, key=lambda query: (-added[query], query))

    def queries(self) -> list[int]:
        """Every query that found it, the one that added most first."""
        best = self.best_query()
        others = sorted({leg.query_index for leg in self.legs} - {best})
        return [best, *others]


class Fuser(Protocol):
    """Provider type ``fusion``."""

    def fuse(self, rankings: Sequence[Ranking], how: Fusion) -> list[Fused]: ...


class DefaultFuser:
    """The three methods of RetrievalPlan v0.1."""

    def __init__(self, params: FusionParams) -> None:
        self.params = params

    def fuse(self, rankings: Sequence[Ranking], how: Fusion) -> list[Fused]:
        """All candidates, best first, equal scores by chunk id.

        Args:
            rankings: with their final weights.
            how: effective: method, rrf_k and normalization are set.
        """
        method = how.method or self.params.method
        rrf_k = how.rrf_k or self.params.rrf_k
        normalize = _NORMALIZERS[how.normalization or self.params.normalization]
        normalized = [normalize(ranking) for ranking in rankings]
        total = sum(r.weight for r in rankings) or 1.0
        signals: dict[str, list[LegSignal]] = {}
        rrf: dict[str, float] = {}
        place: dict[str, float] = {}
        for number, ranking in enumerate(rankings):
            weight = ranking.weight
            for row, chunk in enumerate(ranking.chunk_ids):
                rank = row + 1
                reciprocal = weight / (rrf_k + rank)
                rrf[chunk] = rrf.get(chunk, 0.0) + reciprocal
                if method == "weighted_sum":
                    added = weight * normalized[number][row] / total
                elif method == "rrf":
                    added = reciprocal
                else:
                    added = 0.0 if chunk in place else float(ranking.scores[row])
                place.setdefault(chunk, number)
                signals.setdefault(chunk, []).append(
                    LegSignal(
                        query_index=ranking.query_index,
                        leg=ranking.leg,
                        score=float(ranking.scores[row]),
                        rank=rank,
                        normalized=normalized[number][row] if method == "weighted_sum" else None,
                        weight=weight,
                        contribution=added,
                    )
                )
        fused = [
            Fused(chunk, sum(s.contribution for s in legs), rrf[chunk], tuple(legs))
            for chunk, legs in signals.items()
        ]
        first: Callable[[Fused], float] = (
            (lambda f: place[f.chunk_id]) if method == "none" else (lambda _: 0.0)
        )
        return sorted(fused, key=lambda f: (first(f), -round(f.score, SCORE_DIGITS), f.chunk_id))


def _min_max(ranking: Ranking) -> list[float]:
    return _scaled(ranking.scores, min(ranking.scores, default=0.0))


def _theoretical(ranking: Ranking) -> list[float]:
    return _scaled(ranking.scores, _THEORETICAL_MINIMUM[ranking.leg])


def _scaled(scores: Sequence[float], low: float) -> list[float]:
    """To 0..1; a ranking whose scores are all equal gets 1."""
    high = max(scores, default=0.0)
    if high <= low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


_NORMALIZERS: Mapping[Normalization, Callable[[Ranking], list[float]]] = {
    "min_max": _min_max,
    "theoretical_min_max": _theoretical,
}
