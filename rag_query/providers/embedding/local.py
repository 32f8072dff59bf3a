"""Embedders whose model lies in a folder of this machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.providers.embedding.folder import ModelFolder
from rag_query.providers.embedding.params import EmbedderParams
from rag_query.providers.embedding.tokens import ModelTokens


class LocalEmbedder(Embedder):
    """What the engines have in common: the model's card, its tokenizer, its prefixes."""

    def __init__(self, folder: ModelFolder, params: EmbedderParams) -> None:
        self._folder = folder
        self._card = params.card(folder)
        self._tokens = ModelTokens(folder)

    @property
    def card(self) -> ModelCard:
        return self._card

    @property
    def tokens(self) -> ModelTokens:
        """The model's own tokens in a text."""
        return self._tokens

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._card.passage_prefix + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self._card.query_prefix + text for text in texts])

    @abstractmethod
    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of texts that have their prefix, as :class:`Embedder` gives them."""
