"""A cross-encoder loaded from a folder: a tiny model of random weights is made for the test."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.rerank import rerank

PASSAGES = [Passage("a", "green tea", 0.9), Passage("b", "black tea tea", 0.8)]
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "green", "black", "tea", "which")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("cross-encoder")
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_every_passage_gets_the_models_score(model: Path) -> None:
    reranker = REGISTRY.create("reranker.cross_encoder", {"model": str(model), "device": "cpu"})
    reranked = rerank(reranker, "which tea", PASSAGES, time_limit_s=60)
    assert reranked.failure is None
    assert set(reranked.scores) == {"a", "b"}
    assert reranked.scores["a"] != reranked.scores["b"]
    best = max(reranked.scores, key=lambda chunk: reranked.scores[chunk])
    assert PASSAGES[reranked.order[0]].chunk_id == best
    assert reranker.rerank("which tea", PASSAGES) == pytest.approx(list(reranked.scores.values()))


def test_a_missing_model_has_a_code_and_leaves_the_fused_order(tmp_path: Path) -> None:
    missing = str(tmp_path / "no" / "such" / "folder")
    reranker = REGISTRY.create("reranker.cross_encoder", {"model": missing, "device": "cpu"})
    with pytest.raises(ExcerptaError) as failed:
        reranker.rerank("q", PASSAGES)
    assert failed.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert rerank(reranker, "q", PASSAGES, time_limit_s=60).order == [0, 1]
