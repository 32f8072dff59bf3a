"""The MCP server over stdio: how soon it answers, measured by a real client process.

The stream is read as bytes so that the client costs nothing.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.perf.library import Work, build
from tests.perf.table import Row

SAMPLES = Path("data/samples")
ROUNDS = 5


def rows(work: Work) -> Iterator[Row]:
    """Spawn to ``initialize``; spawn to the first lexical and the first hybrid answer."""
    home, _ = build(work, "samples", [SAMPLES], "default")
    initialized, lexical, hybrid = [], [], []
    for _ in range(ROUNDS):
        first, answer, mode = _first_answer(home, work, "exact")
        assert mode == "sparse_only"
        lexical.append(answer)
        first, answer, mode = _first_answer(home, work, "hybrid")
        assert mode == "hybrid", "the first hybrid answer came without its dense leg"
        initialized.append(first)
        hybrid.append(answer)
    yield Row("server", "spawn to initialize", statistics.median(initialized), "s", 1.0, False)
    yield Row(
        "server", "spawn to first lexical answer", statistics.median(lexical), "s", 1.2, False
    )
    yield Row("server", "spawn to first hybrid answer", statistics.median(hybrid), "s", 2.5, False)


def _first_answer(home: Path, work: Work, mode: str) -> tuple[float, float, str]:
    """Seconds to ``initialize`` and to the first answer, and the mode that answered."""
    began = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "mcp_app.cli", "mcp", "--home", str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=work.environment(),
    )
    try:
        _request(server, 1, "initialize", _HELLO)
        initialized = time.perf_counter() - began
        _send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        call = {
            "name": "library_query",
            "arguments": {"query": "at which wind speed is the radar shutter closed", "mode": mode},
        }
        result = _request(server, 2, "tools/call", call)
        answered = time.perf_counter() - began
        return initialized, answered, result["structuredContent"]["data"]["effective_mode"]
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(10)


_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}


def _send(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()


def _request(
    server: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    _send(server, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert server.stdout is not None
    while True:
        message = json.loads(server.stdout.readline())
        if message.get("id") == number:
            result: dict[str, Any] = message["result"]
            return result
