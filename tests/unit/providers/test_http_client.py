from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpcore2
import httpx2
import pytest

from rag_query.providers.http_client import _Stream, http_client


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    closing: threading.Event
    peers: set[object]

    def do_GET(self) -> None:
        self.peers.add(self.client_address)
        if "/slow" in self.path:
            self.send_response(200)
            self.flush_headers()
            while not self.closing.wait(0.05):
                self.wfile.write(b"X-Wait: 1\r\n")
            return
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that went away is no fault of this server."""


@pytest.fixture
def handler() -> type[_Handler]:
    return type("Handler", (_Handler,), {"closing": threading.Event(), "peers": set()})


@pytest.fixture
def address(handler: type[_Handler]) -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    handler.closing.set()
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_each_request_of_a_kept_connection_has_its_whole_time(
    address: str, handler: type[_Handler]
) -> None:
    with http_client() as client:
        for _ in range(2):
            assert client.get(address, timeout=0.3).text == "ok"
            time.sleep(0.4)
    assert len(handler.peers) == 1


def test_slow_headers_end_in_time_also_behind_a_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    began = time.monotonic()
    with http_client() as client, pytest.raises(httpx2.ReadTimeout):
        client.get("http://service.invalid/slow", timeout=0.3)
    assert time.monotonic() - began < 3


def test_an_encrypted_connection_has_the_deadline_too() -> None:
    class Inner(httpcore2.NetworkStream):
        def start_tls(self, *_: object, **__: object) -> httpcore2.NetworkStream:
            return self

    assert isinstance(_Stream(Inner()).start_tls(ssl.create_default_context()), _Stream)
