"""What quotes a snapshot is written only while that snapshot is there.

A hard deletion removes the earlier snapshots, waits until nobody is writing, and then takes out
what quotes them (``publication/purge.py``). So what was being answered or evaluated meanwhile is
either found by it or never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import exclusive
from rag_query.library.home import Home


@contextmanager
def while_kept(home: Home, number: int) -> Iterator[None]:
    """Write what was made of a snapshot.

    Raises:
        ExcerptaError: ``SNAPSHOT_NOT_FOUND`` when it has been removed meanwhile.
        OSError: the library cannot be written.
    """
    with _lock(home, shared=True):
        if not home.snapshot_file(number).exists():
            raise ExcerptaError(
                ErrorCode.SNAPSHOT_NOT_FOUND,
                f"Snapshot {number} was removed while it was being read (a document was deleted "
                "for good, or the library cleaned up), so nothing was kept of what was made of it.",
                hint="Try again.",
                transient=True,
            )
        yield


def wait_for_writers(home: Home) -> None:
    """Return when nobody is writing what was made of a snapshot that is removed by now."""
    with _lock(home, shared=False):
        pass


def _lock(home: Home, *, shared: bool) -> AbstractContextManager[None]:
    return exclusive(home.locks / "quoting.lock", what="this library", shared=shared)
