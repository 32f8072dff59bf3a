"""What every provider behind HTTP shares: addresses, what is tried again, and when."""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator

from rag_query.contracts.errors import ExcerptaError

Result = TypeVar("Result")

#: Worth another try besides errors of the server (5xx): timeouts, conflicts, too many requests.
_TRANSIENT = frozenset({408, 409, 425, 429})
_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 20.0


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must begin with http:// or https://")
    if parts.username or parts.password or parts.query:
        raise ValueError("must hold no name, password or query; keys come from the environment")
    return url.rstrip("/")


BaseUrl = Annotated[str, AfterValidator(_address)]


def is_transient(status: int) -> bool:
    """Whether a request that got this status may get another one later."""
    return status in _TRANSIENT or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a service asks to wait (RFC 9110 10.2.3: a number, or a date)."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        date = email.utils.parsedate_tz(said)
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request about to be sent; ``remaining_s`` is infinite without a deadline."""

    number: int
    remaining_s: float


def attempts(
    once: Callable[[Attempt], Result],
    *,
    max_retries: int,
    deadline_s: float | None = None,
    sleep: Callable[[float], None] = time.sleep,
    on_retry: Callable[[ExcerptaError], None] | None = None,
) -> Result:
    """The first result; transient failures are tried again.

    A wait is what the service asks for (``retry_after_s``), at least half a second doubling up to
    20 s with a quarter of jitter. With a deadline for all attempts, a wait that would outlast it
    is not begun: the failure that asked for it is raised at once. Without one no wait is longer
    than 20 s.

    Args:
        on_retry: told each failure after which another attempt is made.

    Raises:
        ExcerptaError: of the last attempt.
    """
    end = math.inf if deadline_s is None else time.monotonic() + deadline_s
    delay = _FIRST_DELAY_S
    number = 1
    while True:
        try:
            return once(Attempt(number, max(0.001, end - time.monotonic())))
        except ExcerptaError as error:
            if not error.transient or number > max_retries:
                raise
            asked = float(error.details.get("retry_after_s", 0.0))
            wait = max(asked, delay * random.uniform(0.75, 1.0))
            if deadline_s is None:
                wait = min(wait, _LONGEST_DELAY_S)
            elif time.monotonic() + wait >= end:
                raise
            if on_retry is not None:
                on_retry(error)
        sleep(wait)
        delay = min(delay * 2, _LONGEST_DELAY_S)
        number += 1
