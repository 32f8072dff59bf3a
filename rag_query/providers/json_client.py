"""JSON over HTTP: retried while that may help, failures with a stable code."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.http import Attempt, attempts, is_transient, retry_after

if TYPE_CHECKING:
    import httpx2

#: No text can cause these: the key, the address or the name of the model is wrong, or
#: nothing is paid for.
_MISCONFIGURED = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 410})
#: What a service says of a text it cannot embed.
_INVALID_INPUT = frozenset({400, 413, 422})
#: A failure's type when there were too many requests.
RATE_LIMITED = "429"
_LONGEST_ANSWER = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Retries:
    """Requests that were made again, by what had failed (DEV_SPEC 3.1.6.4.3): ``429``,
    ``timeout``, ``unreachable``, ``invalid_input``, ``invalid_answer``, ``5xx`` or a status."""

    error_types: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def count(self, error: ExcerptaError) -> None:
        with self._lock:
            self.error_types[error.details["error_type"]] += 1


class JsonClient:
    """Posts to one service.

    Args:
        name: of the service, for messages.
        headers: sent with every request; never shown.
        timeout_s: of one request, from its first byte to the answer's last.
        max_retries: of one call, for transient failures; see :func:`attempts`.
        sleep: waits.
    """

    def __init__(
        self,
        name: str,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        max_retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self._headers = {"Content-Type": "application/json", **headers}
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self.retries = Retries()
        self._sleep = sleep

    def post(
        self, url: str, body: Mapping[str, Any], *, deadline_s: float | None = None
    ) -> dict[str, Any]:
        """The answer's JSON object; see :meth:`post_any`."""
        found: dict[str, Any] = self.post_any(url, body, dict, deadline_s=deadline_s)
        return found

    def post_any(
        self,
        url: str,
        body: Mapping[str, Any],
        accepted: type | tuple[type, ...],
        *,
        deadline_s: float | None = None,
    ) -> Any:
        """The answer's JSON value, of an accepted type; one of another type is a failure.

        Args:
            deadline_s: for all attempts together.

        Raises:
            ExcerptaError: ``EMBED_FAILED`` (``details["status"]`` where there was one), or
                ``MODEL_UNAVAILABLE`` for a wrong key, address or model.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

        def once(attempt: Attempt) -> Any:
            timeout_s = min(self._timeout_s, attempt.remaining_s)
            return self._once(url, data, accepted, timeout_s)

        return attempts(
            once,
            max_retries=self._max_retries,
            deadline_s=deadline_s,
            sleep=self._sleep,
            on_retry=self.retries.count,
        )

    @cached_property
    def _client(self) -> httpx2.Client:
        from rag_query.providers.http_client import http_client

        return http_client()

    def _once(
        self, url: str, data: bytes, accepted: type | tuple[type, ...], timeout_s: float
    ) -> Any:
        import httpx2

        try:
            with self._client.stream(
                "POST", url, content=data, headers=self._headers, timeout=timeout_s
            ) as response:
                answer = _read(response)
        except httpx2.TimeoutException as exc:
            raise self._unreachable("timeout", f"no whole answer in {timeout_s:.3g} s") from exc
        except httpx2.LocalProtocolError as exc:
            # Its own text may quote a header.
            raise self._unreachable("unreachable", "the request has no valid headers") from exc
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as exc:
            raise self._unreachable("unreachable", str(exc)) from exc
        if response.status_code >= 300:
            raise self._refused(response, answer)
        try:
            found = json.loads(answer)
        except ValueError as exc:
            found = exc
        if isinstance(found, accepted):
            return found
        raise ExcerptaError(
            ErrorCode.EMBED_FAILED,
            f"{self._name} answered with something that is no JSON {_named(accepted)}.",
            details={"error_type": "invalid_answer"},
            transient=True,
        )

    def _unreachable(self, error_type: str, reason: str) -> ExcerptaError:
        return ExcerptaError(
            ErrorCode.EMBED_FAILED,
            f"{self._name} could not be reached: {reason}",
            hint="Check that the service runs at the strategy's `base_url`.",
            details={"error_type": error_type},
            transient=True,
        )

    def _refused(self, response: httpx2.Response, answer: bytes) -> ExcerptaError:
        status = response.status_code
        details: dict[str, Any] = {"status": status, "error_type": _error_type(status)}
        said = answer[:500].decode("utf-8", "replace").strip()
        message = f"{self._name} answered {status}: {said or response.reason_phrase}"
        if status in _MISCONFIGURED:
            return ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                message,
                hint="Check the strategy's `base_url` and `model`, and the key in the environment.",
                details=details,
            )
        if (after := retry_after(response.headers)) is not None:
            details["retry_after_s"] = after
        return ExcerptaError(
            ErrorCode.EMBED_FAILED, message, details=details, transient=is_transient(status)
        )


def _read(response: httpx2.Response) -> bytes:
    """The answer's bytes. One that is far too long is cut, and so is no JSON any more."""
    parts: list[bytes] = []
    left = _LONGEST_ANSWER
    for part in response.iter_bytes():
        parts.append(part[:left])
        left -= len(parts[-1])
        if not left:
            break
    return b"".join(parts)


def _error_type(status: int) -> str:
    if status in _INVALID_INPUT:
        return "invalid_input"
    return "5xx" if status >= 500 else str(status)


def _named(accepted: type | tuple[type, ...]) -> str:
    return "object" if accepted is dict else "object or list"
