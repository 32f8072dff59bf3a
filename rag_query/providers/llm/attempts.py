"""Trying again: transient failures only, with doubling waits, inside one deadline."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from rag_query.contracts.errors import ExcerptaError

Result = TypeVar("Result")

_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 20.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request about to be sent."""

    number: int
    remaining_s: float


def attempts(
    once: Callable[[Attempt], Result],
    *,
    deadline_s: float,
    max_retries: int,
    sleep: Callable[[float], None] = time.sleep,
) -> Result:
    """The first result.

    A wait is what the service asks for (``retry_after_s``), at least half a second doubling up to
    20 s with a quarter of jitter. A wait that would outlast the deadline is not begun: the
    failure that asked for it is raised at once.

    Raises:
        ExcerptaError: of the last attempt.
    """
    end = time.monotonic() + deadline_s
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
            if time.monotonic() + wait >= end:
                raise
        sleep(wait)
        delay = min(delay * 2, _LONGEST_DELAY_S)
        number += 1
