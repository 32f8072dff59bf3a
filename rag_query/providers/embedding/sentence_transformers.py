"""``embedder.sentence_transformers``: torch, for a GPU or a model OpenVINO cannot convert."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.providers.embedding.folder import ModelFolder
from rag_query.providers.embedding.local import LocalEmbedder
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.params import EmbedderParams
from rag_query.providers.embedding.torch_model import load_model
from rag_query.providers.embedding.vectors import normalized
from rag_query.providers.registry import register


class SentenceTransformersParams(EmbedderParams):
    """``device``: ``auto`` takes a GPU when there is one."""

    device: str = "auto"
    batch_size: int = Field(32, ge=1, le=4096)


class SentenceTransformersEmbedder(LocalEmbedder):
    """Loaded on first use; calls from several threads take turns."""

    def __init__(self, folder: ModelFolder, params: SentenceTransformersParams) -> None:
        super().__init__(folder, params)
        self._params = params
        self._lock = threading.Lock()
        self._texts_cut = 0

    @property
    def texts_cut(self) -> int:
        return self._texts_cut

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self._card.dimensions), np.float32)
        with self._lock:
            model = self._model
            try:
                vectors = model.encode(
                    texts,
                    batch_size=self._params.batch_size,
                    # Prefixes are added above, whatever prompt the folder has by default.
                    prompt="",
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
                self._texts_cut += _longer(model, texts)
            except (RuntimeError, ValueError, TypeError) as exc:
                raise ExcerptaError(
                    ErrorCode.EMBED_FAILED,
                    f"{self._card.embedder_id} could not embed {len(texts)} texts: {exc}",
                    # torch reports a full GPU as a RuntimeError.
                    transient=isinstance(exc, RuntimeError),
                ) from exc
        return normalized(np.asarray(vectors, np.float32), self._card)

    @cached_property
    def _model(self) -> Any:
        device = None if self._params.device == "auto" else self._params.device
        try:
            model = load_model(str(self._folder.path), device=device)
        except (OSError, ValueError, RuntimeError) as exc:
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                f"The embedding model {self._card.embedder_id!r} could not be loaded: {exc}",
                hint="Check the strategy's `model` and `device`.",
            ) from exc
        model.max_seq_length = self._card.max_tokens
        return model


def _longer(model: Any, texts: Sequence[str]) -> int:
    """How many of ``texts`` the model takes only the beginning of."""
    # No token is shorter than a character.
    long = [text for text in texts if len(text) >= model.max_seq_length - 1]
    ids = model.tokenizer(long, verbose=False)["input_ids"] if long else []
    return sum(len(found) > model.max_seq_length for found in ids)


def _build(params: SentenceTransformersParams, *, home: Home) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(ensure_model(params.model, home.models), params)


register(
    "embedder.sentence_transformers",
    version="1",
    params=SentenceTransformersParams,
    build=_build,
)
