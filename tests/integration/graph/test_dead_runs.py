"""Runs whose process was killed while Dagster took them for under way, and those that live."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
import pytest

from mcp_app.commands import ui
from rag_assets.dead_runs import settle_dead_runs
from rag_assets.definitions import defs
from rag_assets.indexes.asset import bm25_index
from rag_assets.instance import open_instance, prepare_instance
from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles, RunStatus
from rag_query.library.home import Home
from tests.integration.graph.runs import execute

Status = dg.DagsterRunStatus


@pytest.fixture
def instance(home: Home) -> Iterator[dg.DagsterInstance]:
    """The library's own, whose places in pools are claimed across processes."""
    prepare_instance(home)
    with open_instance(home) as instance:
        yield instance


@pytest.fixture(scope="module")
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def begun(
    instance: dg.DagsterInstance,
    *,
    status: Status = Status.STARTED,
    tags: dict[str, str] | None = None,
    pid: int | None = None,
) -> str:
    """A run that holds the place of who writes the BM25 index; ``pid``: that Dagster noted."""
    job = defs.resolve_job_def("ingest")
    run = instance.create_run_for_job(job, status=status, tags=tags)
    pool = bm25_index.op.pool
    assert pool is not None
    instance.event_log_storage.initialize_concurrency_limit_to_default(pool)
    instance.event_log_storage.claim_concurrency_slot(pool, run.run_id, "bm25_index")
    assert run.run_id in instance.event_log_storage.get_concurrency_run_ids()
    if pid is not None:
        data = dg._core.events.EngineEventData.in_process(pid)
        instance.report_engine_event("Started process for run.", run, data)
    return run.run_id


def noted(home: Home, run_id: str, pid: int | None, started: str | None = None) -> None:
    """The status file of a run that was submitted, or has begun."""
    status = RunStatus(
        run_id=run_id,
        job="ingest",
        state="running" if pid else "queued",
        via="dagster",
        step="bm25_index" if pid else None,
        pid=pid,
        process_started=started,
        submitted_at=datetime.now(UTC),
    )
    RunFiles(home).announce(status)


def state(instance: dg.DagsterInstance, run_id: str) -> tuple[Status, bool]:
    """The run's status, and whether it holds a place in a pool."""
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status, run_id in instance.event_log_storage.get_concurrency_run_ids()


def test_whoever_starts_a_run_a_dead_one_does_not_hold_it_up(
    home: Home, instance: dg.DagsterInstance, dead_pid: int
) -> None:
    dead = begun(instance)
    noted(home, dead, dead_pid)
    execute(home, instance, job="publish")  # as the daemon or the webserver executes it
    assert state(instance, dead) == (Status.FAILURE, False)
    assert RunFiles(home).read(dead).message == "The run was killed during 'bm25_index'."


def test_the_ui_gives_dead_runs_their_end_before_it_starts(
    home: Home,
    instance: dg.DagsterInstance,
    dead_pid: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dead = begun(instance)
    noted(home, dead, dead_pid)

    def stopped(*_: object) -> contextlib.AbstractContextManager[None]:
        raise KeyboardInterrupt

    monkeypatch.setattr(ui, "_process", stopped)
    with pytest.raises(KeyboardInterrupt):
        ui._serve(home, 1, 2)
    assert state(instance, dead) == (Status.FAILURE, False)


def test_runs_that_live_or_have_not_begun_go_on(
    home: Home, instance: dg.DagsterInstance, dead_pid: int
) -> None:
    me = os.getpid()
    living, launched, submitted = begun(instance), begun(instance, pid=me), begun(instance)
    noted(home, living, me, process_start(me))
    noted(home, submitted, None)
    starting = begun(instance, status=Status.STARTING)
    elsewhere = begun(instance, pid=dead_pid, tags={".dagster/grpc_info": '{"host": "node-7"}'})
    settle_dead_runs(home, instance)
    for run_id in (living, launched, submitted, elsewhere):
        assert state(instance, run_id) == (Status.STARTED, True)
    assert state(instance, starting) == (Status.STARTING, True)


def test_a_run_killed_before_it_had_a_status_file_has_its_end(
    home: Home, instance: dg.DagsterInstance, dead_pid: int
) -> None:
    unknown, submitted = begun(instance, pid=dead_pid), begun(instance, pid=dead_pid)
    noted(home, submitted, None)
    settle_dead_runs(home, instance)
    assert state(instance, unknown) == state(instance, submitted) == (Status.FAILURE, False)


def test_places_of_a_run_that_dagster_ended_are_free_at_once(
    home: Home, instance: dg.DagsterInstance
) -> None:
    ended = begun(instance)
    run = instance.get_run_by_id(ended)
    assert run is not None
    instance.report_run_failed(run)  # as the code server does that finds the process gone
    settle_dead_runs(home, instance)
    assert state(instance, ended) == (Status.FAILURE, False)


def test_where_the_launcher_asks_after_runs_they_are_dagsters(
    home: Home,
    instance: dg.DagsterInstance,
    dead_pid: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launcher = type(instance.run_launcher)
    monkeypatch.setattr(launcher, "supports_check_run_worker_health", True)
    dead = begun(instance, pid=dead_pid)
    settle_dead_runs(home, instance)
    assert state(instance, dead) == (Status.STARTED, True)
