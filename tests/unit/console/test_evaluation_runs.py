"""An evaluation that the console started: how it ended, and how it is ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mcp_app.console import evaluation_runs
from mcp_app.console.evaluation_runs import EvaluationRuns
from rag_query.library.home import Home

_STAYS = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True);"
    "time.sleep(60)"
)


def test_one_that_does_not_end_is_killed_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_runs, "_END_S", 0.05)
    runs = EvaluationRuns(Home(tmp_path))
    with subprocess.Popen([sys.executable, "-c", _STAYS], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        runs._process = process
        runs.end()
        assert process.returncode == -9


def test_the_end_of_what_a_failed_one_said_is_shown(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.logs.mkdir()
    runs = EvaluationRuns(home)
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"]) as process:
        process.wait()
        runs._process = process
        (home.logs / "evaluation.log").write_text("步" * 40_000 + "。失败\n" + "\n" * 300)
        assert runs.state().failed == "步" * 597 + "。失败"
        (home.logs / "evaluation.log").write_text("")
        assert "without a word" in (runs.state().failed or "")
