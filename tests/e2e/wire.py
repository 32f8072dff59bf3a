"""A server started as a client would, spoken to in raw bytes."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

from tests.e2e.conftest import Excerpta

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "wire", "version": "0"},
}


class Wire:
    """A server and its pipes."""

    def __init__(self, excerpta: Excerpta, **environment: str) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*excerpta.command, "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**excerpta.environment, **environment},
        )

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, number: int, method: str, params: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")

    def answer(self, number: int | None) -> dict[str, Any]:
        """The answer to a request, or to a line that was none (None)."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if message.get("id", "") == number:
                return message
        raise AssertionError("the server ended without an answer")

    def initialize(self) -> dict[str, Any]:
        self.request(1, "initialize", HELLO)
        result: dict[str, Any] = self.answer(1)["result"]
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return result

    def end(self) -> tuple[float, list[dict[str, Any]]]:
        """Close stdin; seconds until the process was gone, and the messages nobody asked for
        by then, notifications left out: those come whenever something happens."""
        assert self.process.stdin is not None and self.process.stdout is not None
        began = time.monotonic()
        self.process.stdin.close()
        self.process.wait(20)
        took = time.monotonic() - began
        rest = [json.loads(line) for line in self.process.stdout.read().splitlines()]
        assert all(message["jsonrpc"] == "2.0" for message in rest)
        return took, [message for message in rest if "id" in message]

    def call(self, number: int, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result."""
        self.request(number, "tools/call", {"name": tool, "arguments": arguments})
        result: dict[str, Any] = self.answer(number)["result"]
        return result
