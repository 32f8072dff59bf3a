"""The server's bytes: nothing but the protocol on stdout, and a quick end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from mcp_app.tools import TOOLS
from tests.e2e.conftest import Excerpta
from tests.e2e.wire import Wire


@pytest.fixture
def wire(excerpta: Excerpta) -> Iterator[Wire]:
    opened = Wire(excerpta)
    with opened.process:
        yield opened
        opened.process.kill()


def test_initialize_and_list(wire: Wire) -> None:
    result = wire.initialize()
    assert result["serverInfo"]["name"] == "excerpta" and result["instructions"]
    wire.request(2, "tools/list", {})
    assert len(wire.answer(2)["result"]["tools"]) == len(TOOLS)


def test_broken_lines_are_answered_and_do_no_harm(wire: Wire) -> None:
    wire.initialize()
    wire.send(b'{"jsonrpc": "2.0", "id": 7, "method": broken\n')
    wire.send(b"\xff\xfe\x00 not even text\n")
    wire.send(b"[1, 2, 3]\n\n")
    told = [wire.answer(None)["error"]["code"] for _ in range(3)]
    assert told == [-32700, -32700, -32600]
    wire.request(8, "ping", {})
    assert wire.answer(8)["result"] == {}


def test_a_message_may_come_in_halves(wire: Wire) -> None:
    wire.initialize()
    whole = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "ping"}).encode() + b"\n"
    wire.send(whole[:20])
    time.sleep(0.2)
    wire.send(whole[20:])
    assert wire.answer(3)["result"] == {}


def test_stdin_closing_ends_an_idle_server_at_once(wire: Wire) -> None:
    wire.initialize()
    wire.request(2, "tools/call", {"name": "library_query", "arguments": {"query": "tide"}})
    assert not wire.answer(2)["result"]["isError"]
    took, rest = wire.end()
    assert took <= 1.0 and rest == [] and wire.process.returncode == 0


def test_stdin_closing_ends_a_busy_server_at_once(wire: Wire) -> None:
    """A client that vanishes in the middle of a call leaves no process behind."""
    wire.initialize()
    arguments = {"job_id": None, "wait_seconds": 0}
    wire.request(2, "tools/call", {"name": "library_query", "arguments": {"query": "tide"}})
    wire.request(3, "tools/call", {"name": "library_job_status", "arguments": arguments})
    took, _ = wire.end()
    assert took <= 1.0


def test_an_answer_holds_no_absolute_path(wire: Wire, excerpta: Excerpta) -> None:
    wire.initialize()
    for number, (name, arguments) in enumerate(
        [
            ("library_query", {"query": "backup", "include_pack": True}),
            ("library_list_documents", {}),
            ("library_get_document", {"document_id": "handbook.md", "view": "chunks"}),
            ("library_job_status", {}),
        ],
        start=2,
    ):
        wire.request(number, "tools/call", {"name": name, "arguments": arguments})
        answer = json.dumps(wire.answer(number), ensure_ascii=False)
        assert str(excerpta.home.parent) not in answer, name
