"""A killed run leaves no process behind for ever, and no other process is ever ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_assets.left_helpers import end_left_helpers
from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles, RunState, RunStatus
from rag_query.library.home import Home

RUN = "0b0c1a4e-3c1b-4b5e-9d53-6a1f0f3a7d11"
#: Starts ``tail`` in its own session, tells its number, and lives until it is told to die.
_RUN = """
import subprocess, sys
tail = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
print(tail.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@contextmanager
def run_with_tail(home: Home, *command: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The process of a run, and the number of the ``tail`` it started."""
    log = home.dagster / "storage" / RUN / "compute_logs" / "abc.out"
    log.parent.mkdir(parents=True)
    log.touch()
    with subprocess.Popen(
        [sys.executable, "-c", _RUN, *command, str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        tail = int(run.stdout.readline())
        try:
            yield run, tail
        finally:
            run.kill()
            subprocess.run(["kill", str(tail)], capture_output=True, check=False)


def announce(home: Home, pid: int, state: RunState = "running") -> None:
    status = RunStatus(run_id=RUN, job="ingest", state=state, submitted_at=datetime.now(UTC))
    known = {"pid": pid, "process_started": process_start(pid)}
    RunFiles(home).announce(status.model_copy(update=known))


def test_what_follows_the_log_of_a_dead_run_is_ended(home: Home) -> None:
    with run_with_tail(home, "tail", "-F", "-c", "+0") as (run, tail):
        announce(home, run.pid)
        assert end_left_helpers(home) == []  # the run lives
        run.kill()
        run.wait()
        assert end_left_helpers(home) == [tail]


def test_whoever_else_reads_that_log_is_left_alone(home: Home) -> None:
    """Another session, and another command in the same one."""
    with run_with_tail(home, "tail", "-F", "-c", "+0") as (run, _):
        announce(home, run.pid + 1, "failure")
        run.kill()
        run.wait()
        assert end_left_helpers(home) == []
    with run_with_tail(Home(home.root / "other"), "tail", "-f") as (run, _):
        announce(Home(home.root / "other"), run.pid, "failure")
        run.kill()
        run.wait()
        assert end_left_helpers(Home(home.root / "other")) == []
