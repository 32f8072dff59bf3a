"""From several rankings to one, without losing what each of them said.

* ``rrf``: reciprocal rank fusion, ``sum weight / (k + rank)`` (Cormack, Clarke, Büttcher 2009).
* ``weighted_sum``: ``sum weight * normalised score / sum weight``. Normalised by the lowest and
  highest score of the ranking, or by the measure's theoretical minimum (Bruch, Gai, Ingber 2023).
* ``none``: rankings one after another; a chunk keeps the score of the first that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from rag_query.contracts.evidence import Leg, LinkStep
from rag_query.contracts.plan import Fusion, FusionMethod, Normalization
from rag_query.providers.registry import Params
from rag_query.retrieval.legs import Ranking

#: Scores that differ by less are equal; the tie breaker decides.
SCORE_DIGITS = 9
_THEORETICAL_MINIMUM: Mapping[Leg, float] = {
    "sparse": 0.0,
    "dense": -1.0,
    "expansion": 0.0,
    "neighbours": -1.0,
}


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
        full_coverage: a leg that understands less of a query than this (``Ranking.coverage``)
            weighs less beside others, ``(coverage / full_coverage) ** coverage_power``: it
            answers another question, most often one in another language. 0 turns that off.
        coverage_power: how quickly it loses weight.
        beside_code: what a leg of meaning weighs beside words that find an identifier of the query
            (``INV-2024-118``, ``parse_args``) in a few chunks: to an embedder one such name is
            much like another.
    """

    method: FusionMethod = "weighted_sum"
    rrf_k: int = Field(60, ge=1, le=10_000)
    weights: LegWeights = Field(default_factory=LegWeights)
    normalization: Normalization = "min_max"
    candidate_k: int = Field(100, ge=1, le=10_000)
    rerank_top_n: int = Field(50, ge=1, le=1000)
    full_coverage: float = Field(0.6, ge=0, le=1)
    coverage_power: float = Field(3.0, ge=0, le=10)
    beside_code: float = Field(0.3, ge=0, le=1)


class Hit(NamedTuple):
    """What one ranking said of a candidate; see ``contracts.evidence.LegSignal``."""

    query_index: int
    leg: Leg
    score: float
    rank: int
    normalized: float | None
    weight: float
    contribution: float
    path: list[LinkStep] | None = None


class Fused(NamedTuple):
    """One candidate after fusion.

    Attributes:
        chunk_id: which.
        score: of the effective method; higher is better.
        rrf_score: reciprocal rank fusion of the same rankings, for comparison.
        hits: what each ranking said, in the order of the rankings.
    """

    chunk_id: str
    score: float
    rrf_score: float
    hits: tuple[Hit, ...]

    def best_query(self) -> int:
        """The query that added most; the earlier of equals."""
        added: dict[int, float] = {}
        for hit in self.hits:
            added[hit.query_index] = added.get(hit.query_index, 0.0) + hit.contribution
        return min(added, key=lambda query: (-added[query], query))

    def contributions(self) -> dict[Leg, float]:
        """Leg -> what it added to the score."""
        added: dict[Leg, float] = {}
        for hit in self.hits:
            added[hit.leg] = added.get(hit.leg, 0.0) + hit.contribution
        return added

    def queries(self) -> list[int]:
        """Every query that found it, the one that added most first."""
        best = self.best_query()
        others = sorted({hit.query_index for hit in self.hits} - {best})
        return [best, *others]


class DefaultFuser:
    """The three methods of RetrievalPlan v0.1."""

    def __init__(self, params: FusionParams) -> None:
        self.params = params

    def trust(
        self, ranking: Ranking, *, names_code: bool = False, by_meaning: bool = False
    ) -> float:
        """How far a ranking counts beside others, 0 to 1; see ``full_coverage`` and
        ``beside_code``.

        Args:
            names_code: whether words find an identifier of the query.
            by_meaning: whether the ranking is of meaning, not of words.
        """
        if names_code:
            return self.params.beside_code if by_meaning else 1.0
        full, power = self.params.full_coverage, self.params.coverage_power
        return 1.0 if ranking.coverage >= full else float((ranking.coverage / full) ** power)

    def fuse(self, rankings: Sequence[Ranking], how: Fusion) -> list[Fused]:
        """All candidates, best first, equal scores by chunk id.

        Args:
            rankings: with their final weights.
            how: effective: method, rrf_k and normalization are set.
        """
        method = how.method or self.params.method
        rrf_k = how.rrf_k or self.params.rrf_k
        normalize = _NORMALIZERS[how.normalization or self.params.normalization]
        total = sum(ranking.weight for ranking in rankings) or 1.0
        hits: dict[str, list[Hit]] = {}
        scores: dict[str, float] = {}
        by_rank: dict[str, float] = {}
        for ranking in rankings:
            index, leg, weight, paths = (
                ranking.query_index,
                ranking.leg,
                ranking.weight,
                ranking.paths,
            )
            scaled = normalize(ranking) if method == "weighted_sum" else None
            for row, (chunk, score) in enumerate(
                zip(ranking.chunk_ids, ranking.scores, strict=True)
            ):
                normal, by_place = None, weight / (rrf_k + row + 1)
                if scaled is not None:
                    normal = scaled[row]
                    added = weight * normal / total
                elif method == "rrf":
                    added = by_place
                else:
                    added = 0.0 if chunk in hits else score
                hit = Hit(index, leg, score, row + 1, normal, weight, added, paths.get(chunk))
                hits.setdefault(chunk, []).append(hit)
                scores[chunk] = scores.get(chunk, 0.0) + added
                by_rank[chunk] = by_rank.get(chunk, 0.0) + by_place
        fused = [
            Fused(chunk, scores[chunk], by_rank[chunk], tuple(found))
            for chunk, found in hits.items()
        ]
        if method == "none":
            # Chunks were met ranking by ranking, best first: that is the order.
            return fused
        return sorted(fused, key=lambda f: (-round(f.score, SCORE_DIGITS), f.chunk_id))


def _min_max(ranking: Ranking) -> list[float]:
    if ranking.leg == "links":
        return list(ranking.scores)  # already shares of a hit's strength
    return _scaled(ranking.scores, min(ranking.scores, default=0.0))


def _theoretical(ranking: Ranking) -> list[float]:
    if ranking.leg == "links":
        return list(ranking.scores)
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
