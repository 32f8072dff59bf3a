"""The same trace as log lines and as OpenTelemetry spans, taken by a real receiver."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import EventKind, Links, ProviderRef, SpanName, TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing import outlets
from rag_query.tracing.context import Trace, count, event, span, start
from rag_query.tracing.log_sink import LOGGER, LogSink
from rag_query.tracing.otlp import OtlpSink
from rag_query.tracing.outlets import EverySink, direct_sinks
from rag_query.tracing.reader import find_trace

PROVIDER = ProviderRef(provider_type="fusion", provider_id="fusion.default", profile_id="p")


class Receiver(HTTPServer):
    """An OTLP/HTTP endpoint on a free port; ``answer`` is the status it gives."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        self.answer = 200

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/traces"

    def spans(self) -> list[Any]:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        resources = [resource for request in requests for resource in request.resource_spans]
        scopes = [scope for resource in resources for scope in resource.scope_spans]
        return [found for scope in scopes for found in scope.spans]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.server.bodies.append(body)
        self.send_response(self.server.answer)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def record(*sinks: Any) -> TraceEnvelope:
    kept: list[TraceEnvelope] = []

    class Keep:
        def write(self, envelope: TraceEnvelope) -> None:
            kept.append(envelope)

    trace = Trace("query", "scfg", links=Links(request_id="r"))
    with start(trace, [*sinks, Keep()]), span(SpanName.FUSION, PROVIDER, k_out=3):
        with pytest.raises(ExcerptaError), span(SpanName.RERANK):
            raise ExcerptaError(ErrorCode.PROVIDER_UNAVAILABLE, "gone")
        event(EventKind.FUSION_RANKED, ranked=[{"chunk_id": f"c{i}"} for i in range(9)])
        count(selected_chunks=2)
    return kept[0]


def test_a_collector_gets_the_same_spans(receiver: Receiver) -> None:
    sink = OtlpSink(receiver.endpoint)
    envelope = record(sink)
    spans = {found.name: found for found in receiver.spans()}
    assert spans.keys() == {"query", "stage.fusion", "stage.rerank"}
    root, fusion, rerank = (spans[n] for n in ("query", "stage.fusion", "stage.rerank"))
    assert {found.trace_id.hex() for found in spans.values()} == {envelope.trace_id[4:]}
    assert (fusion.parent_span_id, rerank.parent_span_id) == (root.span_id, fusion.span_id)
    assert not root.parent_span_id
    attributes = {a.key: a.value for a in fusion.attributes}
    assert attributes["excerpta.provider_id"].string_value == "fusion.default"
    assert attributes["excerpta.k_out"].int_value == 3
    assert [e.name for e in fusion.events] == ["fusion.ranked"]
    assert (fusion.status.code, rerank.status.code) == (1, 2)
    recorded = next(s for s in envelope.spans if s.name == "stage.fusion")
    took = (fusion.end_time_unix_nano - fusion.start_time_unix_nano) / 1e6
    assert took == pytest.approx(recorded.end_ms - recorded.start_ms, abs=0.01)


def test_a_collector_that_refuses_never_fails_the_work(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.answer = 400
    monkeypatch.setenv(outlets.OTLP_VARIABLE, receiver.endpoint)
    envelope = record(EverySink(direct_sinks(Home(tmp_path))))
    assert receiver.bodies
    assert find_trace(Home(tmp_path), envelope.trace_id) is not None


def test_every_span_event_and_trace_ends_with_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, LOGGER):
        envelope = record(LogSink())
    lines = [json.loads(r.message) for r in caplog.records if r.name == LOGGER]
    assert [line["log"] for line in lines] == [
        "span.end", "span.end", "event", "event", "trace.end"
    ]  # fmt: skip
    rerank, fusion, _, ranked, end = lines
    assert (rerank["name"], rerank["status"]) == ("stage.rerank", "error")
    assert (fusion["provider_id"], fusion["attrs"]) == ("fusion.default", {"k_out": 3})
    assert fusion["duration_ms"] >= 0
    assert ranked["payload"]["ranked"][-1] == "… 4 more"
    assert end["aggregates"]["counters"] == {"selected_chunks": 2}
    assert {line["trace_id"] for line in lines} == {envelope.trace_id}


def test_without_a_listener_there_are_no_lines(caplog: pytest.LogCaptureFixture) -> None:
    record(LogSink())
    assert not [r for r in caplog.records if r.name == LOGGER]


def test_lines_go_to_the_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger(LOGGER)
    before = (list(logger.handlers), logger.level, logger.propagate)
    monkeypatch.setenv(outlets.LOG_VARIABLE, str(tmp_path / "trace.log"))
    try:
        envelope = record(*direct_sinks(Home(tmp_path)))
        lines = (tmp_path / "trace.log").read_text().splitlines()
        assert json.loads(lines[-1])["trace_id"] == envelope.trace_id
    finally:
        for handler in logger.handlers[len(before[0]) :]:
            handler.close()
        logger.handlers, logger.level, logger.propagate = before
        logging.getLogger(LOGGER).manager._clear_cache()  # type: ignore[attr-defined]
