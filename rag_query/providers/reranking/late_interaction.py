"""``reranker.late_interaction``: the library's own embedder, token by token.

MaxSim (Khattab, Zaharia 2020): each token of the question looks for the token of the passage most
like it; the mean of these cosines is the passage's score. An embedder trained for one vector a
text is a weak judge by tokens alone, so the score is mixed with the fused one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.embedding.token_vectors import HasTokenVectors
from rag_query.providers.registry import Params, register
from rag_query.providers.reranking.base import Passage, scaled


class LateInteractionParams(Params):
    """Parameters of ``reranker.late_interaction``."""

    share: float = Field(0.4, ge=0, le=1, description="of MaxSim; the rest is fusion's")
    max_tokens: int = Field(256, ge=8, le=8192, description="of a passage that are looked at")


class LateInteractionReranker:
    """See :class:`rag_query.providers.reranking.base.Reranker`."""

    active = True

    def __init__(self, params: LateInteractionParams, embedder: Callable[[], Embedder]) -> None:
        self._params = params
        self._embedder = embedder

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        """MaxSim and fused score, each scaled to 0..1, mixed.

        Raises:
            ExcerptaError: ``MODEL_UNAVAILABLE`` when the embedder shows no token vectors,
                ``EMBED_FAILED``.
        """
        embedder = self._embedder()
        if not isinstance(embedder, HasTokenVectors):
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                f"{embedder.card.embedder_id} gives no vectors of single tokens.",
                hint="Use embedder.openvino, or another reranker.",
            )
        tokens = embedder.token_vectors
        asked = tokens.of_query(query)
        held = tokens.of_passages([p.text for p in passages], self._params.max_tokens)
        similar = [float(np.max(asked @ found.T, axis=1).mean()) for found in held]
        share = self._params.share
        mixed = share * scaled(similar) + (1 - share) * scaled([p.fused_score for p in passages])
        return [float(score) for score in mixed]


register(
    "reranker.late_interaction",
    version="1",
    params=LateInteractionParams,
    build=LateInteractionReranker,
    needs=("embedder",),
)
