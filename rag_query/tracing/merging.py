"""The steps of one ingestion run, each an envelope of the same trace, become one."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.contracts.trace import TraceEnvelope


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
