"""A part that fails is made good by another, and it is said (DEV_SPEC 3.2.8)."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import EventKind
from rag_query.library.home import Home
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.registry import REGISTRY, Params, register
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import StageConfig, Strategy
from rag_query.tracing.reader import read_traces
from tests.hashed_words import HashedWordsEmbedder, small_strategy

QUESTION = "is black tea oxidised"


def unavailable(_: Strategy) -> Embedder:
    raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "The model file is corrupt.")


class Breaking(HashedWordsEmbedder):
    """Works until the first question."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ExcerptaError(ErrorCode.EMBED_FAILED, "Out of memory.")


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
@pytest.mark.parametrize(
    ("factory", "code"),
    [
        (unavailable, ErrorCode.MODEL_UNAVAILABLE),
        (lambda _: Breaking(), ErrorCode.EMBED_FAILED),
        (lambda _: HashedWordsEmbedder(version="2"), ErrorCode.EMBEDDER_MISMATCH),
    ],
    ids=["unavailable", "breaking", "mismatch"],
)
def test_without_its_embedder_a_library_answers_by_words(
    own_home: Home, mode: str, factory: object, code: ErrorCode
) -> None:
    with open_retriever(own_home, embedder_factory=factory) as retriever:  # type: ignore[arg-type]
        pack = retriever.run(plan_for_question(QUESTION, mode))
    assert pack.evidences[0].metadata.section_path == "Tea / Black"
    assert pack.evidences[0].provenance.mode == mode
    assert pack.explain.dense_failed == code
    assert pack.explain.queries[0].retrieval_mode_effective == "sparse_only"
    assert pack.explain.effective_rank_source == "sparse"
    assert pack.warnings[0].startswith("dense_failed: ")
    (trace,) = read_traces(own_home, "query")
    assert trace.status == "ok"
    assert [e.code for e in trace.aggregates.errors] == [code]
    fallback = next(e for e in trace.events if e.kind == EventKind.FALLBACK)
    assert fallback.payload == {
        "dense_failed": code,
        "retrieval_mode_effective": "sparse_only",
    }


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_without_its_vectors_a_library_answers_by_words(own_home: Home, mode: str) -> None:
    shutil.rmtree(own_home.lance)
    with open_retriever(own_home) as retriever:
        pack = retriever.run(plan_for_question(QUESTION, mode))
    assert pack.evidences[0].metadata.section_path == "Tea / Black"
    assert pack.explain.dense_failed == ErrorCode.DENSE_FAILED


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "relational", "associative"])
@pytest.mark.parametrize("broken", ["weights", "tokenizer", "nothing there"])
def test_with_a_corrupt_model_file_a_library_answers_by_words(
    own_home: Home, tmp_path: Path, mode: str, broken: str
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    if broken != "nothing there":
        (folder / "config.json").write_text('{"hidden_size": 64, "model_type": "bert"}')
        modules = '[{"type": "sentence_transformers.models.Transformer", "path": ""}]'
        (folder / "modules.json").write_text(modules)
        (folder / "tokenizer.json").write_text("{}" if broken == "tokenizer" else "garbage")
        (folder / "model.safetensors").write_bytes(b"garbage")
    base = small_strategy()
    stage = StageConfig(provider="embedder.openvino", params={"model": str(folder)})
    changed = base.model_copy(update={"stages": base.stages.model_copy(update={"embedder": stage})})
    with open_retriever(own_home, strategy=changed) as retriever:
        pack = retriever.run(plan_for_question(QUESTION, mode))
        again = retriever.run(plan_for_question(QUESTION, mode))
    for answered in (pack, again):
        assert answered.evidences[0].metadata.section_path == "Tea / Black"
        assert answered.explain.queries[0].retrieval_mode_effective == "sparse_only"
        assert answered.explain.dense_failed in ("MODEL_UNAVAILABLE", "EMBEDDER_MISMATCH")
    assert str(tmp_path) not in pack.model_dump_json()


@pytest.mark.parametrize("mode", ["relational", "associative"])
@pytest.mark.parametrize("part", ["bm25", "lance"])
def test_following_modes_live_on_one_index(own_home: Home, mode: str, part: str) -> None:
    shutil.rmtree(getattr(own_home, part))
    with open_retriever(own_home) as retriever:
        pack = retriever.run(plan_for_question(QUESTION, mode))
    assert pack.evidences[0].metadata.section_path == "Tea / Black"
    assert pack.warnings


@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid", "relational", "associative"])
def test_preferences_and_mmr_work_on_what_is_left(own_home: Home, mode: str) -> None:
    shutil.rmtree(own_home.lance)
    with open_retriever(own_home) as retriever:
        pack = retriever.run(
            {
                "version": "0.1",
                "queries": [{"text": QUESTION, "mode": mode}],
                "budget": {"diversity": {"mmr": 0.5}},
                "ranking": {"prefer_recent": True},
            }
        )
    assert pack.evidences
    assert pack.explain.diversity is not None
    assert pack.explain.diversity.mmr_similarity == "words"


@pytest.mark.parametrize("mode", ["hybrid", "exact"])
def test_without_its_bm25_index_a_library_answers_by_meaning(own_home: Home, mode: str) -> None:
    shutil.rmtree(own_home.bm25)
    with open_retriever(own_home) as retriever:
        pack = retriever.run(plan_for_question(QUESTION, mode))
    assert pack.evidences[0].metadata.section_path == "Tea / Black"
    assert pack.explain.sparse_failed == ErrorCode.SPARSE_FAILED
    assert pack.explain.queries[0].retrieval_mode_effective == "dense_only"
    assert pack.warnings[0].startswith("sparse_failed: ")


def test_operators_that_cannot_be_applied_are_named(own_home: Home) -> None:
    shutil.rmtree(own_home.bm25)
    with open_retriever(own_home) as retriever:
        pack = retriever.run(plan_for_question("tea -oxidised"))
    assert pack.evidences
    assert any("could not be applied" in warning for warning in pack.warnings)


@pytest.mark.parametrize("mode", ["hybrid", "exact", "semantic"])
def test_without_both_the_query_fails_and_names_both(own_home: Home, mode: str) -> None:
    shutil.rmtree(own_home.bm25)
    shutil.rmtree(own_home.lance)
    with open_retriever(own_home) as retriever, pytest.raises(ExcerptaError) as caught:
        retriever.run(plan_for_question(QUESTION, mode))
    assert caught.value.code in (ErrorCode.DENSE_FAILED, ErrorCode.SPARSE_FAILED)
    assert caught.value.details == {
        "dense_failed": "DENSE_FAILED",
        "sparse_failed": "SPARSE_FAILED",
    }
    (trace,) = read_traces(own_home, "query")
    assert trace.status == "error"


def test_only_the_query_that_needs_a_failed_leg_is_changed(own_home: Home) -> None:
    with open_retriever(own_home, embedder_factory=unavailable) as retriever:
        pack = retriever.run(
            {
                "version": "0.1",
                "queries": [
                    {"text": "E1234", "mode": "exact"},
                    {"text": QUESTION, "mode": "semantic"},
                ],
            }
        )
    assert [q.retrieval_mode_effective for q in pack.explain.queries] == ["sparse_only"] * 2
    assert {e.provenance.query_index for e in pack.evidences} == {0, 1}


def test_while_the_embedder_loads_the_library_answers_by_words(own_home: Home) -> None:
    go = threading.Event()

    def slow(_: Strategy) -> Embedder:
        go.wait(30)
        return HashedWordsEmbedder()

    with open_retriever(own_home, embedder_factory=slow) as retriever:
        retriever.warm()
        assert not retriever.embedder_ready()
        early = retriever.run(plan_for_question(QUESTION), wait_for_embedder=False)
        assert "still loading" in early.warnings[0]
        assert early.warnings[0].endswith("Ask again in a moment for semantic results.")
        assert early.explain.dense_failed == ErrorCode.MODEL_UNAVAILABLE
        go.set()
        late = retriever.run(plan_for_question(QUESTION), wait_for_embedder=True)
        assert late.explain.dense_failed is None
        assert retriever.embedder_ready()


def test_the_embedder_is_warmed_in_the_background(retriever: Retriever) -> None:
    retriever.warm()
    retriever.run(plan_for_question("tea", "semantic"))
    assert retriever.embedder_ready()


class _Params(Params):
    behaviour: str


class _Reranker:
    active = True

    def __init__(self, params: _Params) -> None:
        self._behaviour = params.behaviour

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float]:
        if self._behaviour == "sleeps":
            threading.Event().wait(5)
        if self._behaviour == "raises":
            raise RuntimeError("no model")
        return [float(position) for position, _ in enumerate(passages)]


if "reranker.test" not in REGISTRY.ids():
    register("reranker.test", version="1", params=_Params, build=_Reranker)


def strategy(behaviour: str) -> Strategy:
    base = small_strategy()
    changes = {
        "rerank": StageConfig(provider="reranker.test", params={"behaviour": behaviour}),
        "context_build": StageConfig(
            provider="context.evidence_pack", params={"rerank_time_limit_s": 0.1}
        ),
    }
    return base.model_copy(update={"stages": base.stages.model_copy(update=changes)})


def test_a_reranker_orders_the_list(home: Home) -> None:
    with open_retriever(home, sinks=()) as plain:
        fused = [e.id for e in plain.run(plan_for_question(QUESTION)).evidences]
    with open_retriever(home, strategy=strategy("reverses"), sinks=()) as retriever:
        pack = retriever.run(
            {
                "version": "0.1",
                "purpose": "qa",
                "queries": [{"text": QUESTION}],
                "ranking": {"rerank": {"top_n": 3}},
            }
        )
        skipped = retriever.run(
            {
                "version": "0.1",
                "purpose": "qa",
                "queries": [{"text": QUESTION}],
                "ranking": {"rerank": {"enabled": False}},
            }
        )
    assert [e.id for e in pack.evidences] == fused[:3][::-1] + fused[3:]
    assert [e.signals.rerank_score for e in pack.evidences[:4]] == [2.0, 1.0, 0.0, None]
    assert pack.explain.effective_rank_source == "rerank"
    assert pack.explain.rerank is not None
    assert pack.explain.rerank.enabled
    assert [e.id for e in skipped.evidences] == fused


@pytest.mark.parametrize("behaviour", ["sleeps", "raises"])
def test_a_reranker_that_fails_leaves_the_fused_order(home: Home, behaviour: str) -> None:
    with open_retriever(home, sinks=()) as plain:
        fused = [e.id for e in plain.run(plan_for_question(QUESTION)).evidences]
    with open_retriever(home, strategy=strategy(behaviour), sinks=()) as retriever:
        pack = retriever.run(plan_for_question(QUESTION))
    assert [e.id for e in pack.evidences] == fused
    assert pack.explain.rerank is not None
    assert pack.explain.rerank.failed
    assert pack.explain.effective_rank_source == "fusion"
    assert pack.warnings[0].startswith("rerank_failed: ")
