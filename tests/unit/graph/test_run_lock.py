"""Runs of the whole library exclude each other; runs of different shards do not."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rag_assets.run_lock import hold_shards
from rag_query.library.files import temporary_beside
from rag_query.library.home import Home

_HOLD = """
import sys, time
from pathlib import Path
from rag_assets.run_lock import hold_shards
from rag_query.library.home import Home
with hold_shards(Home(Path(sys.argv[1])), sys.argv[3:], whole=sys.argv[2] == "whole",
                 on_wait=lambda: None):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextlib.contextmanager
def other_run(home: Home, kind: str, *shards: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLD, str(home.root), kind, *shards]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def waits(home: Home, process: subprocess.Popen[str], *shards: str, whole: bool = False) -> bool:
    waited: list[float] = []

    def on_wait() -> None:
        waited.append(time.monotonic())
        process.kill()  # a killed run's locks are free

    with hold_shards(home, shards, whole=whole, on_wait=on_wait):
        return bool(waited)


def test_who_waits_for_whom(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with other_run(home, "whole", "s00", "s01") as process:
        assert waits(home, process, "s00", "s01", whole=True)
    with other_run(home, "part", "s00") as process:
        assert not waits(home, process, "s01")
        assert waits(home, process, "s00")
    with other_run(home, "part", "s00") as process:
        assert waits(home, process, "s00", "s01", whole=True)


def test_what_a_killed_run_left_half_written_goes_when_nobody_else_can_be_writing(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    left = temporary_beside(home.tables / "chunks" / "s00" / "rows.parquet")
    table = left.with_name("table.parquet")
    left.parent.mkdir(parents=True)
    left.touch()
    table.touch()
    with hold_shards(home, ["s01"], whole=False, on_wait=lambda: None):
        assert left.exists()
    with hold_shards(home, ["s00", "s01"], whole=True, on_wait=lambda: None):
        assert not left.exists() and table.exists()
