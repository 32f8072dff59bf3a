"""MaxSim over token vectors, mixed with what fusion said."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.rerank import rerank
from tests.hashed_words import HashedWordsEmbedder

PASSAGES = [
    Passage("a", "coffee is roasted", 0.9),
    Passage("b", "green tea is steamed", 0.8),
    Passage("c", "tea", 0.1),
]


class Words:
    """A vector for each word; see ``providers.embedding.token_vectors.TokenVectors``."""

    def __init__(self) -> None:
        self._words = HashedWordsEmbedder()
        self.longest = 0

    def of_query(self, text: str) -> NDArray[np.float32]:
        return self._words.embed_queries(text.split())

    def of_passages(self, texts: Sequence[str], max_tokens: int) -> list[NDArray[np.float32]]:
        self.longest = max_tokens
        return [self._words.embed_passages(text.split()[:max_tokens]) for text in texts]


class Embedder(HashedWordsEmbedder):
    """An embedder that shows its tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.token_vectors = Words()


def built(embedder: Any, **params: Any) -> Any:
    return REGISTRY.create("reranker.late_interaction", params, embedder=lambda: embedder)


def test_each_word_of_the_question_looks_for_its_best_match() -> None:
    embedder = Embedder()
    result = rerank(built(embedder, share=1.0, max_tokens=64), "steamed tea", PASSAGES)
    assert result.failure is None
    assert result.order == [1, 2, 0]
    assert embedder.token_vectors.longest == 64


def test_a_share_of_nothing_is_the_fused_order() -> None:
    result = rerank(built(Embedder(), share=0.0), "steamed tea", PASSAGES)
    assert result.order == [0, 1, 2]


def test_an_embedder_without_token_vectors_changes_nothing() -> None:
    result = rerank(built(HashedWordsEmbedder()), "steamed tea", PASSAGES)
    assert result.order == [0, 1, 2]
    assert result.failure is not None
    assert "hashed-words" in result.failure.message


def test_a_broken_embedder_changes_nothing() -> None:
    def boom(*_: Any) -> None:
        raise RuntimeError("no memory")

    embedder = Embedder()
    embedder.token_vectors = SimpleNamespace(of_query=boom)  # type: ignore[assignment]
    result = rerank(built(embedder), "tea", PASSAGES)
    assert (result.order, result.scores) == ([0, 1, 2], {})


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_outside_its_range_is_refused(share: float) -> None:
    with pytest.raises(Exception, match="share"):
        built(Embedder(), share=share)
