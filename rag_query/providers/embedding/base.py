"""The embedder's contract: one engine embeds documents and questions (DESIGN 9)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.providers.json_client import Retries
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


class Embedder(ABC):
    """Turns texts into vectors of one space. Providers derive from it.

    Both ``embed`` methods return float32 of shape (len(texts), dimensions), L2-normalised, in the
    order given; an empty sequence gives shape (0, dimensions). Prefixes are added inside. The
    members after them have defaults, those of a model that runs in this process.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` when the model cannot be loaded, ``EMBED_FAILED``
            when a call fails (``transient`` says whether to retry).
    """

    @property
    @abstractmethod
    def card(self) -> ModelCard: ...

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    @abstractmethod
    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def load(self) -> None:  # noqa: B027  (nothing is what most have to do)
        """Do ahead what the first call would; nothing where the model runs elsewhere.

        Raises:
            ExcerptaError: ``MODEL_UNAVAILABLE``.
        """

    @property
    def request_texts(self) -> int | None:
        """Texts of one request to a service; a call with more makes several, and loses all their
        vectors when one fails. None where a call makes no requests."""
        return None

    @property
    def parallel(self) -> int:
        """Calls that may be under way at once, at least 1."""
        return 1

    @property
    def price(self) -> float | None:
        """Of a million tokens; None where nobody said."""
        return None

    @property
    def retries(self) -> Retries | None:
        """Requests that the embedder made again by itself, of all calls so far; None where it makes
        none."""
        return None

    @property
    def texts_cut(self) -> int | None:
        """Texts so far that are longer than the model takes; None where nobody knows."""
        return None

    @property
    def precision(self) -> str | None:
        """What vectors are computed in on this machine; None where nobody knows."""
        return None


def checked(built: object) -> Embedder:
    """What the provider of the stage ``embedder`` built.

    Raises ExcerptaError ``INVALID_STRATEGY`` when it is none: an object that only has the methods
    of one would fail later, on a member that has a default.
    """
    if isinstance(built, Embedder):
        return built
    kind = type(built)
    raise ExcerptaError(
        ErrorCode.INVALID_STRATEGY,
        f"The stage 'embedder' names a provider that builds no embedder, but "
        f"{kind.__module__}.{kind.__qualname__}.",
        hint=f"Name an embedder. One of your own derives from {Embedder.__module__}.Embedder.",
    )
