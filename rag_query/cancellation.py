"""Work that nobody waits for any more ends at its next checkpoint.

Who starts work in a thread makes a :class:`Cancellation` active there; the work calls
:func:`checkpoint` between its steps. Without an active one a checkpoint does nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextvars import ContextVar

from rag_query.contracts.errors import ErrorCode, ExcerptaError


class Cancellation:
    """Whether some work is still wanted. Safe to use from several threads."""

    def __init__(self) -> None:
        self._canceled = threading.Event()

    def cancel(self) -> None:
        """The work is not wanted any more."""
        self._canceled.set()

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Checkpoints in this context ask this cancellation."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def check(self) -> None:
        """Raises ExcerptaError ``CANCELED`` when the work is not wanted any more."""
        if self._canceled.is_set():
            raise ExcerptaError(ErrorCode.CANCELED, "The work was canceled.")


_current: ContextVar[Cancellation | None] = ContextVar("excerpta_cancellation", default=None)


def checkpoint() -> None:
    """End here when the work is not wanted. Raises what :meth:`Cancellation.check` raises."""
    current = _current.get()
    if current is not None:
        current.check()
