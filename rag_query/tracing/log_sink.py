"""Structured logs (DEV_SPEC 3.5.3): one JSON line for each span, event and trace that ended.

The lines go to the logger ``excerpta.trace`` at level INFO, so where they are kept and whether is
decided by the program's logging; nothing is built when nobody listens.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from rag_query.contracts.trace import Event, Span, TraceEnvelope

LOGGER = "excerpta.trace"
#: Longest text and list of a payload in a log line; the trace itself has the whole.
_CUT = 200
_LIST = 5


class LogSink:
    """Writes a finished trace as log lines."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._log = logger or logging.getLogger(LOGGER)

    def write(self, envelope: TraceEnvelope) -> None:
        """``span.end`` lines by their end, ``event`` lines, then ``trace.end``."""
        if not self._log.isEnabledFor(logging.INFO):
            return
        for span in sorted(envelope.spans, key=lambda s: s.end_ms):
            self._line(_span_end(envelope, span))
        for event in envelope.events:
            self._line(_event(envelope, event))
        self._line(_trace_end(envelope))

    def _line(self, value: dict[str, Any]) -> None:
        self._log.info("%s", json.dumps(value, ensure_ascii=False, default=str))


def _head(envelope: TraceEnvelope, kind: str) -> dict[str, Any]:
    return {
        "log": kind,
        "trace_id": envelope.trace_id,
        "trace_type": envelope.trace_type,
        "strategy_config_id": envelope.strategy_config_id,
    }


def _span_end(envelope: TraceEnvelope, span: Span) -> dict[str, Any]:
    provider = span.provider
    return _head(envelope, "span.end") | {
        "span_id": span.span_id,
        "name": str(span.name),
        "status": span.status,
        "duration_ms": round(span.end_ms - span.start_ms, 3),
        "provider_id": provider.provider_id if provider else None,
        "profile_id": provider.profile_id if provider else None,
        "attrs": _short(span.attrs),
    }


def _event(envelope: TraceEnvelope, event: Event) -> dict[str, Any]:
    return _head(envelope, "event") | {
        "span_id": event.span_id,
        "kind": str(event.kind),
        "ts_ms": event.ts_ms,
        "payload": _short(event.payload),
    }


def _trace_end(envelope: TraceEnvelope) -> dict[str, Any]:
    return _head(envelope, "trace.end") | {
        "status": envelope.status,
        "snapshot": envelope.snapshot,
        "aggregates": envelope.aggregates.model_dump(mode="json"),
        "eval": envelope.eval.model_dump(mode="json") if envelope.eval else None,
    }


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list):
        rest = [f"… {len(value) - _LIST} more"] if len(value) > _LIST else []
        return [_short(item) for item in value[:_LIST]] + rest
    if isinstance(value, str) and len(value) > _CUT:
        return value[:_CUT] + "…"
    return value
