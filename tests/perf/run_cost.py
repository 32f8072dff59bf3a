"""What an ingestion run cost: seconds of its stages by its trace, and its memory at most."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import psutil

from rag_query.library.home import Home
from rag_query.tracing.reader import find_trace
from tests.perf.library import Work


def stage_seconds(home: Home, run_id: str) -> dict[str, float]:
    """Asset -> seconds of its step."""
    trace = find_trace(home, f"trc_{run_id.replace('-', '')}")
    if trace is None:
        raise RuntimeError(f"run {run_id} left no trace")
    seconds: dict[str, float] = defaultdict(float)
    for span in trace.spans:
        if span.parent_span_id is None:
            name = str(span.attrs.get("asset", span.name))
            seconds[name] += (span.end_ms - span.start_ms) / 1000
    return dict(seconds)


@dataclass(frozen=True, slots=True)
class Watched:
    """A command that was watched: its JSON document, wall seconds, highest memory in bytes."""

    result: dict[str, Any]
    seconds: float
    peak_bytes: int


def watched(work: Work, home: Home, *arguments: str) -> Watched:
    """Run a command of ``excerpta`` and add up the memory of the run it starts, parsers included.

    Shared pages count once for each process, so the figure is an upper bound.
    """
    command = [sys.executable, "-m", "mcp_app.cli", *arguments, "--json"]
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=work.environment())
    peak = 0
    while child.poll() is None:
        peak = max(peak, _memory_of_runs(home))
        time.sleep(0.1)
    took = time.perf_counter() - began
    output = child.stdout.read() if child.stdout else ""
    if child.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{output[-2000:]}")
    return Watched(json.loads(output), took, peak)


def _memory_of_runs(home: Home) -> int:
    from rag_assets.launch import list_runs

    total = 0
    for run in list_runs(home):
        if run.pid is None or run.ended:
            continue
        with contextlib.suppress(psutil.Error):
            leader = psutil.Process(run.pid)
            for process in (leader, *leader.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
    return total
