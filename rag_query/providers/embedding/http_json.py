"""JSON over HTTP for remote embedders: retried while that may help, failures with a stable code."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Worth another try: timeouts, too many requests, faults of the server.
_TRANSIENT = frozenset({408, 409, 425, 429})
#: No text can cause these: the key, the address or the name of the model is wrong, or
#: nothing is paid for.
_MISCONFIGURED = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 410})
#: What a service says of a text it cannot embed.
_INVALID_INPUT = frozenset({400, 413, 422})
#: A failure's type when there were too many requests.
RATE_LIMITED = "429"
_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 20.0
_LONGEST_ANSWER = 512 * 1024 * 1024


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key is sent to the address it was given for and to no other."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Retries:
    """Requests that were made again, by what had failed (DEV_SPEC 3.1.6.4.3): ``429``,
    ``timeout``, ``unreachable``, ``invalid_input``, ``invalid_answer``, ``5xx`` or a status."""

    error_types: Counter[str] = field(default_factory=Counter)

    def count(self, error: ExcerptaError) -> None:
        self.error_types[error.details["error_type"]] += 1


class JsonClient:
    """Posts to one service.

    Args:
        name: of the service, for messages.
        headers: sent with every request; never shown.
        timeout_s: of one request.
        max_retries: of one call, for transient failures; waits double from half a second, or are
            what ``Retry-After`` asks for, up to 20 s.
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
        self._opener = urllib.request.build_opener(_NoRedirects)

    def post(self, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer's JSON object; see :meth:`post_any`."""
        found: dict[str, Any] = self.post_any(url, body, dict)
        return found

    def post_any(self, url: str, body: Mapping[str, Any], accepted: type | tuple[type, ...]) -> Any:
        """The answer's JSON value, of an accepted type; one of another type is a failure.

        Raises:
            ExcerptaError: ``EMBED_FAILED`` (``details["status"]`` where there was one), or
                ``MODEL_UNAVAILABLE`` for a wrong key, address or model.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        delay = _FIRST_DELAY_S
        for attempt in range(self._max_retries + 1):
            try:
                return self._once(url, data, accepted)
            except ExcerptaError as error:
                if not error.transient or attempt == self._max_retries:
                    raise
                self.retries.count(error)
                asked = error.details.get("retry_after_s", 0.0)
            self._sleep(min(max(delay, asked), _LONGEST_DELAY_S))
            delay *= 2
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _once(self, url: str, data: bytes, accepted: type | tuple[type, ...]) -> Any:
        request = urllib.request.Request(url, data, self._headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                answer = response.read(_LONGEST_ANSWER)
        except urllib.error.HTTPError as exc:
            with exc:
                raise self._refused(exc) from exc
        except (OSError, http.client.HTTPException) as exc:
            reason = exc.reason if isinstance(exc, urllib.error.URLError) else exc
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED,
                f"{self._name} could not be reached: {reason}",
                hint="Check that the service runs at the strategy's `base_url`.",
                details={
                    "error_type": "timeout" if isinstance(reason, TimeoutError) else "unreachable"
                },
                transient=True,
            ) from exc
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

    def _refused(self, exc: urllib.error.HTTPError) -> ExcerptaError:
        details: dict[str, Any] = {"status": exc.code, "error_type": _error_type(exc.code)}
        said = exc.read(500).decode("utf-8", "replace").strip()
        message = f"{self._name} answered {exc.code}: {said or exc.reason}"
        if exc.code in _MISCONFIGURED:
            return ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                message,
                hint="Check the strategy's `base_url` and `model`, and the key in the environment.",
                details=details,
            )
        if after := _retry_after(exc.headers.get("Retry-After") or ""):
            details["retry_after_s"] = after
        transient = exc.code in _TRANSIENT or exc.code >= 500
        return ExcerptaError(ErrorCode.EMBED_FAILED, message, details=details, transient=transient)


def _error_type(status: int) -> str:
    if status in _INVALID_INPUT:
        return "invalid_input"
    return "5xx" if status >= 500 else str(status)


def _retry_after(said: str) -> float:
    """Seconds to wait: a number of them, or until a date; 0 for neither."""
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return 0.0


def _named(accepted: type | tuple[type, ...]) -> str:
    return "object" if accepted is dict else "object or list"
