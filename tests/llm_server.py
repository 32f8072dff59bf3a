"""A local server of both vendors' wire formats, which misbehaves on command.

``POST /v1/chat/completions`` (and Azure's ``/openai/deployments/…/chat/completions``) speaks
OpenAI's format, ``POST /v1/messages`` Anthropic's; both answer whole or as server-sent events.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Vendor = Literal["openai", "anthropic"]
Event = tuple[str, dict[str, Any]]


class Fault(StrEnum):
    """How an answer goes wrong, beyond what it says."""

    NONE = "none"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNAUTHORIZED = "unauthorized"
    BAD_REQUEST = "bad_request"
    NO_CREDIT = "no_credit"
    REDIRECT = "redirect"
    NOT_JSON = "not_json"
    OTHER_JSON = "other_json"
    SILENT = "silent"
    DRIBBLE = "dribble"
    DRIBBLED_HEADERS = "dribbled_headers"
    HANG_UP = "hang_up"
    CUT_STREAM = "cut_stream"
    ERROR_EVENT = "error_event"
    REFUSED = "refused"
    LENGTH = "length"


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    vendor: Vendor
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """All text of the request, the system's first."""
        system = self.body.get("system", "")
        said = [system] if system else []
        for message in self.body["messages"]:
            content = message["content"]
            parts = [{"text": content}] if isinstance(content, str) else content
            said.extend(part["text"] for part in parts if "text" in part)
        return "\n\n".join(said)


@dataclass(frozen=True)
class Reply:
    """What is said next: a text, or a function of the request that gives one."""

    text: str | Callable[[Asked], str] = "ok"
    fault: Fault = Fault.NONE
    retry_after: str | None = None

    def said(self, asked: Asked) -> str:
        return self.text if isinstance(self.text, str) else self.text(asked)


@dataclass
class Script:
    """Replies in order, the last one for ever; ``asked`` keeps every request."""

    replies: list[Reply] = field(default_factory=lambda: [Reply()])
    asked: list[Asked] = field(default_factory=list)
    address: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def set(self, *replies: Reply | str | Callable[[Asked], str]) -> None:
        """Begin a new script."""
        self.replies = [r if isinstance(r, Reply) else Reply(r) for r in replies]
        self.asked.clear()

    def base_url(self, vendor: Vendor) -> str:
        """As a strategy names it."""
        return f"{self.address}/v1" if vendor == "openai" else self.address

    def next(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def _words(text: str) -> list[str]:
    size = max(1, len(text) // 8)
    return [text[i : i + size] for i in range(0, len(text), size)]


def _openai_whole(text: str, fault: Fault) -> dict[str, Any]:
    reasons = {Fault.LENGTH: "length", Fault.REFUSED: "content_filter"}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "model-2026-01-01",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": reasons.get(fault, "stop"),
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _openai_events(text: str, fault: Fault) -> Iterator[Event]:
    whole = _openai_whole(text, fault)
    shared = {key: whole[key] for key in ("id", "created", "model", "system_fingerprint")}
    shared["object"] = "chat.completion.chunk"

    def chunk(delta: dict[str, Any], reason: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return "", shared | {"choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for part in _words(text):
        yield chunk({"content": part})
    yield chunk({}, whole["choices"][0]["finish_reason"])
    yield "", shared | {"choices": [], "usage": whole["usage"]}


def _anthropic_whole(text: str, fault: Fault) -> dict[str, Any]:
    reasons = {Fault.LENGTH: "max_tokens", Fault.REFUSED: "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "model-2026-01-01",
        "content": [{"type": "text", "text": text}],
        "stop_reason": reasons.get(fault, "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def _anthropic_events(text: str, fault: Fault) -> Iterator[Event]:
    whole = _anthropic_whole(text, fault)
    start = whole | {
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 11, "output_tokens": 1},
    }
    yield "message_start", {"message": start}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    for part in _words(text):
        yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": part}}
    yield "content_block_stop", {"index": 0}
    yield (
        "message_delta",
        {
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 7},
        },
    )
    yield "message_stop", {}


_WHOLE = {"openai": _openai_whole, "anthropic": _anthropic_whole}
_EVENTS = {"openai": _openai_events, "anthropic": _anthropic_events}
_STATUS = {
    Fault.RATE_LIMITED: (429, "slow down"),
    Fault.SERVER_ERROR: (500, "oops"),
    Fault.UNAUTHORIZED: (401, "wrong key"),
    Fault.BAD_REQUEST: (400, "Could not process image"),
    Fault.NO_CREDIT: (400, "Your credit balance is too low"),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vendor: Vendor = "anthropic" if self.path.endswith("/v1/messages") else "openai"
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(vendor, self.path, headers, body)
        self.script.asked.append(asked)
        reply = self.script.next()
        self.close_connection = True
        match reply.fault:
            case fault if fault in _STATUS:
                # Some gateways say back whatever they were sent.
                status, said = _STATUS[fault]
                sent = headers.get("authorization") or headers.get("x-api-key")
                said = {"type": "error", "error": {"type": "x", "message": f"{said}: {sent}"}}
                wait = {} if reply.retry_after is None else {"Retry-After": reply.retry_after}
                self._send(status, json.dumps(said).encode(), wait)
            case Fault.REDIRECT:
                self._send(307, b"", {"Location": f"{self.script.address}/elsewhere"})
            case Fault.NOT_JSON:
                self._send(200, b"<html>not what you asked for</html>")
            case Fault.OTHER_JSON:
                self._send(200, b'{"unexpected": true}')
            case Fault.SILENT:
                self.script.closing.wait(30)
            case Fault.DRIBBLE:
                self._dribble(b"\r\n", b" ")
            case Fault.DRIBBLED_HEADERS:
                self._dribble(b"", b"X-Wait: 1\r\n")
            case Fault.HANG_UP:
                self.connection.close()
            case _ if body.get("stream"):
                self._stream(vendor, reply.said(asked), reply.fault)
            case _:
                whole = _WHOLE[vendor](reply.said(asked), reply.fault)
                self._send(200, json.dumps(whole).encode())

    def _send(self, status: int, payload: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def _dribble(self, after_headers: bytes, drop: bytes) -> None:
        """Some bytes now and then, each well within a read timeout, and never an end."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.flush_headers()
        self.wfile.write(after_headers)
        while not self.script.closing.wait(0.05):
            try:
                self.wfile.write(drop)
                self.wfile.flush()
            except OSError:
                return

    def _stream(self, vendor: Vendor, text: str, fault: Fault) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, (name, data) in enumerate(_EVENTS[vendor](text, fault)):
            if number == 5 and fault is Fault.CUT_STREAM:
                return
            if number == 5 and fault is Fault.ERROR_EVENT:
                error = {"type": "overloaded_error", "message": "busy"}
                self._event(vendor, "error", {"error": error})
                return
            self._event(vendor, name, data)
        if vendor == "openai":
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, vendor: Vendor, name: str, data: dict[str, Any]) -> None:
        lines = ""
        if vendor == "anthropic":
            lines, data = f"event: {name}\n", {"type": name} | data
        self.wfile.write(f"{lines}data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing on standard error."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that went away is no fault of this server."""


@contextmanager
def serving_llm() -> Iterator[Script]:
    """The server while the block runs, on a free port of this machine."""
    script = Script()
    handler = type("Handler", (_Handler,), {"script": script})
    server = _Server(("127.0.0.1", 0), handler)
    script.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        script.closing.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
