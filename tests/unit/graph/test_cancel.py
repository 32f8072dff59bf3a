"""Ending a run that a Dagster webserver started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_assets import launch
from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles, RunStatus
from rag_assets.webserver import Webserver as DagsterWebserver
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home


class Webserver:
    """Refuses to end its run so often, as Dagster does while a run is starting."""

    def __init__(self, process: subprocess.Popen[bytes], refusals: int) -> None:
        self.process = process
        self.refusals = refusals

    def terminate(self, run_id: str) -> None:
        if self.refusals:
            self.refusals -= 1
            raise ExcerptaError(ErrorCode.RUN_FAILED, f"{run_id} has status STARTING")
        self.process.kill()
        self.process.wait()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as started:
        yield started
        started.kill()


@pytest.mark.parametrize("refusals", [0, 2])
def test_a_run_is_ended_though_it_was_only_starting(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    process: subprocess.Popen[bytes],
    refusals: int,
) -> None:
    home = Home(tmp_path)
    webserver = Webserver(process, refusals)
    monkeypatch.setattr(DagsterWebserver, "find", lambda _: webserver)
    monkeypatch.setattr(launch, "_ASK_AGAIN_S", 0.01)
    home.locks.mkdir(parents=True)
    status = RunStatus(
        run_id="r",
        job="ingest",
        state="queued",
        via="dagster",
        pid=process.pid,
        process_started=process_start(process.pid),
        submitted_at=datetime.now(UTC),
    )
    RunFiles(home).announce(status)
    assert launch.cancel(home, "r").state == "canceled"
    assert webserver.refusals == 0
