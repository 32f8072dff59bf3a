"""Clients that never say goodbye keep nobody else out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from mcp_app.http.access import settle_access
from mcp_app.http.app import http_app
from mcp_app.server import build_server
from rag_query.library.home import Home

HEADERS = {"Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@pytest.fixture
def client(library: Home) -> Iterator[TestClient]:
    server = build_server(library)
    app = http_app(server, library, settle_access("127.0.0.1:0"))
    server.session_manager.max_sessions = 2
    with TestClient(app, base_url="http://127.0.0.1") as made:
        made.app_state["manager"] = server.session_manager
        yield made
    server.service.close(1)


def opened(client: TestClient) -> str:
    answer = client.post("/mcp", json=INITIALIZE, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.headers["mcp-session-id"]


def pinged(client: TestClient, session: str) -> int:
    headers = HEADERS | {"mcp-session-id": session}
    return client.post("/mcp", json=PING, headers=headers).status_code


def test_the_session_idle_for_longest_makes_room_for_a_new_one(client: TestClient) -> None:
    first, second = opened(client), opened(client)
    assert pinged(client, first) == 200
    third = opened(client)
    assert [pinged(client, session) for session in (first, second, third)] == [200, 404, 200]
    for _ in range(5):
        opened(client)


def test_where_all_sessions_are_in_use_the_refusal_says_what_to_do(client: TestClient) -> None:
    opened(client), opened(client)
    for transport in client.app_state["manager"]._server_instances.values():
        transport.idle_scope.deadline = math.inf
    answer = client.post("/mcp", json=INITIALIZE, headers=HEADERS)
    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0
    error = answer.json()["error"]
    assert error["code"] == "TOO_MANY_SESSIONS"
    assert "again" in error["details"]["hint"] and "DELETE" in error["details"]["hint"]
