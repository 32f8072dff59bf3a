"""Parameters every embedder shares: which model, and what to say differently about it."""

from __future__ import annotations

from pydantic import Field

from rag_query.providers.embedding.base import ModelCard
from rag_query.providers.embedding.folder import ModelFolder
from rag_query.providers.registry import Params

DEFAULT_MODEL = "multilingual-e5-small"


class EmbedderParams(Params):
    """``model`` is a shipped name, a folder or a hub name; ``None`` takes the model's own value."""

    model: str = Field(DEFAULT_MODEL, min_length=1)
    max_tokens: int | None = Field(None, ge=8, le=131_072)
    query_prefix: str | None = None
    passage_prefix: str | None = None
    languages: tuple[str, ...] | None = None

    def card(self, folder: ModelFolder) -> ModelCard:
        """The model's card under these parameters."""
        return folder.card(
            max_tokens=self.max_tokens,
            query_prefix=self.query_prefix,
            passage_prefix=self.passage_prefix,
            languages=self.languages,
        )
