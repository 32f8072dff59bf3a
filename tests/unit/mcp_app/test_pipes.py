"""The claimed pipes of a server, in processes that do what servers and libraries do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest

CLAIM = "from mcp_app.pipes import claim; pipes = claim(); pipes.outward.write('ready\\n'); "
#: Holds Python's lock all the while, as the loading of a native library does.
STUCK = "import ctypes; ctypes.PyDLL(None).sleep(60)"


#: ``run(code)``: a process that has claimed its pipes and goes on with the code.
Run = Callable[[str], Any]


@pytest.fixture
def run() -> Iterator[Run]:
    processes: list[subprocess.Popen[bytes]] = []

    def start(code: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", CLAIM + code]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        processes.append(process)
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in processes:
        with process:
            process.kill()


def test_a_process_that_cannot_notice_is_ended(run: Run) -> None:
    process = run(STUCK)
    time.sleep(0.3)
    assert process.poll() is None
    began = time.monotonic()
    process.stdin.close()
    process.wait(30)
    assert time.monotonic() - began <= 1.0


def test_nothing_is_left_behind(run: Run) -> None:
    process = run("import time; time.sleep(60)")
    watchers = psutil.Process(process.pid).children()
    assert len(watchers) == 1
    process.kill()
    _, alive = psutil.wait_procs(watchers, timeout=10)
    assert not alive
    # Nobody else holds the pipe: its end is the end.
    assert process.stdout.read() == b""


def test_what_is_printed_goes_elsewhere_and_a_message_arrives_whole(run: Run) -> None:
    process = run(
        "import os, threading; print('stray', flush=True); os.write(1, b'stray'); "
        "os.system('echo stray'); "
        "threading.Thread(target=pipes.outward.write, args=('x' * 300_000 + '\\n',)).start(); "
        "pipes.inward.readall(); pipes.end()"
    )
    process.stdin.close()
    assert process.stdout.read() == b"x" * 300_000 + b"\n"
    assert process.wait(30) == 0
