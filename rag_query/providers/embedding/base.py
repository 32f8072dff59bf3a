"""The embedder's contract: one engine embeds documents and questions (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.text.canonical import DEFAULT_PROFILE
from rag_query.text.ids import profile_id


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What retrieval must know of a model.

    Attributes:
        embedder_id: name of the model, for example ``multilingual-e5-small``.
        embedder_version: fingerprint of weights and of whatever else decides the vectors
            (pooling, prefixes, maximum tokens); not of the engine that computes them.
        dimensions: width of a vector.
        max_tokens: longer texts are cut.
        languages: ISO 639-1 codes the model was trained for; ``*`` for many.
    """

    embedder_id: str
    embedder_version: str
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...]
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in, with the project's canonical text profile."""
        key = {
            "embedder_id": self.embedder_id,
            "embedder_version": self.embedder_version,
            "text_norm_profile_id": DEFAULT_PROFILE.id,
            "dimensions": self.dimensions,
        }
        return EmbeddingSpace(space_id=profile_id(key), **key)


class Embedder(Protocol):
    """Turns texts into vectors of one space.

    Both methods return float32 of shape (len(texts), dimensions), L2-normalised, in the order
    given; an empty sequence gives shape (0, dimensions). Prefixes are added inside. Where the model
    runs in this process there may be a ``load()`` too, which does ahead what the first call would;
    where it is a service, ``batch_size``, the texts of one request, ``parallel``, the calls that
    may be under way at once, ``price`` of a million tokens, and ``retries``, made inside.
    ``texts_cut``, of an embedder that knows, counts the texts so far that its model takes only
    the beginning of.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` when the model cannot be loaded, ``EMBED_FAILED``
            when a call fails (``transient`` says whether to retry).
    """

    @property
    def card(self) -> ModelCard: ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
