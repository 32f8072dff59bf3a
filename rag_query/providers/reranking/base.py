"""The reranker's contract (DEV_SPEC 3.2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate as a reranker sees it."""

    chunk_id: str
    text: str
    fused_score: float


class Reranker(Protocol):
    """Scores passages for a question; ``None`` says "keep the order" (no-op).

    Attributes:
        active: false when it never changes an order, so that nothing need be prepared for it.
    """

    @property
    def active(self) -> bool: ...

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None: ...
