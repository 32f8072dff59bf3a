"""The dense leg: nearest vectors by cosine (DEV_SPEC 3.2.4, 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.plan import Mode
from rag_query.library.snapshot import Snapshot
from rag_query.providers.registry import Params
from rag_query.retrieval.filters import Conditions
from rag_query.retrieval.legs import Ranking, ordered
from rag_query.text.language import Language

ANY_LANGUAGE = "*"
#: Of a query in a language the embedder was not trained for, names and numbers are understood.
_FOREIGN = 0.25


class DenseParams(Params):
    """``retriever.dense`` has no parameters: the vector index decides between exact and not."""


class DenseRetriever(Protocol):
    """Provider type ``retriever``, dense."""

    def search(
        self,
        snapshot: Snapshot,
        vector: NDArray[np.float32],
        conditions: Conditions,
        k: int,
        *,
        query_index: int,
        mode: Mode,
        coverage: float = 1.0,
    ) -> Ranking: ...


class VectorRetriever:
    """Cosine over the snapshot's vector index."""

    def __init__(self, params: DenseParams) -> None:
        self._params = params

    def search(
        self,
        snapshot: Snapshot,
        vector: NDArray[np.float32],
        conditions: Conditions,
        k: int,
        *,
        query_index: int,
        mode: Mode,
        coverage: float = 1.0,
    ) -> Ranking:
        """The ``k`` nearest chunks that satisfy the conditions; ``vector`` is L2-normalised.

        Args:
            coverage: of the ranking.
        """
        found, scores = snapshot.search_dense(vector, k, conditions.where or None)
        chunk_ids, cosines = ordered(list(found), [float(score) for score in scores])
        return Ranking(query_index, mode, "dense", chunk_ids, cosines, coverage=coverage)


def understood(language: Language, languages: Sequence[str]) -> float:
    """How much of a query an embedder of these languages (``ModelCard.languages``) understands;
    all of one whose language is not known."""
    if language == "other" or ANY_LANGUAGE in languages or language in languages:
        return 1.0
    return _FOREIGN
