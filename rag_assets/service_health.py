"""Whether a service is worth asking again in this run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from rag_query.contracts.errors import ErrorCode, ExcerptaError

Result = TypeVar("Result")
#: Failures of the service or its configuration; a refusal or a bad answer is of one image.
_OF_THE_SERVICE = frozenset(
    {
        ErrorCode.LLM_MISCONFIGURED,
        ErrorCode.LLM_UNAVAILABLE,
        ErrorCode.LLM_RATE_LIMITED,
        ErrorCode.LLM_TIMEOUT,
    }
)
#: Nothing of the library changes when somebody sets the key or installs what is missing.
_MENDED_OUTSIDE = frozenset({ErrorCode.LLM_MISCONFIGURED, ErrorCode.LLM_NOT_CONFIGURED})


def may_pass(error: ExcerptaError) -> bool:
    """Whether the same request may succeed in a later run."""
    return error.transient or error.code in _MENDED_OUTSIDE


class ServiceHealth:
    """Gives up after so many failures of the service in a row, at once when it is misconfigured.

    Safe to use from several threads.
    """

    def __init__(self, give_up_after: int) -> None:
        self._limit = give_up_after
        self._failures = 0
        self._last: ExcerptaError | None = None
        self._lock = threading.Lock()

    def ask(self, call: Callable[[], Result]) -> Result:
        """The result of ``call``, or the failure that made this run give up.

        Raises ExcerptaError.
        """
        with self._lock:
            if self._last is not None and self._failures >= self._limit:
                raise self._last
        try:
            result = call()
        except ExcerptaError as error:
            with self._lock:
                if error.code in _OF_THE_SERVICE:
                    self._last = error
                    hopeless = error.code == ErrorCode.LLM_MISCONFIGURED
                    self._failures = self._limit if hopeless else self._failures + 1
            raise
        with self._lock:
            self._failures = 0
        return result
