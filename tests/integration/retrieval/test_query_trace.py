"""Every query leaves a trace that says why it answered as it did (DEV_SPEC 3.5.2.3)."""

from __future__ import annotations

from rag_query.contracts.trace import EventKind
from rag_query.library.home import Home
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
from rag_query.tracing.context import Trace, start
from rag_query.tracing.reader import find_trace, read_traces


def test_spans_events_and_counters_are_those_of_the_specification(own_home: Home) -> None:
    plan = plan_for_question("is green tea oxidised").model_copy(update={"request_id": "req_1"})
    with open_retriever(own_home) as retriever:
        pack = retriever.run(plan)
    assert pack.explain.trace_id is not None
    trace = find_trace(own_home, pack.explain.trace_id)
    assert trace is not None
    spans = {span.name: span for span in trace.spans}
    assert set(spans) == {
        "stage.query_norm",
        "stage.filter",
        "stage.retrieve_dense",
        "stage.retrieve_sparse",
        "stage.fusion",
        "stage.rerank",
        "stage.context_build",
    }
    attrs = {
        "stage.query_norm": {"query_hash", "rewrite_used"},
        "stage.retrieve_dense": {"top_k", "vector_index_id"},
        "stage.retrieve_sparse": {"top_k", "fts_profile_id"},
        "stage.fusion": {"fusion_id", "k_out"},
        "stage.rerank": {"reranker_id", "k_out"},
        "stage.context_build": {"context_k", "max_tokens"},
    }
    for name, wanted in attrs.items():
        assert wanted <= spans[name].attrs.keys()
        provider = spans[name].provider
        assert provider is not None
        assert provider.profile_id
    kinds = [event.kind for event in trace.events]
    for kind in (
        EventKind.QUERY_NORMALIZED,
        EventKind.FILTER_PLAN,
        EventKind.FUSION_RANKED,
        EventKind.RERANK_RANKED,
        EventKind.CONTEXT_FINAL,
    ):
        assert kinds.count(kind) == 1
    candidates = [e.payload for e in trace.events if e.kind == EventKind.RETRIEVAL_CANDIDATES]
    assert {payload["source"] for payload in candidates} == {"dense", "sparse"}
    by_id = {span.span_id: span.name for span in trace.spans}
    for event in trace.events:
        if event.kind == EventKind.RETRIEVAL_CANDIDATES:
            assert by_id[event.span_id or ""] == f"stage.retrieve_{event.payload['source']}"
    counters = trace.aggregates.counters
    assert counters["candidates_dense"] == pack.stats.by_leg["dense"]
    assert counters["candidates_sparse"] == pack.stats.by_leg["sparse"]
    assert counters["selected_chunks"] == len(pack.evidences)
    assert (trace.snapshot, trace.links.request_id) == (1, "req_1")
    assert trace.replay["plan"] == pack.plan
    assert trace.strategy_config_id == pack.explain.strategy_config_id


def test_a_plan_may_ask_for_no_trace(own_home: Home) -> None:
    with open_retriever(own_home) as retriever:
        pack = retriever.run(
            {"version": "0.1", "queries": [{"text": "tea"}], "debug": {"trace": False}}
        )
    assert pack.explain.trace_id is None
    assert list(read_traces(own_home, "query")) == []


def test_a_query_within_a_trace_names_it(own_home: Home) -> None:
    outer = Trace("ingestion", "s")
    with open_retriever(own_home) as retriever, start(outer):
        retriever.run(plan_for_question("tea"))
    (trace,) = read_traces(own_home, "query")
    assert trace.links.parent_trace_id == outer.trace_id
    assert outer.spans == []
