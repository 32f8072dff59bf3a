"""``excerpta ui`` as a person starts it, copies a library beside it, and kills it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest

from rag_assets.webserver import Webserver
from rag_query.library.home import Home
from tests.e2e.conftest import Excerpta


@pytest.fixture
def ui(excerpta: Excerpta, tmp_path: Path) -> Iterator[tuple[Home, subprocess.Popen[str]]]:
    """A library of its own, and the process that shows it."""
    made = Excerpta(tmp_path / "lib", excerpta.environment)
    assert made.run("init").returncode == 0
    environment = dict(made.environment)
    with subprocess.Popen(
        [*made.command, "ui"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Home(made.home), process
        finally:
            process.kill()


def test_a_copied_library_starts_nothing_in_its_original_and_a_killed_ui_leaves_no_process(
    ui: tuple[Home, subprocess.Popen[str]], tmp_path: Path
) -> None:
    home, process = ui
    assert process.stdout is not None
    console, dagster = (process.stdout.readline().split()[-1] for _ in range(2))
    for url in (f"{console}/healthz", f"{dagster}/server_info"):
        assert httpx2.get(url, timeout=30).status_code == 200
    found = Webserver.find(home)
    assert found is not None and (found.url, found.console) == (dagster, console)

    copy = tmp_path / "copy"
    shutil.copytree(home.root, copy)
    assert Webserver.find(Home(copy)) is None

    parts = psutil.Process(process.pid).children(recursive=True)
    assert len(parts) >= 3
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not _left(parts, 60)
    assert Webserver.find(home) is None


def _left(processes: list[psutil.Process], most_s: float) -> list[psutil.Process]:
    """Those that still run after so many seconds."""
    deadline = time.monotonic() + most_s
    while (left := [each for each in processes if _runs(each)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    return left


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
