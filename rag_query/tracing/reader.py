"""Reading traces back: by id, newest first, and the steps of one ingestion run joined."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home

log = logging.getLogger(__name__)


def read_traces(home: Home, trace_type: str) -> Iterator[TraceEnvelope]:
    """Envelopes, newest file first, newest line first. Cut or foreign lines are skipped, logged."""
    for path in sorted((home.traces / trace_type).glob("*.jsonl"), reverse=True):
        for line in reversed(path.read_bytes().split(b"\n")):
            if not line.strip():
                continue
            try:
                yield TraceEnvelope.model_validate_json(line)
            except ValidationError as exc:
                log.warning("%s: a line is not a trace envelope: %s", path.name, exc.error_count())


def find_trace(home: Home, trace_id: str) -> TraceEnvelope | None:
    """The trace with this id, its steps merged; None when there is none."""
    needle = trace_id.encode()
    parts: list[TraceEnvelope] = []
    for path in sorted(home.traces.glob("*/*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            if needle in line:
                try:
                    envelope = TraceEnvelope.model_validate_json(line)
                except ValidationError:
                    continue
                if envelope.trace_id == trace_id:
                    parts.append(envelope)
    return merge(parts) if parts else None


def merge(parts: Sequence[TraceEnvelope]) -> TraceEnvelope:
    """One envelope of the steps of one run; times are moved to the first step's start.

    Raises ValueError when ``parts`` is empty or of several traces.
    """
    if len({part.trace_id for part in parts}) != 1:
        raise ValueError("parts of exactly one trace are needed")
    ordered = sorted(parts, key=lambda part: part.started_at)
    whole = ordered[0].model_copy(deep=True)
    for part in ordered[1:]:
        shift = (part.started_at - whole.started_at).total_seconds() * 1000
        for span in part.spans:
            moved = {"start_ms": span.start_ms + shift, "end_ms": span.end_ms + shift}
            whole.spans.append(span.model_copy(update=moved))
        for event in part.events:
            whole.events.append(event.model_copy(update={"ts_ms": event.ts_ms + shift}))
        whole.providers.update(part.providers)
        totals = whole.aggregates
        for name, value in part.aggregates.counters.items():
            totals.counters[name] = totals.counters.get(name, 0) + value
        for name, value in part.aggregates.stage_latency_ms.items():
            totals.stage_latency_ms[name] = totals.stage_latency_ms.get(name, 0) + value
        totals.errors.extend(part.aggregates.errors)
        if part.status == "error":
            whole.status = "error"
        if part.snapshot is not None:
            whole.snapshot = part.snapshot
        whole.ended_at = max(whole.ended_at, part.ended_at)
    whole.aggregates.latency_ms = (whole.ended_at - whole.started_at).total_seconds() * 1000
    return whole
