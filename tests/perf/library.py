"""Libraries to measure on, built through the product's own command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA_VARIABLE = "EXCERPTA_BENCH_DATA"
WORK_VARIABLE = "EXCERPTA_BENCH_WORK"


def data() -> Path:
    """The folder of measured data. Exits with an explanation when it is not named."""
    named = os.environ.get(DATA_VARIABLE)
    if not named or not Path(named).is_dir():
        sys.exit(f"{DATA_VARIABLE} must name the folder with the data to measure on.")
    return Path(named).resolve()


@dataclass(frozen=True, slots=True)
class Work:
    """Where libraries are built; models are shared by all of them."""

    root: Path

    def home(self, name: str) -> Path:
        return self.root / name

    def environment(self) -> dict[str, str]:
        # As where a user works, Python keeps what it compiled.
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return kept | {"EXCERPTA_MODELS": str(self.root / "models")}


def excerpta(work: Work, *arguments: str, timeout_s: float = 3000) -> tuple[dict[str, Any], float]:
    """Run a command with ``--json``; returns its document and its wall seconds.

    Raises RuntimeError with the end of standard error when it fails.
    """
    command = [sys.executable, "-m", "mcp_app.cli", *arguments, "--json"]
    began = time.perf_counter()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=work.environment(),
        timeout=timeout_s,
        check=False,
    )
    took = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(arguments)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    document: dict[str, Any] = json.loads(done.stdout)
    return document, took


def build(work: Work, name: str, paths: list[Path], strategy: str) -> tuple[Path, float]:
    """A library of ``paths`` under ``strategy``; built once in a work folder.

    Returns its home and the seconds its ingest took (0.0 when it stood already).
    """
    home = work.home(f"{name}-{strategy}")
    if (home / "CURRENT").exists():
        return home, 0.0
    _, took = excerpta(
        work, "ingest", *map(str, paths), "--home", str(home), "--strategy", strategy
    )
    return home, took
