"""The reranker's contract (DEV_SPEC 3.2.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.evidence import Leg


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate as a reranker sees it.

    Attributes:
        fused_score: what fusion gave it; higher is better.
        title: the document's.
        headings: titles of the sections above it.
        contributions: leg -> what it added to the fused score.
    """

    chunk_id: str
    text: str
    fused_score: float
    title: str = ""
    headings: str = ""
    contributions: Mapping[Leg, float] = field(default_factory=dict)


def scaled(values: Sequence[float]) -> NDArray[np.float64]:
    """Scores from 0 to 1, shape (len(values),), so that those of different measures can be mixed:
    the least becomes 0, the greatest 1; all become 0 where they are equal."""
    given = np.asarray(values, np.float64)
    if not len(given):
        return given
    low, high = given.min(), given.max()
    return (given - low) / (high - low) if high > low else np.zeros_like(given)


class Reranker(Protocol):
    """Scores passages for a question; ``None`` says "keep the order" (no-op).

    Attributes:
        active: false when it never changes an order, so that nothing need be prepared for it.
    """

    @property
    def active(self) -> bool: ...

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None: ...
