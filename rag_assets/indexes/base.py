"""The two kinds of index a strategy can name (DEV_SPEC 3.1.6, 3.4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult


class VectorIndex(Protocol):
    """Provider type ``vector_index``."""

    def update(self, ctx: StageContext, shard: str) -> StageResult:
        """Make the index hold exactly the indexed chunks of one shard.

        ``computed`` counts rows written, ``unchanged`` rows that stood, ``dropped`` rows removed.
        """
        ...

    def rewrite(self, ctx: StageContext) -> None:
        """Write every live row anew, so that the newest state shares no file with older ones and
        holds nothing of rows that were deleted."""
        ...


class Bm25Index(Protocol):
    """Provider type ``bm25_index``."""

    def update(self, ctx: StageContext, shards: Sequence[str]) -> dict[str, StageResult]:
        """The same for several shards in one new generation."""
        ...

    def rewrite(self, ctx: StageContext) -> None:
        """See :meth:`VectorIndex.rewrite`."""
        ...
