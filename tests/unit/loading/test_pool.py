from __future__ import annotations

import time

import psutil
import pytest

from rag_assets.loading import pool as pools
from rag_assets.loading.jobs import Job
from rag_assets.loading.pool import ProcessPool


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
