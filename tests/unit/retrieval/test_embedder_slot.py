"""The query side's embedder: one load, in the background, in the library's space."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import VectorPart
from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.retrieval.embedder_slot import EmbedderSlot
from rag_query.strategies.strategy import Strategy, load_strategy

STRATEGY = load_strategy("default")


class Constant(Embedder):
    """Every text has the same unit vector."""

    def __init__(self, vector: tuple[float, float], version: str = "1") -> None:
        self._vector = np.array(vector, np.float32)
        self._card = ModelCard("constant", version, 2, 10, ("*",))

    @property
    def card(self) -> ModelCard:
        return self._card

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(self._vector, (len(texts), 1))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)


def part(vector: tuple[float, float] = (1.0, 0.0), version: str = "1") -> VectorPart:
    return VectorPart(
        path="lance",
        table="t",
        version=1,
        tag="s1",
        rows=1,
        space=Constant(vector, version).card.space,
        probe_text="probe",
        probe_vector=list(vector),
    )


def test_vectors_of_the_right_space_are_given() -> None:
    slot = EmbedderSlot(lambda _: Constant((1.0, 0.0)), STRATEGY)
    assert not slot.ready
    assert slot.embed(["a", "b"], part()).shape == (2, 2)
    assert slot.ready


@pytest.mark.parametrize(
    "library", [part(version="2"), part((0.99, 0.14))], ids=["another model", "another result"]
)
def test_another_space_is_refused(library: VectorPart) -> None:
    slot = EmbedderSlot(lambda _: Constant((1.0, 0.0)), STRATEGY)
    with pytest.raises(ExcerptaError) as caught:
        slot.embed(["a"], library)
    assert caught.value.code == ErrorCode.EMBEDDER_MISMATCH
    assert slot.embed(["a"], part()).shape == (1, 2)


def test_it_loads_once_in_the_background() -> None:
    loads: list[int] = []
    go = threading.Event()

    def load(_: Strategy) -> Embedder:
        loads.append(1)
        go.wait(10)
        return Constant((1.0, 0.0))

    slot = EmbedderSlot(load, STRATEGY)
    slot.warm(part())
    slot.warm(part())
    assert not slot.ready
    go.set()
    assert slot.embed(["a"], part()).shape == (1, 2)
    assert len(loads) == 1


@pytest.mark.parametrize("transient", [True, False])
def test_a_failed_load_is_reported_and_tried_again_only_when_that_can_help(
    transient: bool,
) -> None:
    loads: list[int] = []

    def load(_: Strategy) -> Embedder:
        loads.append(1)
        raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "gone", transient=transient)

    slot = EmbedderSlot(load, STRATEGY)
    for _ in range(2):
        with pytest.raises(ExcerptaError, match="gone"):
            slot.embed(["a"], part())
    assert len(loads) == (2 if transient else 1)
    assert slot.ready


def test_an_unexpected_failure_becomes_model_unavailable() -> None:
    def load(_: Strategy) -> Embedder:
        raise RuntimeError("/secret/path is broken")

    with pytest.raises(ExcerptaError) as caught:
        EmbedderSlot(load, STRATEGY).embed(["a"], part())
    assert caught.value.code == ErrorCode.MODEL_UNAVAILABLE
    assert "/secret" not in str(caught.value)
