"""The embedding space of a strategy, without loading a model."""

from __future__ import annotations

from rag_assets.context import StageContext
from rag_query.contracts.snapshot import EmbeddingSpace


def space_of(ctx: StageContext) -> EmbeddingSpace:
    """The space the strategy's embedder puts vectors into.

    An embedder is built from its model's card and loads weights only when it first embeds, so
    this is cheap once the model's folder exists.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE``.
    """
    return ctx.embedder.card.space
