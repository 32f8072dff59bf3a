"""What every embedder guarantees of its vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import ModelCard


def normalized(vectors: NDArray[np.float32], card: ModelCard) -> NDArray[np.float32]:
    """L2-normalised float32 of shape (n, dimensions).

    Raises:
        ExcerptaError: ``EMBED_FAILED`` for another width, or a vector that is not finite or zero.
    """
    if vectors.ndim != 2 or vectors.shape[1] != card.dimensions:
        raise ExcerptaError(
            ErrorCode.EMBED_FAILED,
            f"{card.embedder_id} gave vectors of shape {vectors.shape}, "
            f"not of {card.dimensions} dimensions.",
            details={"error_type": "invalid_answer"},
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(norms) & (norms > 0)):
        raise ExcerptaError(
            ErrorCode.EMBED_FAILED,
            f"{card.embedder_id} gave a vector that is zero or not finite.",
            details={"error_type": "invalid_answer"},
        )
    unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return unit
