"""Runs as processes: started, followed, killed, canceled, waiting for each other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.launch import RunStatus, cancel, follow, list_runs, run_status, start_ingest
from rag_assets.run_status import RunFiles
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home
from rag_query.library.settings import update_settings
from tests.integration.graph.conftest import ROOT, make_library, strategy_file, write, write_some

TIMEOUT_S = 120.0


def end_of(home: Home, run_id: str) -> RunStatus:
    *_, last = follow(home, run_id, timeout_s=TIMEOUT_S)
    return last


def until(home: Home, run_id: str, step: str) -> RunStatus:
    """The first status at which the run is in ``step``."""
    for status in follow(home, run_id, poll_s=0.02, timeout_s=TIMEOUT_S):
        if status.step == step or status.ended:
            assert status.step == step, status
            return status
    raise AssertionError(f"{step} was not reached")


def test_starting_needs_no_dagster() -> None:
    code = "import sys, rag_assets.launch; print([m for m in sys.modules if 'dagster' in m])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_a_run_its_kill_and_the_next(processes: Home, tmp_path: Path) -> None:
    home = processes
    write_some(home)
    started = start_ingest(home)
    first = end_of(home, started.run_id)
    assert first.state == "success", (home.logs / f"run-{started.run_id}.log").read_text()
    assert (first.snapshot, first.steps_done) == (1, 13)
    assert [run.run_id for run in list_runs(home)] == [started.run_id]

    # Killed while it embeds: the published library stands, the next run completes.
    update_settings(home, strategy=str(strategy_file(tmp_path, seconds=60)))
    write(home, "more.md", "# More\n\nOolong is between the two.\n")
    killed = start_ingest(home)
    assert killed.pid is not None
    until(home, killed.run_id, "embeddings")
    os.killpg(killed.pid, signal.SIGKILL)
    status = end_of(home, killed.run_id)
    assert (status.state, status.error is not None) == ("failure", True)
    assert "killed" in status.message
    assert home.current.read_text().strip() == "1"

    update_settings(home, strategy=str(strategy_file(tmp_path)))
    again = end_of(home, start_ingest(home).run_id)
    assert again.state == "success"
    assert again.snapshot == 2
    with dg.DagsterInstance.from_config(str(home.dagster)) as instance:
        states = {run.run_id: run.status for run in instance.get_runs()}
    assert states == {
        first.run_id: dg.DagsterRunStatus.SUCCESS,
        killed.run_id: dg.DagsterRunStatus.FAILURE,
        again.run_id: dg.DagsterRunStatus.SUCCESS,
    }


def test_two_at_once_and_cancel(processes: Home, tmp_path: Path) -> None:
    home = processes
    update_settings(home, strategy=str(strategy_file(tmp_path, seconds=60)))
    write(home, "a.md", "# A\n\nText.\n")
    first = start_ingest(home)
    until(home, first.run_id, "embeddings")
    second = start_ingest(home)
    for status in follow(home, second.run_id, timeout_s=TIMEOUT_S):
        if status.waits_for:
            break
    assert (status.state, status.waits_for) == ("queued", first.run_id)
    assert status.message == f"Waits for run {first.run_id} to end."

    began = time.monotonic()
    assert cancel(home, first.run_id).state == "canceled"
    assert time.monotonic() - began < 30
    until(home, second.run_id, "embeddings")
    assert cancel(home, second.run_id).state == "canceled"
    assert not home.current.exists()
    assert cancel(home, second.run_id).state == "canceled"


def test_a_run_that_cannot_begin_says_why(processes: Home) -> None:
    update_settings(processes, strategy="nowhere.yaml")
    status = end_of(processes, start_ingest(processes).run_id)
    assert status.state == "failure"
    assert status.error is not None
    assert status.error.code == "INVALID_STRATEGY"


def test_unknown_runs_and_shards(tmp_path: Path) -> None:
    home = make_library(tmp_path, shards=3)
    with pytest.raises(ExcerptaError, match="JOB_NOT_FOUND"):
        run_status(home, "../library")
    with pytest.raises(ExcerptaError, match="without a gap"):
        start_ingest(home, shards=["s00", "s02"])
    with pytest.raises(ExcerptaError, match="No such shards: s99"):
        start_ingest(home, shards=["s99"])
    assert RunFiles(home).all() == []
