"""Compaction of a million trace lines, and questions over them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.perf.library import Work
from tests.perf.table import Row

LINES = 1_000_000
#: Traces in the lists that a page of the console shows.
ASKED = 100_000
_FILES = 8
_DAY = datetime(2026, 3, 10, tzinfo=UTC)

#: Runs in a process of its own, so that the peak is its own.
_COMPACT = """
import json, resource, sys, time
from rag_query.library.home import Home
from rag_query.tracing.compaction import compact_traces
began = time.perf_counter()
done = compact_traces(Home.resolve(sys.argv[1]))
took = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
peak, cpu = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
print(json.dumps({"rows": done.rows, "s": took, "cpu": cpu, "mb": peak, "in": done.bytes_in,
    "out": done.bytes_out}))
"""


def rows(work: Work) -> Iterator[Row]:
    """Writes the lines of a day by eight processes, compacts them, and asks."""
    from rag_query.library.home import Home
    from rag_query.tracing.compaction import compact_traces
    from rag_query.tracing.store import TraceFilter, TraceStore

    home = Home.resolve(work.home("traces"))
    shutil.rmtree(home.root, ignore_errors=True)
    size = write_lines(home.traces / "query", LINES)
    done = json.loads(
        subprocess.run(
            [sys.executable, "-c", _COMPACT, str(home.root)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    notes = f"{size / LINES:.0f} bytes a line, {done['cpu']:.0f} s of processor time"
    lost = LINES - done["rows"]
    yield Row(
        "traces", "1,000,000 lines to Parquet", done["s"], "s", 60, at_least=False, notes=notes
    )
    yield Row("traces", "peak memory of it", done["mb"], "MB", 1024, at_least=False)
    yield Row("traces", "traces lost", lost, "", 0, at_least=False)
    shutil.rmtree(home.root)
    write_lines(home.traces / "query", ASKED)
    compact_traces(home)
    store = TraceStore(home)
    store.page(limit=1)
    for name, asked in (
        ("newest 50", lambda: store.page(TraceFilter(trace_type="query"))),
        (
            "slowest 50 that failed",
            lambda: store.page(TraceFilter("query", "error"), order="-latency_ms"),
        ),
        ("percentiles by the hour", lambda: store.stats(TraceFilter("query"), bucket="hour")),
        ("one by its id", lambda: store.get(f"trc_{ASKED // 2:032x}")),
    ):
        began = time.perf_counter()
        if not asked():
            raise RuntimeError(f"{name}: nothing was found")
        took = (time.perf_counter() - began) * 1000
        yield Row("traces", f"of 100,000: {name}", took, "ms", 200, at_least=False)


def write_lines(folder: Path, lines: int) -> int:
    """Lines as queries leave them, with fewer candidates; returns their bytes."""
    folder.mkdir(parents=True)
    ranked = [{"chunk_id": f"chk_{i:024x}", "score": 1 / (i + 1)} for i in range(8)]
    line = json.dumps(
        {
            "schema_version": "1.0",
            "trace_id": "trc_%032x",
            "trace_type": "query",
            "status": "%s",
            "started_at": "%s",
            "ended_at": "%s",
            "strategy_config_id": "a" * 64,
            "snapshot": 1,
            "build": {"app_version": "0.1.0", "git_sha": None},
            "runtime": {"env": "prod", "host": "host", "pid": 1},
            "links": {"parent_trace_id": None, "job_id": None, "request_id": "%s"},
            "replay": {"plan": {"queries": [{"text": "question %d", "mode": "hybrid"}]}},
            "providers": {"stage.fusion": "fusion.default"},
            "spans": [
                {"span_id": f"spn_{i}", "name": "stage.fusion", "start_ms": i, "end_ms": i + 1}
                for i in range(6)
            ],
            "events": [
                {"event_id": "evt_1", "ts_ms": 1, "span_id": "spn_1", "kind": "fusion.ranked",
                 "payload": {"ranked": ranked}}
            ],
            "aggregates": {"latency_ms": "@", "errors": []},
        }
    ).replace('"@"', "%d.5")  # fmt: skip
    total = 0
    for part in range(_FILES):
        with (folder / f"2026-03-10-{part}.jsonl").open("w") as file:
            for number in range(part, lines, _FILES):
                began = (_DAY + timedelta(milliseconds=80 * number)).isoformat()
                status = "error" if number % 50 == 0 else "ok"
                total += file.write(
                    line % (number, status, began, began, number, number, number % 97) + "\n"
                )
    return total
