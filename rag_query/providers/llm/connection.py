"""The HTTP client both vendors' SDKs are given: no redirects, and deadlines that mean the whole.

An SDK's read timeout is of one read, so a service that sends a byte now and then never ends.
Here the read timeout of a request is the time by which its whole answer must have come.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from rag_query.contracts.errors import ErrorCode, ExcerptaError


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


def _limit(response: httpx2.Response) -> None:
    read = response.request.extensions.get("timeout", {}).get("read")
    if read is not None:
        end = time.monotonic() + read
        response.stream = _WholeAnswer(response.stream, response.request, end)


class _Client(httpx2.Client):
    """Gives its connections back when nobody holds it, as the SDKs' own clients do."""

    def __del__(self) -> None:
        self.close()


def http_client() -> httpx2.Client:
    """A key is sent to the address it was given for and to no other."""
    return _Client(follow_redirects=False, event_hooks={"response": [_limit]})


def read_key(variable: str) -> str:
    """The key in an environment variable; empty when the strategy names none.

    Raises:
        ExcerptaError: ``LLM_MISCONFIGURED`` when the variable is named and not set.
    """
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ExcerptaError(
            ErrorCode.LLM_MISCONFIGURED,
            f"The environment variable {variable} holds no key.",
            hint=f"Set {variable}, or name another variable as the strategy's `api_key_env`.",
        )
    return key


def missing_extra(package: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.LLM_MISCONFIGURED,
        f"The Python package {package!r} is not installed.",
        hint=f"Install it: pip install 'excerpta[{package}]'.",
    )
