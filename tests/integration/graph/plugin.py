"""A package that adds a provider through the entry point, for runs in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.registry import Params, ProviderRegistry, Registration
from tests.hashed_words import HashedWordsEmbedder


class PatientParams(Params):
    """Seconds each call takes."""

    seconds: float = 0.0


class PatientEmbedder(HashedWordsEmbedder):
    """Needs no model, and takes as long as it is told."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(self._seconds)
        return super().embed_passages(texts)


def _build(params: PatientParams, **_: Any) -> PatientEmbedder:
    return PatientEmbedder(params.seconds)


def add(registry: ProviderRegistry) -> None:
    """What the entry point names."""
    if "embedder.patient" not in registry.ids():
        registry.register(Registration("embedder.patient", "1", PatientParams, _build))
