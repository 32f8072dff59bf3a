"""The HTTP client of every provider: no redirects, and deadlines that mean the whole answer.

A read timeout is of one read, so a service that sends a byte now and then never ends. Here it is
the time, from the first byte of a request that is sent, by which its whole answer must have come,
headers and all.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2


class _Stream(httpcore2.NetworkStream):
    """A connection on which what follows a write is read in one read timeout altogether."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner
        self._asked_at = time.monotonic()
        self._answering = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._answering = True
        if timeout is not None:
            timeout -= time.monotonic() - self._asked_at
            if timeout <= 0:
                raise httpcore2.ReadTimeout("the answer took too long")
        return self._inner.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._answering:
            self._asked_at = time.monotonic()
            self._answering = False
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Opens such connections."""

    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        opened = self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return _Stream(opened)


class _Client(httpx2.Client):
    """Closes its connections when it is garbage collected, as the SDKs' own clients do."""

    def __init__(self) -> None:
        super().__init__(follow_redirects=False)
        # There is no parameter for it, and with a transport of one's own the client would
        # bypass the proxies that the environment names.
        for transport in (self._transport, *self._mounts.values()):
            if isinstance(transport, httpx2.HTTPTransport):
                pool = transport._pool
                pool._network_backend = _Backend(pool._network_backend)

    def __del__(self) -> None:
        self.close()


def http_client() -> httpx2.Client:
    """A client that follows no redirect: a key is sent to no address but the one it is for."""
    return _Client()
