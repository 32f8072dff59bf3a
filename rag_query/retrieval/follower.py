"""A background thread that opens what was published before a query needs it.

A query sees a new snapshot at once, and would pay for opening its tables and reading its vectors.
The follower looks every second whether ``CURRENT`` moved, and opens the parts itself.
"""

from __future__ import annotations

import logging
import threading

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.snapshot import Library

log = logging.getLogger(__name__)

LOOKS_EVERY_S = 1.0


class Follower:
    """Follows one library until :meth:`close`; :meth:`start` may be called again."""

    def __init__(self, library: Library, every_s: float = LOOKS_EVERY_S) -> None:
        self._library = library
        self._every_s = every_s
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._seen: int | None = None

    def start(self) -> None:
        """Begin to follow what is published from now on; returns at once."""
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                # A daemon: it only reads, so a process may end under it.
                self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop looking; waits for an opening that is under way."""
        self._closed.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _follow(self) -> None:
        self._look(warm=False)
        while not self._closed.wait(self._every_s):
            self._look(warm=True)

    def _look(self, *, warm: bool) -> None:
        """Note what is published; open it when it is new. Nothing it meets ends the thread."""
        try:
            snapshot = self._library.snapshot()
            if snapshot.number != self._seen:
                self._seen = snapshot.number
                if warm:
                    snapshot.warm()
        except ExcerptaError as exc:
            if exc.code is not ErrorCode.NOT_PUBLISHED:
                # The next query reports it; the next snapshot may be whole again.
                log.info("the published snapshot could not be opened: %s", exc)
        except Exception:
            log.exception("the published snapshot could not be opened")
