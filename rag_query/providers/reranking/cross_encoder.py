"""``reranker.cross_encoder``: any sentence-transformers cross-encoder, by name or by path."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register
from rag_query.providers.reranking.base import Passage


class CrossEncoderParams(Params):
    """Parameters of ``reranker.cross_encoder``; ``device`` ``auto`` takes a GPU if there is one."""

    model: str = Field(min_length=1, description="name on the model hub, or a folder")
    device: str = "auto"
    batch_size: int = Field(16, ge=1, le=1024)
    max_tokens: int = Field(512, ge=8, le=32_768, description="of question and passage together")


class CrossEncoderReranker:
    """Loaded on first use; calls from several threads take turns."""

    active = True

    def __init__(self, params: CrossEncoderParams) -> None:
        self._params = params
        self._lock = threading.Lock()

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        """The model's score of each passage.

        Raises:
            ExcerptaError: ``MODEL_UNAVAILABLE`` when the model cannot be loaded.
        """
        with self._lock:
            scores = self._model.predict(
                [(query, passage.text) for passage in passages],
                batch_size=self._params.batch_size,
                show_progress_bar=False,
            )
        return [float(score) for score in scores]

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import CrossEncoder

        device = None if self._params.device == "auto" else self._params.device
        try:
            return CrossEncoder(
                self._params.model, device=device, max_length=self._params.max_tokens
            )
        except (OSError, ValueError, RuntimeError) as exc:
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                f"The reranking model {self._params.model!r} could not be loaded: {exc}",
                hint="Check the strategy's `model` and `device` under `rerank`.",
            ) from exc


register(
    "reranker.cross_encoder", version="1", params=CrossEncoderParams, build=CrossEncoderReranker
)
