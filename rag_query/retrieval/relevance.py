"""The score of an ordered candidate on one scale, and what soft preferences add to it.

``relevance`` is 0 to 1 whatever ordered the list:

* by fusion: the fused score over the best one;
* by a reranker: 0.5 and up by its score between the lowest and the highest it gave; what it did
  not see stays below, at half its fused share;
* by order alone (fusion ``none``): 1 for the first, falling evenly to 0.

A soft preference (DEV_SPEC 3.2.5.2, rerank stage) drops nothing and adds
``weight * feature`` to it:

| preference | feature, 0 to 1 | missing |
|---|---|---|
| ``recent`` | when the document was first seen: 0 the oldest candidate, 1 the newest | no boost |
| ``official`` | 1 when the document has one of :data:`OFFICIAL_TAGS` | no boost |
| ``has_image`` | 1 when the chunk shows an image | no boost |

``final_score = relevance + sum of the boosts`` orders the list; equal scores keep their order. At
:data:`PREFERENCE_WEIGHT` a preference decides between candidates that are within a tenth of the
best one's score, and cannot lift what is far from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from rag_query.contracts.evidence import Boost, Preference
from rag_query.contracts.plan import FusionMethod
from rag_query.retrieval.fusion import SCORE_DIGITS
from rag_query.retrieval.pack import Candidate

PREFERENCE_WEIGHT = 0.1
#: Tags by which a document counts as official, in lower case.
OFFICIAL_TAGS = frozenset({"official", "官方", "正式"})


def relevance(candidates: Sequence[Candidate], method: FusionMethod | None) -> list[float]:
    """One number for each candidate, 0 to 1; see the module's text.

    Args:
        candidates: in their order so far.
        method: of the fusion.
    """
    given = [c.rerank_score for c in candidates if c.rerank_score is not None]
    best = max((c.fused.score for c in candidates), default=0.0)
    last = max(1, len(candidates) - 1)
    low, high = (min(given), max(given)) if given else (0.0, 0.0)

    def of(place: int, candidate: Candidate) -> float:
        if candidate.rerank_score is not None:
            share = (candidate.rerank_score - low) / (high - low) if high > low else 1.0
            return 0.5 + share / 2
        fused = max(0.0, candidate.fused.score) / best if best > 0 else 0.0
        if method == "none":
            fused = 1 - place / last
        return fused / 2 if given else fused

    return [of(place, candidate) for place, candidate in enumerate(candidates)]


def prefer(
    candidates: Sequence[Candidate],
    preferences: Collection[Preference],
    method: FusionMethod | None,
) -> list[Candidate]:
    """The candidates with their boosts, in the order of ``final_score``."""
    features = {name: FEATURES[name](candidates) for name in FEATURES if name in preferences}
    boosted = []
    for row, (candidate, base) in enumerate(
        zip(candidates, relevance(candidates, method), strict=True)
    ):
        boosts = tuple(
            Boost(
                name=name,
                feature=round(values[row], 6),
                weight=PREFERENCE_WEIGHT,
                added=round(PREFERENCE_WEIGHT * values[row], 6),
            )
            for name, values in features.items()
        )
        final = base + sum(boost.added for boost in boosts)
        boosted.append(replace(candidate, boosts=boosts, final_score=final))
    if "recent" in features:
        boosted = [
            replace(candidate, recency=value)
            for candidate, value in zip(boosted, features["recent"], strict=True)
        ]
    return sorted(boosted, key=lambda c: -round(c.final_score or 0.0, SCORE_DIGITS))


def recency(candidates: Sequence[Candidate]) -> list[float]:
    """0 for the oldest candidate to 1 for the newest; 0 for all when none is newer."""
    times = [candidate.created_at.timestamp() for candidate in candidates]
    oldest, width = min(times, default=0.0), max(times, default=0.0) - min(times, default=0.0)
    return [(moment - oldest) / width if width else 0.0 for moment in times]


def _official(candidates: Sequence[Candidate]) -> list[float]:
    return [float(any(t.lower() in OFFICIAL_TAGS for t in c.tags)) for c in candidates]


def _has_image(candidates: Sequence[Candidate]) -> list[float]:
    return [float(bool(c.asset_ids)) for c in candidates]


FEATURES: dict[Preference, Callable[[Sequence[Candidate]], list[float]]] = {
    "recent": recency,
    "official": _official,
    "has_image": _has_image,
}
