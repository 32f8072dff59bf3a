"""Children end when there is no work, and what was killed from outside is done again."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from rag_assets.child_processes import pool as pools
from rag_assets.child_processes.jobs import Job
from rag_assets.child_processes.pool import ProcessPool
from rag_query.contracts.errors import ExcerptaError


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


def test_children_started_ahead_do_the_work_and_none_is_left_without_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "_IDLE_S", 1.0)
    before = set(psutil.Process().children())
    pool = ProcessPool(workers=2, timeout_s=20.0, memory_bytes=512 * 1024 * 1024)
    try:
        pool.start(0)
        assert set(psutil.Process().children()) == before
        pool.start(1)
        (started,) = set(psutil.Process().children()) - before
        assert _process(pool) == started.pid
        pool.start(1_000)
        assert len(set(psutil.Process().children()) - before) == 2
        deadline = time.monotonic() + 20
        while set(psutil.Process().children()) - before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert set(psutil.Process().children()) == before, "ended, though no work came"
    finally:
        pool.close()


def test_a_child_is_replaced_after_so_many_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsers leak: a library of a million documents must not end for want of memory."""
    monkeypatch.setattr(pools, "_RECYCLE_JOBS", 3)
    pool = ProcessPool(workers=1, timeout_s=20.0, memory_bytes=512 * 1024 * 1024)
    try:
        used = [_process(pool) for _ in range(7)]
    finally:
        pool.close()
    assert used == [used[0]] * 3 + [used[3]] * 3 + [used[6]]
    assert len(set(used)) == 3
    assert not any(map(psutil.pid_exists, used))


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
        assert outcome.error.hint == "The next ingest tries it again."
    finally:
        pool.close()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_children_that_are_killed_while_they_start_are_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nkill -9 $$\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    pool = ProcessPool(workers=1, timeout_s=20.0, memory_bytes=512 * 1024 * 1024)
    try:
        with pytest.raises(ExcerptaError) as caught:
            _process(pool)
        assert "do not start (SIGKILL)" in caught.value.message
        assert "memory is short" in caught.value.hint
    finally:
        pool.close()
