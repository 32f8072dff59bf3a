"""Traces are found wherever they lie: in lines, in Parquet, whole or after a crash."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.tracing import compaction, reader
from rag_query.tracing import store as store_module
from rag_query.tracing.compaction import compact_traces, prune_traces
from rag_query.tracing.files import line_files, parquet_files
from rag_query.tracing.reader import find_trace, read_traces
from rag_query.tracing.store import TraceFilter, TraceStore

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def trace(number: int, trace_type: str = "query", **changes: Any) -> dict[str, Any]:
    began = NOW - timedelta(minutes=number)
    return {
        "schema_version": "1.0",
        "trace_id": f"trc_{number:032x}",
        "trace_type": trace_type,
        "status": "error" if number % 5 == 0 else "ok",
        "started_at": began.isoformat(),
        "ended_at": (began + timedelta(milliseconds=number)).isoformat(),
        "strategy_config_id": "scfg",
        "snapshot": 1,
        "build": {"app_version": "1"},
        "runtime": {"env": "test", "host": "h", "pid": 1},
        "replay": {"plan": {"queries": [{"text": f"question {number} 茶", "mode": "hybrid"}]}},
        "aggregates": {
            "latency_ms": float(number),
            "errors": [{"stage": "s", "code": "DENSE_FAILED", "message": ""}] * (number % 5 == 0),
        },
    } | changes


def write(
    home: Home, *traces: dict[str, Any] | bytes, day: str = "2026-03-10", pid: int = 1
) -> Path:
    kind = "query" if isinstance(traces[0], bytes) else traces[0]["trace_type"]
    path = home.traces / kind / f"{day}-{pid}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for item in traces:
            line = item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n"
            file.write(line)
    return path


def ids(store: TraceStore, where: TraceFilter | None = None, **options: Any) -> list[int]:
    return [int(item.trace_id[4:], 16) for item in store.page(where, **options).items]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(params=["lines", "parquet", "both"])
def filled(request: pytest.FixtureRequest, home: Home) -> Home:
    write(home, *(trace(n) for n in range(1, 21)))
    if request.param != "lines":
        compact_traces(home, now=NOW)
    later = [trace(n) for n in range(21, 31)]
    write(home, *later, pid=2)
    if request.param == "parquet":
        compact_traces(home, now=NOW)
    return home


def test_lists_are_paged_newest_or_slowest_first(filled: Home) -> None:
    store = TraceStore(filled)
    page = store.page(limit=12)
    assert (page.total, len(page.items)) == (30, 12)
    assert ids(store, limit=12) == list(range(1, 13))
    assert ids(store, limit=12, cursor=page.next_cursor) == list(range(13, 25))
    last = store.page(limit=12, cursor="o24")
    assert (len(last.items), last.next_cursor) == (6, None)
    assert ids(store, order="-latency_ms", limit=3) == [30, 29, 28]


def test_lists_are_filtered(filled: Home) -> None:
    store = TraceStore(filled)
    assert ids(store, TraceFilter(status="error")) == [5, 10, 15, 20, 25, 30]
    assert ids(store, TraceFilter(code="DENSE_FAILED", min_latency_ms=20)) == [20, 25, 30]
    assert ids(store, TraceFilter(since=NOW - timedelta(minutes=2))) == [1, 2]
    assert ids(store, TraceFilter(until=NOW - timedelta(minutes=28))) == [29, 30]
    assert ids(store, TraceFilter(text="QUESTION 30")) == [30]
    assert ids(store, TraceFilter(trace_type="ingestion")) == []
    one, *_ = store.page(TraceFilter(text="QUESTION 30")).items
    assert ids(store, TraceFilter(min_latency_ms=29, without=frozenset({one.trace_id}))) == [29]
    assert ids(store, TraceFilter(trace_type="query", evaluations="only")) == []
    with pytest.raises(ExcerptaError) as caught:
        store.page(order="label; drop table traces")
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT


def test_an_answer_is_listed_once_and_by_its_question(home: Home) -> None:
    asked = {"replay": {"session_id": "ses_1", "question": "Who opened the gate?"}}
    search = {"links": {"parent_trace_id": f"trc_{1:032x}"}}
    write(home, trace(1, **asked), trace(2, **search), trace(3))
    for _ in range(2):
        store = TraceStore(home)
        alone = TraceFilter(trace_type="query", nested=False)
        assert ids(store, alone) == [1, 3]
        assert store.stats(alone)[0].count == 2
        assert ids(store) == [1, 2, 3]
        assert store.page(TraceFilter(text="the gate")).items[0].label == "Who opened the gate?"
        compact_traces(home, now=NOW)


def test_one_is_found_by_its_id(filled: Home) -> None:
    for number in (1, 20, 30):
        found = TraceStore(filled).get(f"trc_{number:032x}")
        assert found is not None
        assert found.replay["plan"]["queries"][0]["text"] == f"question {number} 茶"
    assert find_trace(filled, "trc_" + "f" * 32) is None
    assert len(list(read_traces(filled, "query"))) == 30


def test_latencies_by_the_hour(filled: Home) -> None:
    store = TraceStore(filled)
    (whole,) = store.stats()
    assert (whole.count, whole.errors, whole.p50_ms) == (30, 6, 15.5)
    (before,) = store.stats(TraceFilter(until=NOW), bucket="hour")
    assert before.start == NOW - timedelta(hours=1)
    assert store.stats(TraceFilter(text="nothing"), bucket="hour") == []
    (none,) = store.stats(TraceFilter(text="nothing"))
    assert (none.count, none.mean_ms) == (0, None)


def test_a_store_sees_what_is_appended_and_compacted_meanwhile(home: Home) -> None:
    store = TraceStore(home)
    assert store.page().total == 0
    write(home, trace(1))
    assert ids(store) == [1]
    write(home, trace(2))
    compact_traces(home, now=NOW)
    write(home, trace(3))
    assert ids(store) == [1, 2, 3]
    compact_traces(home, now=NOW)
    assert ids(store) == [1, 2, 3]


def test_steps_of_a_run_are_one_trace(home: Home) -> None:
    for number, asset in ((9, "documents"), (8, "parsed")):
        step = trace(number, "ingestion", trace_id="trc_run", replay={"asset": asset})
        write(home, step)
    for _ in range(2):
        (item,) = TraceStore(home).page(TraceFilter(trace_type="ingestion")).items
        assert (item.label, item.steps) == ("documents", 2)
        assert item.latency_ms == pytest.approx(60_000 + 8)
        whole = find_trace(home, "trc_run")
        assert whole is not None and whole.ended_at == item.ended_at
        compact_traces(home, now=NOW)


def test_a_line_cut_in_the_middle_is_counted_and_costs_no_other(home: Home) -> None:
    write(home, trace(1), b'{"trace_id": "trc_cut", "tra', b"\n", trace(2), b'{"also": 1}\n')
    write(home, b'{"not ended yet')
    store = TraceStore(home)
    assert ids(store) == [1, 2]
    assert (store.counts.lines, store.counts.cut, store.counts.foreign) == (2, 1, 1)
    done = compact_traces(home, now=datetime.now(UTC))
    assert (done.rows, done.counts.cut, done.counts.foreign) == (2, 1, 1)
    # The process goes on and ends its line.
    write(home, b'": 1}\n', trace(3))
    assert ids(store) == [1, 2, 3]


def test_lines_of_other_versions(home: Home) -> None:
    older = trace(1, schema_version="0.9")
    for name in ("build", "runtime"):
        del older[name]
    minor = trace(2, schema_version="1.7", surprise={"of": "later"})
    minor["aggregates"]["shine"] = 3
    write(home, older, minor, trace(3, schema_version="2.0"))
    store = TraceStore(home)
    for _ in range(2):
        assert ids(store) == [1, 2, 3]
        for number in (1, 2):
            assert store.get(f"trc_{number:032x}") is not None
        assert store.get(f"trc_{3:032x}") is None
        done = compact_traces(home, now=NOW)
    assert (store.counts.older, store.counts.newer) == (1, 1)
    assert done.rows == 0


def test_killed_between_the_file_and_the_lines_removal_nothing_is_twice(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(home, *(trace(n) for n in range(5)), day="2026-03-01")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compaction._Compactor, "_remove_finished", killed)
    with pytest.raises(KeyboardInterrupt):
        compact_traces(home, now=NOW)
    monkeypatch.undo()
    assert path.exists() and len(parquet_files(home)) == 1
    assert ids(TraceStore(home)) == [0, 1, 2, 3, 4]
    done = compact_traces(home, now=NOW)
    assert (done.rows, done.removed) == (0, 1)
    assert ids(TraceStore(home)) == [0, 1, 2, 3, 4]


def test_killed_while_it_writes_nothing_is_lost(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, *(trace(n) for n in range(5)))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compaction, "sync_folder", killed)
    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        compact_traces(home, now=NOW)
    monkeypatch.undo()
    assert (len(line_files(home)), parquet_files(home)) == (1, [])
    assert ids(TraceStore(home)) == [0, 1, 2, 3, 4]


def test_old_traces_go(home: Home) -> None:
    write(home, trace(1), day="2026-01-01")
    write(home, trace(2), day="2026-01-01", pid=2)
    compact_traces(home, now=NOW)
    write(home, trace(3))
    old = write(home, trace(4), day="2026-01-02")
    os.utime(old, (0, 0))
    assert prune_traces(home, keep_days=30, now=NOW) == 2
    assert ids(TraceStore(home)) == [3]


def test_first_questions_at_once_share_one_view(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, *(trace(n) for n in range(1, 4)))
    compact_traces(home, now=NOW)
    store = TraceStore(home)
    made: list[Any] = []
    connect = duckdb.connect

    def slowly() -> Any:
        made.append(connect())
        time.sleep(0.2)
        return made[-1]

    monkeypatch.setattr(duckdb, "connect", slowly)
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(store.get, f"trc_{2:032x}")
        total = pool.submit(lambda: store.page().total)
        assert one.result() is not None and total.result() == 3
    assert len(made) == 1
    assert ids(store) == [1, 2, 3]


def test_lines_that_compaction_removes_meanwhile_are_passed_over(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = write(home, trace(1), day="2026-03-01")
    kept = TraceStore(home)
    assert ids(kept) == [1]
    listed = line_files(home)
    compact_traces(home, now=NOW)
    assert not gone.exists()
    for module in (store_module, reader):
        monkeypatch.setattr(module, "line_files", lambda *_: listed)
    for store in (TraceStore(home), kept):
        assert ids(store) == [1]
        assert store.get(f"trc_{1:032x}") is not None
    assert len(list(read_traces(home, "query"))) == 1


def test_what_is_known_of_lines_holds_until_their_parquet_file_is_seen(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = write(home, trace(1))
    store = TraceStore(home)
    assert ids(store) == [1]
    listed = line_files(home)
    gone.unlink()
    monkeypatch.setattr(store_module, "line_files", lambda *_: listed)
    assert ids(store) == [1]
    monkeypatch.undo()
    assert ids(store) == []


@pytest.mark.parametrize("digits", ["f" * 12, "e677d21fdbff", "z" * 12])
def test_an_id_of_no_day_is_the_id_of_no_trace(filled: Home, digits: str) -> None:
    assert find_trace(filled, f"trc_{digits}7{'f' * 19}") is None
    assert find_trace(filled, f"trc_{digits}7{'z' * 19}") is None


def test_lines_go_only_when_their_parquet_file_is_on_disk(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, trace(1), day="2026-03-01")
    done: list[str] = []

    def noted(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            done.append(name)
            return real(*given, **named)

        monkeypatch.setattr(owner, name, call)

    for owner, name in (
        (compaction, "sync_file"),
        (Path, "replace"),
        (compaction, "sync_folder"),
        (Path, "unlink"),
    ):
        noted(owner, name)
    compact_traces(home, now=NOW)
    assert done[:3] == ["sync_file", "replace", "sync_folder"]
