"""Vectors of single tokens, from the graph that pools them into the vector of a text."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import ModelCard
from rag_query.providers.embedding.openvino_ir import openvino
from rag_query.providers.embedding.pieces import TextEncoder

_RANK = 3  # (batch, tokens, width)


class TokenVectors(Protocol):
    """float32 vectors of shape (tokens, width), L2-normalised; special tokens are left out.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` or ``EMBED_FAILED``.
    """

    def of_query(self, text: str) -> NDArray[np.float32]: ...

    def of_passages(self, texts: Sequence[str], max_tokens: int) -> list[NDArray[np.float32]]: ...


@runtime_checkable
class HasTokenVectors(Protocol):
    """An embedder that shows the vectors of its tokens; a remote one does not."""

    @property
    def card(self) -> ModelCard: ...

    @property
    def token_vectors(self) -> TokenVectors: ...


class OpenVinoTokenVectors:
    """The encoder of an IR file, without its pooling. Loaded on first use; calls take turns.

    Args:
        graph: the IR file.
        properties: of the compilation, as the embedder's own.
    """

    def __init__(
        self, graph: Path, card: ModelCard, encoder: TextEncoder, properties: dict[str, Any]
    ) -> None:
        self._graph = graph
        self._card = card
        self._encoder = encoder
        self._properties = properties
        self._lock = threading.Lock()

    def of_query(self, text: str) -> NDArray[np.float32]:
        (found,) = self._embed([self._card.query_prefix + text], self._card.max_tokens)
        return found

    def of_passages(self, texts: Sequence[str], max_tokens: int) -> list[NDArray[np.float32]]:
        prefix = self._card.passage_prefix
        return self._embed([prefix + text for text in texts], max_tokens)

    def _embed(self, texts: Sequence[str], max_tokens: int) -> list[NDArray[np.float32]]:
        with self._lock:
            try:
                request = self._compiled.create_infer_request()
                encoded = self._encoder.encode(texts)
                return [self._one(request, ids[:max_tokens]) for ids in encoded]
            except (RuntimeError, TypeError, ValueError) as exc:
                raise ExcerptaError(
                    ErrorCode.EMBED_FAILED,
                    f"{self._card.embedder_id} could not embed the tokens of {len(texts)} texts: "
                    f"{exc}",
                ) from exc

    def _one(self, request: Any, encoded: list[int]) -> NDArray[np.float32]:
        ids = np.asarray([encoded], np.int64)
        request.infer({"input_ids": ids, "attention_mask": np.ones_like(ids)})
        vectors: NDArray[np.float32] = np.array(request.get_output_tensor(0).data[0], np.float32)
        shown = ~np.isin(ids[0], list(self._encoder.special))
        if shown.any():
            vectors = vectors[shown]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors

    @cached_property
    def _compiled(self) -> Any:
        ov = openvino()
        core = ov.Core()
        model = core.read_model(self._graph)
        encoder = ov.Model([_unpooled(model)], model.get_parameters(), "tokens")
        return core.compile_model(encoder, "CPU", self._properties)


def _unpooled(model: Any) -> Any:
    """The output nearest to the end of a graph that still has one vector for each token.

    Raises ValueError when there is none.
    """
    waiting = deque(result.input_value(0) for result in model.get_results())
    while waiting:
        output = waiting.popleft()
        shape = output.get_partial_shape()
        if shape.rank.is_static and shape.rank.get_length() == _RANK and shape[2].is_static:
            return output
        waiting.extend(output.get_node().input_values())
    raise ValueError("the graph shows no vectors of tokens")
