"""The HTTP server as a stranger, a browser and an operator meet it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.conftest import Excerpta

TOKEN = "a-token-for-this-test-only"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def locked(excerpta: Excerpta) -> Iterator[str]:
    """A server with a token and a low rate for whoever names no token."""
    with excerpta.serving(EXCERPTA_HTTP_TOKEN=TOKEN) as url:
        yield url


def _error(response: httpx2.Response) -> str:
    body = response.json()
    assert body["ok"] is False and body["error"]["message"] and body["error"]["details"]["hint"]
    return str(body["error"]["code"])


def test_the_token_is_asked_for_and_taken(locked: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        refused = httpx2.post(locked, json=PING, headers=ACCEPT | headers)
        assert refused.status_code == 401 and _error(refused) == "UNAUTHORIZED"
        assert refused.headers["WWW-Authenticate"].startswith("Bearer")

    async def work() -> int:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(locked, http_client=http)) as client,
        ):
            return len((await client.list_tools()).tools)

    assert anyio.run(work) > 5


def test_a_browser_logs_in_once(locked: str) -> None:
    root = locked.removesuffix("/mcp")
    with httpx2.Client(base_url=root, headers={"Accept": "text/html"}) as browser:
        asked = browser.get("/documents")
        assert asked.status_code == 303 and asked.headers["Location"] == "/login"
        assert "token" in browser.get("/login").text
        wrong = browser.post("/login", data={"token": "guess"})
        assert wrong.status_code == 401 and "not the token" in wrong.text
        assert not browser.cookies
        right = browser.post("/login", data={"token": TOKEN})
        assert right.status_code == 303
        assert "HttpOnly" in right.headers["Set-Cookie"]
        assert TOKEN not in right.headers["Set-Cookie"]
        assert browser.get("/mcp").status_code not in (303, 401)


def test_another_host_or_origin_is_turned_away(http_url: str) -> None:
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ):
        response = httpx2.post(http_url, json=PING, headers=ACCEPT | headers)
        assert response.status_code == status and _error(response) == "HOST_NOT_ALLOWED"


def test_a_body_of_five_megabytes_is_refused(http_url: str) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "' + b"x" * 5_000_000
    headers = ACCEPT | {"Content-Type": "application/json"}
    assert httpx2.post(http_url, content=body, headers=headers).status_code == 413


def test_a_client_that_sends_too_much_has_to_wait(excerpta: Excerpta) -> None:
    # A minute may end between two requests.
    with excerpta.serving("--rate-limit", "5/day") as url:
        health = url.replace("/mcp", "/healthz")
        answers = [httpx2.get(health) for _ in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
    assert _error(answers[-1]) == "RATE_LIMITED" and answers[-1].headers["Retry-After"]


def test_health_says_which_snapshot_is_served(locked: str) -> None:
    health = httpx2.get(locked.replace("/mcp", "/healthz")).json()
    assert health["status"] == "ok" and health["snapshot"] >= 1


def test_it_refuses_to_start_unprotected(excerpta: Excerpta) -> None:
    done = excerpta.run("mcp", "--http", "0.0.0.0:0")
    assert done.returncode == 1 and "INSECURE_ADDRESS" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_named(excerpta: Excerpta, http_url: str) -> None:
    done = excerpta.run("mcp", "--http", http_url.removeprefix("http://").removesuffix("/mcp"))
    assert done.returncode == 1 and "ADDRESS_IN_USE" in done.stderr


def test_it_ends_soon_while_a_stream_is_open(excerpta: Excerpta) -> None:
    process = subprocess.Popen(
        [*excerpta.command, "mcp", "--http", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(excerpta.environment),
    )
    with process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()

        async def work() -> None:
            async with Client(url, mode="legacy") as client:
                await client.list_tools()
                process.send_signal(signal.SIGTERM)
                began = time.monotonic()
                while process.poll() is None and time.monotonic() - began < 30:
                    await anyio.sleep(0.05)
                assert time.monotonic() - began < 10

        try:
            anyio.run(work)
        finally:
            process.kill()
    assert process.returncode == 0
