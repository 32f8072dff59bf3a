"""Which runs may work at the same time.

A run of all shards has the library for itself. Runs of some shards share it with runs of others
(DESIGN 2: a large load is many parallel runs). The kernel releases a killed run's locks.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rag_query.library.files import temporary_below
from rag_query.library.home import Home

#: Held exclusively by a full run and by whatever must not meet one, shared by partial runs.
RUN_LOCK = "run.lock"


@contextlib.contextmanager
def hold_shards(
    home: Home, shards: Sequence[str], *, whole: bool, on_wait: Callable[[], None]
) -> Iterator[None]:
    """Hold what a run needs until the block ends.

    One that has the whole library begins by removing what killed runs left half written in tables:
    nobody else can be writing them.

    Args:
        shards: that the run writes; locked in order, so that two runs never wait for each other.
        whole: the run has the whole library.
        on_wait: called once, before the first wait.
    """
    with contextlib.ExitStack() as stack:
        mode = fcntl.LOCK_EX if whole else fcntl.LOCK_SH
        waited = not _lock(stack, home.locks / RUN_LOCK, mode, on_wait)
        for shard in () if whole else sorted(shards):
            wait = (lambda: None) if waited else on_wait
            waited |= not _lock(stack, home.locks / f"shard-{shard}.lock", fcntl.LOCK_EX, wait)
        for path in temporary_below(home.tables) if whole else ():
            path.unlink(missing_ok=True)
        yield


def _lock(stack: contextlib.ExitStack, path: Path, mode: int, on_wait: Callable[[], None]) -> bool:
    """Take one lock; whether it was free at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = stack.enter_context(path.open("a"))
    try:
        fcntl.flock(file, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        on_wait()
        fcntl.flock(file, mode)
        return False
    return True
