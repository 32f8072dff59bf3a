"""A question rewritten by a language model, and what happens when the model fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rag_query.contracts.trace import EventKind
from rag_query.library.home import Home
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
from rag_query.strategies.strategy import StageConfig, Strategy
from rag_query.tracing.reader import read_traces
from tests.hashed_words import small_strategy
from tests.integration.retrieval.conftest import TEA

SAID = {
    "intent": "search",
    "dense_query_text": "Is black tea oxidised before it is dried?",
    "keywords": ["oxidised"],
    "synonyms": [{"term": "char", "same": ["tea"]}],
    "variants": ["When is black tea dried?"],
    "tags": ["leaf"],
}


def strategy(replies: Sequence[str], **llm: Any) -> Strategy:
    base = small_strategy()
    changes = {
        "query_norm": StageConfig(provider="query_norm.llm", params={"time_limit_s": 0.5}),
        "llm": StageConfig(**(llm or {"provider": "llm.fake", "params": {"replies": replies}})),
    }
    return base.model_copy(update={"stages": base.stages.model_copy(update=changes)})


@pytest.mark.parametrize("mode", ["exact", "hybrid", "associative"])
def test_what_the_model_says_acts_and_is_reported(home: Home, mode: str) -> None:
    with open_retriever(home, strategy=strategy([json.dumps(SAID)]), sinks=()) as retriever:
        pack = retriever.run(plan_for_question("char?", mode))
        again = retriever.run(pack.plan or {})
    assert {e.document_id for e in pack.evidences} == {TEA.doc_id}
    assert [e.id for e in again.evidences] == [e.id for e in pack.evidences]
    query = pack.explain.queries[0]
    assert query.rewrite is not None
    assert (query.rewrite.rewrite_used, query.rewrite.rewrite_failed) == (True, False)
    assert query.rewrite.rewrite_profile_id
    assert query.dense_query_text == SAID["dense_query_text"]
    assert [(c.field, c.value, c.applied) for c in query.parsed_filters] == [
        ("tag_ids", ["leaf"], True)
    ]
    assert [use.added for use in query.synonyms] == [["tea"]]
    if mode == "associative":
        assert query.expansions is not None
        assert [t.term for t in query.expansions if t.source == "variant"] == SAID["variants"]


def test_a_filter_the_model_made_up_is_dropped_and_the_answer_stays(home: Home) -> None:
    said = json.dumps(SAID | {"tags": ["no such tag"], "since": "2026-99-99"})
    with open_retriever(home, strategy=strategy([said]), sinks=()) as retriever:
        pack = retriever.run(plan_for_question("black tea"))
    assert pack.evidences
    assert all(not c.applied and c.reason for c in pack.explain.queries[0].parsed_filters)
    assert len(pack.explain.queries[0].parsed_filters) == 2


@pytest.mark.parametrize(
    "reply",
    ["no JSON at all", "{}", json.dumps(SAID | {"intent": "dance"}), json.dumps(SAID)[:-9]],
    ids=["text", "empty", "wrong value", "cut"],
)
def test_an_answer_out_of_form_leaves_the_plain_question(own_home: Home, reply: str) -> None:
    with open_retriever(own_home, sinks=()) as retriever:
        plain = [e.id for e in retriever.run(plan_for_question("is black tea dried")).evidences]
    with open_retriever(own_home, strategy=strategy([reply])) as retriever:
        pack = retriever.run(plan_for_question("is black tea dried"))
    assert [e.id for e in pack.evidences] == plain
    rewrite = pack.explain.queries[0].rewrite
    assert rewrite is not None
    assert (rewrite.rewrite_failed, rewrite.fallback_mode) == (True, "query_plain")
    assert rewrite.code == "LLM_BAD_OUTPUT"
    assert pack.warnings[0].startswith("rewrite_failed: ")
    (trace,) = read_traces(own_home, "query")
    fallback = next(e for e in trace.events if e.kind == EventKind.FALLBACK)
    assert fallback.payload == {"rewrite_failed": True, "fallback_mode": "query_plain"}


def test_without_a_model_the_question_stays_plain(home: Home) -> None:
    with open_retriever(home, strategy=strategy([], provider="llm.none"), sinks=()) as retriever:
        pack = retriever.run(plan_for_question("is black tea dried"))
    assert pack.evidences
    assert pack.warnings == [
        "rewrite_failed: queries[0] ran as it was written (LLM_NOT_CONFIGURED)"
    ]


class _Failing(BaseHTTPRequestHandler):
    """A service that never answers in time, or answers 429 or 500."""

    status = 0

    def do_POST(self) -> None:
        if not self.status:
            threading.Event().wait(1.5)
        self.send_response(self.status or 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize("status", [0, 429, 500])
def test_a_service_that_fails_or_sleeps_leaves_the_plain_question(
    home: Home, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    handler = type("Handler", (_Failing,), {"status": status})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        params = {
            "model": "m",
            "base_url": f"http://127.0.0.1:{server.server_port}/v1",
            "api_key_env": "",
        }
        made = strategy([], provider="llm.openai_compatible", params=params)
        with open_retriever(home, strategy=made, sinks=()) as retriever:
            pack = retriever.run(plan_for_question("is black tea dried"))
    finally:
        server.shutdown()
        server.server_close()
    assert pack.evidences
    assert pack.warnings[0].startswith("rewrite_failed: ")
    assert pack.stats.stage_ms["query_norm"] < 4000
