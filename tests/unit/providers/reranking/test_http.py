"""A reranking service over real HTTP, well and badly behaved."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval.rerank import rerank

PASSAGES = [Passage("a", "green tea", 0.9), Passage("b", "black tea", 0.8)]


class Service(ThreadingHTTPServer):
    """Answers with what the test sets, and keeps what it was asked."""

    answer: tuple[int, Any] = (200, {})
    asked: list[dict[str, Any]]
    keys: list[str | None]


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append({"path": self.path} | json.loads(body))
        self.server.keys.append(self.headers.get("Authorization"))
        status, answer = self.server.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        """Nothing on standard error."""


@pytest.fixture
def service() -> Iterator[Service]:
    with Service(("127.0.0.1", 0), _Handler) as server:
        server.asked, server.keys = [], []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def build(service: Service) -> Callable[..., Any]:
    def made(**params: Any) -> Any:
        address = f"http://127.0.0.1:{service.server_address[1]}/v1/"
        return REGISTRY.create("reranker.http", {"base_url": address, "model": "m", **params})

    return made


def test_scores_come_back_in_the_order_of_the_passages(
    service: Service, build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RERANK_KEY", "secret\n")
    results = [{"index": 1, "relevance_score": 0.7}, {"index": 0, "relevance_score": 0.1}]
    service.answer = (200, {"results": results})
    reranked = rerank(build(api_key_env="RERANK_KEY"), "which tea?", PASSAGES)
    assert reranked.order == [1, 0]
    assert reranked.scores == {"a": 0.1, "b": 0.7}
    assert service.keys == ["Bearer secret"]
    assert service.asked == [
        {
            "path": "/v1/rerank",
            "model": "m",
            "query": "which tea?",
            "documents": ["green tea", "black tea"],
            "top_n": 2,
        }
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": None},
        {"results": [{"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": 1.0}] * 2},
        {"results": [{"index": 0}, {"index": 1}]},
        {"results": [{"index": 0, "relevance_score": "x"}, {"index": 1, "relevance_score": 1}]},
    ],
)
def test_an_answer_that_does_not_fit_leaves_the_fused_order(
    service: Service, build: Callable[..., Any], answer: dict[str, Any]
) -> None:
    service.answer = (200, answer)
    with pytest.raises(ExcerptaError) as failed:
        build().rerank("q", PASSAGES)
    assert failed.value.code is ErrorCode.PROVIDER_UNAVAILABLE
    reranked = rerank(build(), "q", PASSAGES)
    assert reranked.order == [0, 1]
    assert reranked.failure is not None and "exactly once" in reranked.failure.message


def test_a_failing_service_leaves_the_fused_order_and_shows_no_key(
    service: Service, build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RERANK_KEY", "secret")
    service.answer = (503, {"error": "overloaded"})
    reranked = rerank(build(api_key_env="RERANK_KEY"), "q", PASSAGES)
    assert reranked.order == [0, 1] and not reranked.scores
    assert reranked.failure is not None
    assert "503" in reranked.failure.message and "secret" not in str(reranked.failure)


def test_an_address_must_be_http() -> None:
    with pytest.raises(ExcerptaError, match="base_url"):
        REGISTRY.create("reranker.http", {"base_url": "file:///etc", "model": "m"})


def test_text_embeddings_inference_is_asked_and_understood_in_its_own_form(
    service: Service, build: Callable[..., Any]
) -> None:
    service.answer = (200, [{"index": 1, "score": 0.9}, {"index": 0, "score": -2.5}])
    reranked = rerank(build(protocol="tei"), "which tea?", PASSAGES)
    assert reranked.order == [1, 0]
    assert reranked.scores == {"a": -2.5, "b": 0.9}
    (asked,) = service.asked
    assert asked == {
        "path": "/v1/rerank",
        "query": "which tea?",
        "texts": ["green tea", "black tea"],
        "truncate": True,
    }


@pytest.mark.parametrize(
    "answer",
    [[], [{"index": 0, "score": 1.0}], [{"index": 0}, {"index": 1}], ["a", "b"], "text", None],
)
def test_a_list_that_scores_not_every_passage_changes_nothing(
    service: Service, build: Callable[..., Any], answer: Any
) -> None:
    service.answer = (200, answer)
    reranked = rerank(build(protocol="tei"), "which tea?", PASSAGES)
    assert reranked.order == [0, 1]
    assert reranked.failure is not None
