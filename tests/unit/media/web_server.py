"""A local web server that serves pictures, redirects, and misbehaves."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


class _Handler(BaseHTTPRequestHandler):
    pictures: dict[str, tuple[str, bytes]]
    asked: list[str]
    closing: threading.Event

    def do_GET(self) -> None:
        self.asked.append(self.path)
        name, _, rest = self.path.lstrip("/").partition("?")
        match name:
            case "moved":
                self.send_response(302)
                self.send_header("Location", unquote(rest))
                self.send_header("Content-Length", "0")
                self.end_headers()
            case "loop":
                self.send_response(301)
                self.send_header("Location", "/loop")
                self.end_headers()
            case "status":
                self.send_response(int(rest))
                self.send_header("Content-Length", "0")
                self.end_headers()
            case "dribble":
                self._dribble()
            case "endless":
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                while not self.closing.is_set():
                    self.wfile.write(bytes(65536))
            case "cut":
                self._send("image/png", self.pictures["a.png"][1], 10_000)
            case _ if name in self.pictures:
                self._send(*self.pictures[name])
            case _:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()

    def _send(self, mime: str, data: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _dribble(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.closing.wait(0.05):
            self.wfile.write(b" ")
            self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing on standard error."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that went away is no fault of this server."""


class Web:
    """``address`` of the server, ``asked``: the paths it was asked for."""

    def __init__(self, port: int, asked: list[str]) -> None:
        self.port = port
        self.asked = asked

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"


@contextmanager
def serving_pictures(pictures: dict[str, tuple[str, bytes]]) -> Iterator[Web]:
    """The server while the block runs, on every loopback address of this machine."""
    closing = threading.Event()
    asked: list[str] = []
    made = {"pictures": pictures, "asked": asked, "closing": closing}
    server = _Server(("0.0.0.0", 0), type("Handler", (_Handler,), made))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Web(server.server_address[1], asked)
    finally:
        closing.set()
        server.shutdown()
        thread.join(10)
        server.server_close()


@contextmanager
def dribbling_handshakes() -> Iterator[int]:
    """The port of a server that begins a TLS record for who connects, and never ends it."""
    closing = threading.Event()

    def dribble() -> None:
        with contextlib.suppress(OSError):
            client, _ = listening.accept()
            with client:
                client.sendall(b"\x16\x03\x03\x40\x00")
                while not closing.wait(0.05):
                    client.sendall(b"\x02")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=dribble)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            closing.set()
            thread.join(10)
