"""``embedder.hashed_words``: vectors of hashed words for tests, without loading any model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rag_assets.providers  # noqa: F401  (what the default strategy names)
from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.providers.registry import REGISTRY, Params, register
from rag_query.strategies.strategy import StageConfig, Strategy, load_strategy
from rag_query.text.ids import sha256_text

DIMENSIONS = 64


class HashedWordsEmbedder(Embedder):
    """Vectors of hashed words: texts that share words are near, equal texts are equal."""

    def __init__(self, dimensions: int = DIMENSIONS, version: str = "1") -> None:
        self._card = ModelCard("hashed-words", version, dimensions, 512, ("*",))

    @property
    def card(self) -> ModelCard:
        return self._card

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self._card.dimensions), np.float32)
        for row, text in enumerate(texts):
            words = re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()) or [text]
            for word in words:
                digest = int(sha256_text(self._card.embedder_version + word)[:16], 16)
                vectors[row, digest % self._card.dimensions] += 1.0 if digest >> 63 else -1.0
                vectors[row, (digest >> 20) % self._card.dimensions] += 0.5
            # Opposite words can cancel out; a unit vector is promised for every text.
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)


class HashedWordsParams(Params):
    dimensions: int = DIMENSIONS
    version: str = "1"


def _build_embedder(params: HashedWordsParams, **_: Any) -> HashedWordsEmbedder:
    return HashedWordsEmbedder(params.dimensions, params.version)


if "embedder.hashed_words" not in REGISTRY.ids():
    register("embedder.hashed_words", version="1", params=HashedWordsParams, build=_build_embedder)


def small_strategy(**embedder: Any) -> Strategy:
    """The default strategy with the hashed-words embedder (``dimensions``, ``version``)."""
    strategy = load_strategy("default")
    stage = StageConfig(provider="embedder.hashed_words", params=embedder)
    return strategy.model_copy(
        update={"stages": strategy.stages.model_copy(update={"embedder": stage})}
    )
