"""OpenTelemetry export: the same spans and events, to any OTLP collector (extra ``otel``).

A span keeps the trace's own ids: 32 hex digits are OpenTelemetry's trace id as well, and span ids
are made of ours. The root span is the query or the ingestion step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import Event, Span, TraceEnvelope
from rag_query.text.ids import TRACE_PREFIX

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import SpanContext

#: Longest attribute, in characters; what is longer stands in the trace itself.
_CUT = 4000


class OtlpSink:
    """Sends each finished trace to a collector over OTLP/HTTP.

    Args:
        endpoint: as ``http://127.0.0.1:4318/v1/traces``; by default what OpenTelemetry's own
            environment variables say.

    Raises:
        ExcerptaError: ``EXTRA_MISSING`` without the extra ``otel``.
    """

    def __init__(self, endpoint: str | None = None, *, timeout_s: float = 10.0) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
        except ImportError as exc:
            raise ExcerptaError(
                ErrorCode.EXTRA_MISSING,
                "OpenTelemetry is not installed.",
                hint="Run `pip install 'excerpta[otel]'`.",
            ) from exc
        self._exporter = OTLPSpanExporter(endpoint=endpoint, timeout=timeout_s)
        self._resource = Resource.create({"service.name": "excerpta"})

    def write(self, envelope: TraceEnvelope) -> None:
        """Raises ExcerptaError ``PROVIDER_UNAVAILABLE`` when the collector does not take it."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        if self._exporter.export(to_spans(envelope, self._resource)) != SpanExportResult.SUCCESS:
            raise ExcerptaError(
                ErrorCode.PROVIDER_UNAVAILABLE,
                "The OpenTelemetry collector did not take a trace.",
                transient=True,
            )


def to_spans(envelope: TraceEnvelope, resource: Resource) -> Sequence[ReadableSpan]:
    """The root span, then one for each span of the trace."""
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import SpanKind, Status, StatusCode

    began = _nanoseconds(envelope.started_at)
    # An ingestion run leaves one envelope a step; each step has a root of its own.
    root_name = str(envelope.replay.get("asset") or envelope.trace_type)
    root_id = f"{envelope.trace_id}/{root_name}/{began}"
    root = _context(envelope, root_id)
    by_span: dict[str | None, list[Event]] = {}
    for event in envelope.events:
        by_span.setdefault(event.span_id, []).append(event)

    def made(name: str, span: Span | None, parent: SpanContext | None) -> ReadableSpan:
        failed = (span.status if span else envelope.status) == "error"
        start = began + _from_ms(span.start_ms) if span else began
        end = began + _from_ms(span.end_ms) if span else _nanoseconds(envelope.ended_at)
        return ReadableSpan(
            name=name,
            context=_context(envelope, span.span_id) if span else root,
            parent=parent,
            resource=resource,
            attributes=_of_span(span) if span else _of_trace(envelope),
            events=_events(by_span.get(span.span_id if span else None, []), began),
            kind=SpanKind.INTERNAL if span else SpanKind.SERVER,
            status=Status(StatusCode.ERROR if failed else StatusCode.OK),
            start_time=start,
            end_time=max(start, end),
        )

    parents = {span.span_id for span in envelope.spans}
    return [
        made(root_name, None, None),
        *(
            made(
                str(span.name),
                span,
                _context(envelope, span.parent_span_id)
                if span.parent_span_id in parents and span.parent_span_id
                else root,
            )
            for span in envelope.spans
        ),
    ]


def _context(envelope: TraceEnvelope, span_id: str) -> SpanContext:
    from opentelemetry.trace import SpanContext, TraceFlags

    digits = envelope.trace_id.removeprefix(TRACE_PREFIX)
    known = len(digits) == 32 and all(c in "0123456789abcdef" for c in digits)
    trace = int(digits, 16) if known else _number(envelope.trace_id, 16)
    return SpanContext(trace or 1, _number(span_id, 8), False, TraceFlags(TraceFlags.SAMPLED))


def _number(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big") or 1


def _of_trace(envelope: TraceEnvelope) -> dict[str, Any]:
    counters = {f"excerpta.counter.{k}": v for k, v in envelope.aggregates.counters.items()}
    return _plain(
        {
            "excerpta.trace_id": envelope.trace_id,
            "excerpta.trace_type": envelope.trace_type,
            "excerpta.strategy_config_id": envelope.strategy_config_id,
            "excerpta.snapshot": envelope.snapshot,
            "excerpta.app_version": envelope.build.app_version,
            "excerpta.request_id": envelope.links.request_id,
            "excerpta.job_id": envelope.links.job_id,
            "excerpta.eval_run_id": envelope.eval.eval_run_id if envelope.eval else None,
            "excerpta.case_id": envelope.eval.case_id if envelope.eval else None,
            **counters,
        }
    )


def _of_span(span: Span) -> dict[str, Any]:
    provider = span.provider
    own = {f"excerpta.{name}": value for name, value in span.attrs.items()}
    if provider:
        own |= {
            "excerpta.provider_type": provider.provider_type,
            "excerpta.provider_id": provider.provider_id,
            "excerpta.profile_id": provider.profile_id,
        }
    return _plain(own | {"excerpta.span_id": span.span_id})


def _events(events: Sequence[Event], began: int) -> list[Any]:
    from opentelemetry.sdk.trace import Event as OtelEvent

    return [
        OtelEvent(
            str(event.kind),
            _plain({f"excerpta.{name}": value for name, value in event.payload.items()}),
            began + _from_ms(event.ts_ms),
        )
        for event in events
    ]


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Values OpenTelemetry takes: numbers and texts; what has parts becomes JSON."""
    made: dict[str, Any] = {}
    for name, value in attributes.items():
        if isinstance(value, bool | int | float):
            made[name] = value
        elif value is not None:
            text = value if isinstance(value, str) else json.dumps(value, default=str)
            made[name] = text[:_CUT]
    return made


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000


def _from_ms(milliseconds: float) -> int:
    return int(milliseconds * 1_000_000)
