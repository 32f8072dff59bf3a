"""Traces: recorded from any thread, kept whatever happens, never in the way."""

from __future__ import annotations

import contextvars
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import EventKind, Links, ProviderRef, SpanName, TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing import outlets
from rag_query.tracing.context import MAX_LIST, Sink, Trace, count, current, event, span, start
from rag_query.tracing.outlets import background_sink
from rag_query.tracing.reader import find_trace, merge, read_traces
from rag_query.tracing.sinks import BackgroundSink, JsonLinesSink

PROVIDER = ProviderRef(provider_type="fusion", provider_id="fusion.default", profile_id="p")


class Memory:
    """Keeps envelopes."""

    def __init__(self) -> None:
        self.envelopes: list[TraceEnvelope] = []

    def write(self, envelope: TraceEnvelope) -> None:
        self.envelopes.append(envelope)


def record(*sinks: Sink, trace_id: str | None = None) -> Trace:
    trace = Trace("query", "scfg", trace_id=trace_id, links=Links(request_id="r"))
    with start(trace, sinks), span(SpanName.FUSION, PROVIDER, fusion_id="rrf") as opened:
        opened.set(k_out=3)
        event(EventKind.FUSION_RANKED, ranked=[1, 2, 3])
        count(selected_chunks=2)
        count(selected_chunks=1)
    return trace


def test_spans_events_and_counters_are_recorded() -> None:
    memory = Memory()
    record(memory)
    envelope = memory.envelopes[0]
    (recorded,) = envelope.spans
    assert (recorded.name, recorded.status) == ("stage.fusion", "ok")
    assert recorded.attrs == {"fusion_id": "rrf", "k_out": 3}
    assert recorded.provider == PROVIDER
    assert envelope.events[0].span_id == recorded.span_id
    assert envelope.providers == {"stage.fusion": "fusion.default"}
    assert envelope.aggregates.counters == {"selected_chunks": 3}
    assert set(envelope.aggregates.stage_latency_ms) == {"stage.fusion"}
    assert (envelope.status, envelope.links.request_id) == ("ok", "r")
    assert TraceEnvelope.model_validate_json(envelope.model_dump_json()) == envelope


def test_without_a_trace_nothing_happens() -> None:
    with span(SpanName.FUSION) as opened:
        opened.set(a=1)
        event(EventKind.WARNING, message="x")
        count(n=1)
    assert current() is None


def test_long_lists_are_cut_and_their_length_is_kept() -> None:
    memory = Memory()
    with start(Trace("query", "s"), [memory]):
        event(EventKind.CONTEXT_FINAL, chunk_ids=list(range(MAX_LIST + 5)))
    payload = memory.envelopes[0].events[0].payload
    assert (len(payload["chunk_ids"]), payload["chunk_ids_total"]) == (MAX_LIST, MAX_LIST + 5)


def test_a_costly_value_is_made_when_the_trace_is_written() -> None:
    made_by: list[int] = []

    def ranked() -> list[int]:
        made_by.append(threading.get_ident())
        return list(range(MAX_LIST + 1))

    memory = Memory()
    sink = BackgroundSink(memory)
    with start(Trace("query", "s"), [sink]):
        event(EventKind.FUSION_RANKED, ranked=ranked)
        assert made_by == []
    sink.close()
    payload = memory.envelopes[0].events[0].payload
    assert (len(payload["ranked"]), payload["ranked_total"]) == (MAX_LIST, MAX_LIST + 1)
    assert made_by != [threading.get_ident()]


def test_a_trace_that_is_written_late_says_when_its_work_ended() -> None:
    trace = Trace("query", "s")
    with start(trace):
        pass
    first = trace.finish()
    time.sleep(0.01)
    assert trace.finish() == first


def test_a_stage_that_failed_and_was_made_good_leaves_the_trace_ok() -> None:
    memory = Memory()
    with start(Trace("query", "s"), [memory]):
        with pytest.raises(ExcerptaError), span(SpanName.RETRIEVE_DENSE):
            raise ExcerptaError(ErrorCode.DENSE_FAILED, "gone")
        with span(SpanName.FUSION):
            pass
    envelope = memory.envelopes[0]
    assert envelope.status == "ok"
    assert [s.status for s in envelope.spans] == ["error", "ok"]
    assert [(e.stage, e.code) for e in envelope.aggregates.errors] == [
        ("stage.retrieve_dense", "DENSE_FAILED")
    ]


@pytest.mark.parametrize("inside_a_span", [True, False])
def test_work_that_failed_is_kept_with_its_error(inside_a_span: bool) -> None:
    memory = Memory()
    with pytest.raises(ExcerptaError), start(Trace("query", "s"), [memory]):
        if inside_a_span:
            with span(SpanName.FILTER):
                raise ExcerptaError(ErrorCode.INVALID_FILTER, "no")
        raise ExcerptaError(ErrorCode.INVALID_FILTER, "no")
    envelope = memory.envelopes[0]
    assert envelope.status == "error"
    assert [e.code for e in envelope.aggregates.errors] == ["INVALID_FILTER"]


def test_a_trace_within_a_trace_has_its_own_spans() -> None:
    memory = Memory()
    with start(Trace("ingestion", "s"), [memory]), span(SpanName.PUBLISH):
        record(memory)
    inner, outer = memory.envelopes
    assert [s.name for s in inner.spans] == ["stage.fusion"]
    assert inner.spans[0].parent_span_id is None
    assert [s.name for s in outer.spans] == ["stage.publish"]


def test_threads_with_the_callers_context_add_to_its_trace() -> None:
    memory = Memory()

    def work(number: int) -> None:
        with span(SpanName.RETRIEVE_SPARSE, query=number):
            for _ in range(200):
                count(candidates_sparse=1)

    with start(Trace("query", "s"), [memory]), span(SpanName.FUSION) as parent:
        contexts = [contextvars.copy_context() for _ in range(8)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda c, n: c.run(work, n), contexts, range(8)))
    envelope = memory.envelopes[0]
    assert envelope.aggregates.counters == {"candidates_sparse": 1600}
    legs = [s for s in envelope.spans if s.name == "stage.retrieve_sparse"]
    assert {s.parent_span_id for s in legs} == {parent.span_id}
    assert len(legs) == 8


def test_a_failing_sink_never_fails_the_work(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def write(self, envelope: TraceEnvelope) -> None:
            raise OSError("disk full")

    memory = Memory()
    record(Broken(), memory)
    assert len(memory.envelopes) == 1
    assert "Broken" in caplog.text


def test_lines_are_written_and_read_newest_first(tmp_path: Path) -> None:
    home = Home(tmp_path)
    sink = JsonLinesSink(home)
    ids = [record(sink).trace_id for _ in range(3)]
    assert [t.trace_id for t in read_traces(home, "query")] == ids[::-1]
    found = find_trace(home, ids[1])
    assert found is not None
    assert found.trace_id == ids[1]
    assert find_trace(home, "trc_none") is None


def test_a_line_holds_the_envelope_whole(tmp_path: Path) -> None:
    memory = Memory()
    with (
        start(Trace("query", "s"), [memory, JsonLinesSink(Home(tmp_path))]),
        span(SpanName.FUSION, PROVIDER),
    ):
        event(EventKind.CONTEXT_FINAL, text='茶 "quoted"\n', none=None, nested={"a": [1.5, True]})
    (read,) = read_traces(Home(tmp_path), "query")
    assert read == memory.envelopes[0]


def test_numbers_of_numpy_can_be_recorded(tmp_path: Path) -> None:
    with start(Trace("query", "s"), [JsonLinesSink(Home(tmp_path))]):
        event(EventKind.CONTEXT_FINAL, score=np.float32(0.5), count=np.int64(3))
    (read,) = read_traces(Home(tmp_path), "query")
    assert read.events[0].payload == {"score": 0.5, "count": 3}


def test_a_cut_line_is_skipped_and_costs_no_other(tmp_path: Path) -> None:
    home = Home(tmp_path)
    first = record(JsonLinesSink(home)).trace_id
    (path,) = (tmp_path / "traces" / "query").glob("*.jsonl")
    with path.open("ab") as file:
        file.write(b'{"trace_id": "trc_cut')
    second = record(JsonLinesSink(home)).trace_id
    assert [t.trace_id for t in read_traces(home, "query")] == [second, first]


def test_steps_of_one_run_are_joined(tmp_path: Path) -> None:
    home = Home(tmp_path)
    sink = JsonLinesSink(home)
    for _ in range(2):
        record(sink, trace_id="trc_run")
        time.sleep(0.002)
    whole = find_trace(home, "trc_run")
    assert whole is not None
    assert len(whole.spans) == 2
    assert whole.spans[0].start_ms < whole.spans[1].start_ms
    assert whole.aggregates.counters == {"selected_chunks": 6}
    with pytest.raises(ValueError, match="exactly one"):
        merge([])


def test_the_background_sink_writes_everything_before_it_closes(tmp_path: Path) -> None:
    home = Home(tmp_path)
    sink = BackgroundSink(JsonLinesSink(home))
    ids = {record(sink).trace_id for _ in range(50)}
    sink.close()
    sink.close()
    assert {t.trace_id for t in read_traces(home, "query")} == ids
    late = record(sink).trace_id
    assert find_trace(home, late) is not None


def test_a_question_whose_snapshot_was_removed_meanwhile_leaves_no_trace(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.snapshots.mkdir()
    home.snapshot_file(2).touch()
    sink = background_sink(home)
    for snapshot in (1, 2, None):
        trace = Trace("query", "scfg", trace_id=f"trc_{snapshot}")
        trace.snapshot = snapshot
        with start(trace, [sink]):
            pass
    sink.close()
    assert {t.trace_id for t in read_traces(home, "query")} == {"trc_2", "trc_None"}


def test_where_the_library_cannot_be_written_the_other_sinks_get_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    home.snapshots.mkdir()
    home.snapshot_file(1).touch()
    home.locks.touch()  # where a folder is needed
    written: list[str] = []
    other = Mock(write=lambda envelope: written.append(envelope.trace_id))
    monkeypatch.setattr(outlets, "direct_sinks", lambda home: (JsonLinesSink(home), other))
    sink = background_sink(home)
    trace = Trace("query", "scfg", trace_id="trc_1")
    trace.snapshot = 1
    with start(trace, [sink]):
        pass
    sink.close()
    assert written == ["trc_1"]


def test_the_background_sink_never_makes_a_query_wait(caplog: pytest.LogCaptureFixture) -> None:
    go = threading.Event()

    class Slow(Memory):
        def write(self, envelope: TraceEnvelope) -> None:
            go.wait(10)
            super().write(envelope)

    slow = Slow()
    sink = BackgroundSink(slow, capacity=2)
    began = time.perf_counter()
    for _ in range(10):
        record(sink)
    assert time.perf_counter() - began < 5
    go.set()
    sink.close()
    assert len(slow.envelopes) + sink.dropped == 10
    assert sink.dropped >= 7
    assert "dropped" in caplog.text


def test_files_are_one_for_each_process_and_day(tmp_path: Path) -> None:
    record(JsonLinesSink(Home(tmp_path)))
    (path,) = (tmp_path / "traces" / "query").iterdir()
    assert path.name.endswith(f"-{os.getpid()}.jsonl")
