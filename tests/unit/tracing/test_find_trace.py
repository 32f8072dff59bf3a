"""One trace among many is found without reading them all."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing import locating
from rag_query.tracing.context import Trace, birth_of, new_trace_id
from rag_query.tracing.reader import find_trace
from rag_query.tracing.sinks import JsonLinesSink

STRATEGY = "0" * 64


def _id(moment: datetime, pid: int, number: int) -> str:
    milliseconds = int(moment.timestamp() * 1000)
    return f"trc_{milliseconds:012x}7{number & 0xFFFF:04x}{pid:06x}{number:09x}"


def _envelope(moment: datetime, trace_id: str) -> TraceEnvelope:
    made = Trace("query", STRATEGY, trace_id=trace_id).finish()
    ended = moment + timedelta(milliseconds=5)
    return made.model_copy(update={"started_at": moment, "ended_at": ended})


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.resolve(tmp_path)


def test_an_id_says_when_and_where_it_was_made() -> None:
    import os

    made = birth_of(new_trace_id())
    assert made is not None
    assert abs(made[0] - datetime.now(UTC)) < timedelta(seconds=5)
    assert made[1] == os.getpid() & 0xFFFFFF
    assert birth_of("trc_" + "0" * 32) is None and birth_of("trc_") is None
    ids = [new_trace_id() for _ in range(1_000)]
    assert len(set(ids)) == 1_000 and all(len(i) == 36 for i in ids)


def test_each_of_many_traces_is_found_by_reading_little(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locating, "_BLOCK", 4_096)
    began = datetime(2026, 3, 1, 10, tzinfo=UTC)
    sizes = 4_000
    folder = home.traces / "query"
    folder.mkdir(parents=True)
    template = _envelope(began, _id(began, 7, 0)).model_dump_json()
    with (folder / "2026-03-01-7.jsonl").open("w") as file:
        for n in range(sizes):
            moment = began + timedelta(seconds=n)
            made = _envelope(moment, _id(moment, 7, n)).model_dump_json() if n % 500 == 3 else None
            line = made or template.replace(
                '"ended_at":"2026-03-01T10:00:00.005000Z"',
                f'"ended_at":"{moment.isoformat().replace("+00:00", "Z")}"',
            )
            file.write(line + "\n")
    parsed = []
    real = locating._envelope_of
    monkeypatch.setattr(locating, "_envelope_of", lambda *a: parsed.append(1) or real(*a))
    ends = []
    real_end = locating._end_of
    monkeypatch.setattr(locating, "_end_of", lambda line: ends.append(1) or real_end(line))
    for n in range(3, sizes, 500):
        trace_id = _id(began + timedelta(seconds=n), 7, n)
        found = find_trace(home, trace_id)
        assert found is not None and found.trace_id == trace_id
    assert len(parsed) == 8 and len(ends) < 8 * 200
    assert find_trace(home, _id(began + timedelta(seconds=4), 7, 99)) is None


def test_a_query_over_midnight_and_one_of_another_process_are_found(home: Home) -> None:
    moment = datetime(2026, 3, 1, 23, 59, 59, 999_000, tzinfo=UTC)
    sink = JsonLinesSink(home)
    late, foreign = _id(moment, 7, 1), _id(moment, 999, 2)
    for trace_id in (late, foreign):
        sink.write(_envelope(moment, trace_id))
    for trace_id in (late, foreign):
        found = find_trace(home, trace_id)
        assert found is not None and found.trace_id == trace_id


def test_ids_that_say_nothing_are_still_found(home: Home) -> None:
    sink = JsonLinesSink(home)
    plain = "trc_" + "ab" * 6 + "4" + "c" * 19
    sink.write(_envelope(datetime.now(UTC), plain))
    assert birth_of(plain) is None
    found = find_trace(home, plain)
    assert found is not None and found.trace_id == plain


def test_a_trace_that_never_was_costs_little(home: Home) -> None:
    began = time.process_time()
    assert find_trace(home, new_trace_id()) is None
    assert time.process_time() - began < 0.5
