"""What a run's status file says, and what is true when its process is gone."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from rag_assets.process_identity import process_lives, process_start
from rag_assets.progress import RunProgress, StepOutcome
from rag_assets.run_status import FailedDocument, RunFiles, RunStatus
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library import files as library_files
from rag_query.library.files import exclusive
from rag_query.library.home import Home

RUN = "0b0c1a4e-3c1b-4b5e-9d53-6a1f0f3a7d11"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def announce(home: Home, **changes: object) -> RunFiles:
    files = RunFiles(home)
    status = RunStatus(run_id=RUN, job="ingest", state="running", submitted_at=datetime.now(UTC))
    files.announce(RunStatus.model_validate(status.model_dump() | changes))
    return files


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def record(home: Home, status: str, *, by_itself: bool = True) -> None:
    """Dagster's run storage, as far as it is read; ``by_itself``: the run noted its failure."""
    path = home.dagster / "history" / "runs.db"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE runs (run_id TEXT, status TEXT)")
        connection.execute("INSERT INTO runs VALUES (?, ?)", (RUN, status))
        connection.execute("CREATE TABLE run_tags (run_id TEXT, key TEXT, value TEXT)")
        if status == "FAILURE" and by_itself:
            reason = (RUN, "dagster/failure_reason", "RUN_EXCEPTION")
            connection.execute("INSERT INTO run_tags VALUES (?, ?, ?)", reason)
    connection.close()


def test_a_living_process_is_believed(home: Home) -> None:
    files = announce(home, pid=os.getpid(), process_started=process_start(os.getpid()))
    assert files.settled(RUN).state == "running"


def test_a_dead_process_was_killed(home: Home) -> None:
    files = announce(home, pid=dead_pid(), step="chunks")
    status = files.settled(RUN)
    assert (status.state, status.message) == ("failure", "The run was killed during 'chunks'.")
    assert files.read(RUN) == status


def test_a_full_disk_keeps_nobody_from_reading(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    files = announce(home, pid=dead_pid(), step="chunks")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RunFiles, "write", full)
    assert [status.state for status in files.all()] == ["failure"]


def test_a_run_that_a_full_disk_ended_says_so(home: Home) -> None:
    files = announce(home, pid=dead_pid(), step="documents")
    home.logs.mkdir()
    log = home.logs / f"run-{RUN}.log"
    log.write_text("x" * 100_000 + "\nOSError: [Errno 28] No space left on device\n")
    status = files.settled(RUN)
    assert status.error is not None
    assert (status.error.code, status.error.step) == ("DISK_FULL", "documents")
    assert "Free space" in status.error.hint


def test_where_no_log_could_be_written_the_disk_tells(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = announce(home, pid=dead_pid(), step="documents")
    usage = shutil.disk_usage(home.root)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    status = files.settled(RUN)
    assert status.error is not None and status.error.code == "DISK_FULL"


def test_another_process_with_the_same_number_is_not_the_run(home: Home) -> None:
    files = announce(home, pid=os.getpid(), process_started=1.0)
    assert files.settled(RUN).state == "failure"


def test_a_run_that_an_earlier_release_noted_by_the_clock_goes_on(home: Home) -> None:
    files = announce(home, pid=os.getpid(), process_started=psutil.Process().create_time())
    assert files.settled(RUN).state == "running"


def test_a_run_goes_on_though_the_clock_is_set(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    files = announce(home, pid=os.getpid(), process_started=process_start(os.getpid()))
    real = psutil.Process.create_time
    monkeypatch.setattr(psutil.Process, "create_time", lambda process: real(process) + 3600)
    assert files.settled(RUN).state == "running"


def test_where_only_the_clock_tells_when_a_process_started_it_does(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_assets.process_identity._since_boot", lambda _: None)
    started = process_start(os.getpid())
    assert announce(home, pid=os.getpid(), process_started=started).settled(RUN).state == "running"
    assert process_lives(os.getpid(), psutil.Process().create_time())
    assert not process_lives(os.getpid(), psutil.Process().create_time() + 60)


@pytest.mark.parametrize(
    ("recorded", "state"),
    [("SUCCESS", "success"), ("FAILURE", "failure"), ("CANCELED", "canceled")],
)
def test_dagsters_record_decides_about_a_dead_process(
    home: Home, recorded: str, state: str
) -> None:
    files = announce(home, pid=dead_pid(), via="dagster")
    record(home, recorded)
    assert files.settled(RUN).state == state


def test_a_run_that_dagster_ended_says_why_and_not_how_far_it_was(home: Home) -> None:
    files = announce(home, pid=dead_pid(), via="dagster", message="Opened.")
    record(home, "FAILURE")
    status = files.settled(RUN)
    assert status.error is not None
    assert status.message == status.error.message == "The run failed outside its steps."


def test_a_run_whose_process_dagster_found_gone_was_killed(home: Home) -> None:
    files = announce(home, pid=dead_pid(), via="dagster", step="embeddings")
    record(home, "FAILURE", by_itself=False)
    status = files.settled(RUN)
    assert status.error is not None and status.error.step == "embeddings"
    assert status.message == "The run was killed during 'embeddings'."


def test_a_run_that_never_had_a_process_was_not_killed(home: Home) -> None:
    files = announce(home, via="dagster", state="queued")
    record(home, "FAILURE", by_itself=False)
    assert files.settled(RUN).message == "The run failed outside its steps."


def test_a_submitted_run_without_a_process_waits(home: Home) -> None:
    files = announce(home, via="dagster", state="queued")
    record(home, "STARTING")
    assert files.settled(RUN).state == "queued"


@pytest.mark.parametrize(("ahead_s", "state"), [(5, "queued"), (3600, "failure")])
def test_a_run_whose_starter_died_ends_though_the_clock_was_ahead(
    home: Home, ahead_s: int, state: str
) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=ahead_s)
    files = announce(home, state="queued", submitted_at=moment)
    assert files.settled(RUN).state == state


def test_runs_of_before_the_clock_was_set_back_are_the_oldest(home: Home) -> None:
    files = RunFiles(home)
    for name, days, state in (
        ("first", -2, "success"),
        ("ahead", 3, "success"),
        ("second", -1, "failure"),
        ("goes on", 2, "running"),
    ):
        moment = datetime.now(UTC) + timedelta(days=days)
        pid = os.getpid() if state == "running" else None
        status = RunStatus(run_id=name, job="ingest", state="queued", pid=pid, submitted_at=moment)
        files.write(status.model_copy(update={"state": state}))
    assert [run.run_id for run in files.all()] == ["goes on", "second", "first", "ahead"]


def test_asked_to_end_is_canceled(home: Home) -> None:
    files = announce(home, pid=dead_pid(), cancel_requested=True)
    assert files.settled(RUN).state == "canceled"


def test_an_ended_run_stays_as_it_ended(home: Home) -> None:
    files = announce(home, state="success")
    files.update(RUN, state="failure")
    assert files.read(RUN).state == "success"


def test_a_damaged_file_is_no_run(home: Home) -> None:
    files = announce(home)
    (home.jobs / "other.json").write_text("{")
    assert [status.run_id for status in files.all()] == [RUN]
    with pytest.raises(ExcerptaError, match="JOB_NOT_FOUND"):
        files.settled("other")


def test_progress_gathers_what_the_steps_tell(home: Home) -> None:
    progress = RunProgress.of_run(home, RUN, "ingest", ["s00"])
    progress.running()
    lost = FailedDocument(source_uri="file://inbox/a.md", code="EMPTY_FILE", message="It is empty.")
    broken = FailedDocument(source_uri="file://inbox/b.md", code="NOT_UTF8", message="It is not.")
    progress.step("inventory", 3)
    progress.step_done(StepOutcome({"added": 2, "failed": 1}, failed=[lost], warnings=["w"]))
    progress.step("parsed", 3)
    progress.step_done(
        StepOutcome(
            {"parsed_rows": 2},
            computed=2,
            failed=[lost, broken],
            moved={"added": -1, "new_version": 2},
        )
    )
    progress.step("chunks", 3)
    progress.failed(ExcerptaError(ErrorCode.DISK_FULL, "Full.", hint="Free some."), "chunks")
    status = RunFiles(home).read(RUN)
    assert status.counts == {
        "added": 1,
        "new_version": 2,
        "failed": 2,
        "parsed_rows": 2,
        "computed": 2,
    }
    assert status.failed_documents == [lost, broken]
    assert (status.steps_done, status.steps_total, status.step) == (2, 3, "chunks")
    assert status.error is not None
    assert (status.error.code, status.error.step) == ("DISK_FULL", "chunks")


def test_a_step_that_waits_for_another_process_says_so_until_it_goes_on(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_files, "TOLD_AFTER_S", 0.01)
    progress = RunProgress.of_run(home, RUN, "ingest", ["s00"])
    progress.step("snapshot", 3)
    lock = home.locks / "publication.lock"

    def publish() -> None:
        with exclusive(lock, what="the published snapshots"):
            pass

    waiting = threading.Thread(target=publish)
    with progress.telling_waits():
        with exclusive(lock):
            waiting.start()
            deadline = time.monotonic() + 10
            while (told := RunFiles(home).read(RUN).message) == "snapshot …":
                assert time.monotonic() < deadline
                time.sleep(0.01)
        waiting.join()
    assert told == "Waits for another process, which is writing to the published snapshots."
    assert RunFiles(home).read(RUN).message == "snapshot …"


@pytest.mark.parametrize("run_id", ["a" * 300, "../library", "a\0b"])
def test_an_id_of_no_run_is_the_id_of_no_run(home: Home, run_id: str) -> None:
    home.jobs.mkdir(parents=True)
    with pytest.raises(ExcerptaError) as caught:
        RunFiles(home).read(run_id)
    assert caught.value.code == ErrorCode.JOB_NOT_FOUND and len(caught.value.message) < 200
