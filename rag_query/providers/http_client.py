"""The HTTP client of every provider: no redirects, and deadlines that mean the whole answer.

A read timeout is of one read, so a service that sends a byte now and then never ends. Here the
read timeout of a request is the time, from its first byte, by which its whole answer must have
come.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx2

_END = "excerpta_end"


class _WholeAnswer(httpx2.SyncByteStream):
    """Bytes of an answer until ``end`` (monotonic seconds)."""

    def __init__(self, inner: Any, request: httpx2.Request, end: float) -> None:
        self._inner = inner
        self._request = request
        self._end = end

    def __iter__(self) -> Iterator[bytes]:
        for part in self._inner:
            if time.monotonic() > self._end:
                raise httpx2.ReadTimeout("the answer took too long", request=self._request)
            yield part

    def close(self) -> None:
        self._inner.close()


def _begin(request: httpx2.Request) -> None:
    read = request.extensions.get("timeout", {}).get("read")
    if read is not None:
        request.extensions[_END] = time.monotonic() + read


def _limit(response: httpx2.Response) -> None:
    end = response.request.extensions.get(_END)
    if end is not None:
        response.stream = _WholeAnswer(response.stream, response.request, end)


class _Client(httpx2.Client):
    """Closes its connections when it is garbage collected, as the SDKs' own clients do."""

    def __del__(self) -> None:
        self.close()


def http_client() -> httpx2.Client:
    """A client that follows no redirect: a key is sent to no address but the one it is for."""
    return _Client(follow_redirects=False, event_hooks={"request": [_begin], "response": [_limit]})
