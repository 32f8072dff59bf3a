"""A hub is asked once, and only for what is not in its cache."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from huggingface_hub import constants, hf_api

from rag_query.providers.embedding.hub import known_to_hub

HELD = "sentence-transformers/held"


class _Hub(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        if "/models/" in self.path:  # the client has questions of its own
            self.asked.append(self.path)
        held = self.path.endswith(f"/api/models/{HELD}")
        body = json.dumps({"id": HELD, "siblings": []} if held else {"error": "none"}).encode()
        self.send_response(200 if held else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The models that a hub on this machine was asked for."""
    handler = type("Handler", (_Hub,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hf_api.constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield handler.asked  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_name_without_an_owner_is_looked_for_where_the_loader_looks(asked: list[str]) -> None:
    assert known_to_hub("held")
    assert asked == [f"/api/models/{HELD}"]


def test_what_the_hub_does_not_have_is_unknown(asked: list[str]) -> None:
    assert not known_to_hub("nobody/nothing")
    assert asked == ["/api/models/nobody/nothing"]
    assert not known_to_hub("no such model!")


def test_what_is_cached_is_not_asked_for(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--own--model"
    (folder / "snapshots" / "abc").mkdir(parents=True)
    (folder / "snapshots" / "abc" / "config.json").write_text("{}")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("abc")
    assert known_to_hub("own/model")
    assert asked == []
