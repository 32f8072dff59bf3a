"""Children end when there is no work, and what was killed from outside is done again."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from rag_assets.child_processes import pool as pools
from rag_assets.child_processes.jobs import Job
from rag_assets.child_processes.pool import ProcessPool


def _process(pool: ProcessPool) -> int:
    ((_, outcome),) = pool.run([Job("own", "os:getpid", (), 1)])
    return int(outcome.value)


def test_children_without_work_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows parsing (embedding, indexes) needs their memory."""
    monkeypatch.setattr(pools, "_IDLE_S", 0.5)
    pool = ProcessPool(workers=1, timeout_s=20.0, memory_bytes=512 * 1024 * 1024)
    try:
        first = _process(pool)
        assert _process(pool) == first, "between two calls it stays"
        deadline = time.monotonic() + 20
        while psutil.pid_exists(first) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not psutil.pid_exists(first)
        assert _process(pool) != first
    finally:
        pool.close()


def _killed_once(marker: str) -> str:
    """Dies at the first try, as for want of memory."""
    path = Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "read"


def test_what_was_killed_from_outside_is_tried_again(tmp_path: Path) -> None:
    pool = ProcessPool(workers=1, timeout_s=20.0, memory_bytes=512 * 1024 * 1024)
    own = f"{__name__}:_killed_once"
    try:
        ((_, outcome),) = pool.run([Job("own", own, (str(tmp_path / "marker"),), 1)])
        assert outcome.value == "read"
        ((_, outcome),) = pool.run([Job("own", f"{__name__}:_kill", (), 1)])
        assert outcome.error is not None
        assert (outcome.error.code, outcome.error.transient) == ("PARSER_CRASHED", True)
    finally:
        pool.close()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
