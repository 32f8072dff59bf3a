"""The linear reranker: words in the right places lift a passage; its weights are checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.providers.reranking.features import FEATURES, WEIGHTS, feature_rows, read_weights
from rag_query.retrieval.rerank import rerank

PASSAGES = [
    Passage("a", "Coffee is roasted.", 0.80, title="Coffee"),
    Passage("b", "The leaves are steamed at once.", 0.79, title="Green tea", headings="Steaming"),
    Passage("c", "Green tea is steamed.", 0.10, title="Drinks", contributions={"sparse": 0.1}),
]


def test_features_say_where_the_words_stand() -> None:
    rows = feature_rows("steamed green tea", PASSAGES)
    assert rows.shape == (3, len(FEATURES))
    by_name = dict(zip(FEATURES, rows.T, strict=True))
    assert by_name["fused"].tolist() == pytest.approx([1.0, 0.9875, 0.125])
    assert by_name["words"].tolist() == pytest.approx([0.0, 0.0, 0.125])
    assert by_name["title"][1] > by_name["title"][0] == 0.0
    assert by_name["body"][2] == pytest.approx(1.0)
    assert by_name["pairs"][2] > 0.0 == by_name["pairs"][0]


def test_a_question_that_shares_no_word_keeps_the_fused_order() -> None:
    lengths = [Passage(p.chunk_id, "tea " * 50, p.fused_score) for p in PASSAGES]
    result = rerank(REGISTRY.create("reranker.features", {}), "如何蒸青", lengths)
    assert result.failure is None
    assert result.order == [0, 1, 2]


def test_between_equals_the_one_whose_title_answers_comes_first() -> None:
    equal = [Passage(p.chunk_id, p.text, 0.5, title=p.title) for p in PASSAGES[:2]]
    result = rerank(REGISTRY.create("reranker.features", {}), "green tea", equal)
    assert result.order == [1, 0]


def test_nothing_gives_nothing() -> None:
    assert REGISTRY.create("reranker.features", {}).rerank("tea", []) == []
    assert feature_rows("", PASSAGES).shape == (3, len(FEATURES))


def test_the_shipped_weights_are_whole() -> None:
    found = read_weights(WEIGHTS)
    assert found.weights[0] == 1.0
    assert np.isfinite(found.weights).all()
    assert found.trained_on


@pytest.mark.parametrize(
    "content",
    ["", "{}", '{"version": 1, "features": ["fused"], "weights": [1.0]}'],
    ids=["empty", "no weights", "other features"],
)
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(ExcerptaError) as caught:
        REGISTRY.create("reranker.features", {"weights": str(path)})
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert "weights.json" in caught.value.message
