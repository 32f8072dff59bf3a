"""What a provider must build to be an embedder."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.snapshot import Library
from rag_query.providers.embedding.base import ModelCard
from rag_query.providers.registry import REGISTRY, Params, Registration
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.hashed_words import small_strategy
from tests.library_builder import build_library, open_context
from tests.small_documents import SmallDoc


class OnlyAlike:
    """Has what the contract names and derives from nothing."""

    card = ModelCard("alike", "1", 2, 10, ("*",))


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> Strategy:
    """A strategy that names such an object's provider."""
    entry = Registration("embedder.alike", "1", Params, lambda *_, **__: OnlyAlike())
    monkeypatch.setattr(REGISTRY, "_entries", {**REGISTRY._entries, entry.provider_id: entry})
    strategy = small_strategy()
    stages = strategy.stages.model_copy(
        update={"embedder": StageConfig(provider=entry.provider_id)}
    )
    return strategy.model_copy(update={"stages": stages})


def told_of_its_class(error: ExcerptaError) -> bool:
    named = "OnlyAlike" in error.message and "embedding.base.Embedder" in error.hint
    return error.code is ErrorCode.INVALID_STRATEGY and named


def test_an_ingest_says_which_class_is_no_embedder(tmp_path: Path, alike: Strategy) -> None:
    ctx = open_context(tmp_path / "lib", strategy=alike)
    with pytest.raises(ExcerptaError) as caught:
        _ = ctx.embedder
    assert told_of_its_class(caught.value)


def test_a_query_says_which_class_is_no_embedder(tmp_path: Path, alike: Strategy) -> None:
    library = Library.open(build_library(tmp_path / "lib", [SmallDoc("a.md", "# A\n\nOne.")]))
    with Retriever(library, strategy=alike) as retriever, pytest.raises(ExcerptaError) as caught:
        retriever.embed(["a"], library.snapshot())
    assert told_of_its_class(caught.value)
