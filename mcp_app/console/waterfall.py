"""Spans of a trace as bars on one axis of time (``WaterfallTimeline``, DEV_SPEC 3.5.5.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rag_query.contracts.trace import Event, Span, TraceEnvelope

#: Width of the axis; a bar is never thinner than a thousandth of it.
AXIS = 1000.0
_THINNEST = 1.0


@dataclass(frozen=True)
class Bar:
    """One span.

    Attributes:
        depth: how many spans enclose it.
        x, width: of the bar, on an axis of :data:`AXIS`.
        events: what happened within the span, in order.
    """

    span: Span
    depth: int
    x: float
    width: float
    events: Sequence[Event]

    @property
    def ms(self) -> float:
        return self.span.end_ms - self.span.start_ms


def waterfall(trace: TraceEnvelope) -> list[Bar]:
    """A bar for each span, parents before children, otherwise by their start."""
    total = max([trace.aggregates.latency_ms, *(span.end_ms for span in trace.spans), 0.001])
    events: dict[str | None, list[Event]] = defaultdict(list)
    for event in trace.events:
        events[event.span_id].append(event)
    known = {span.span_id for span in trace.spans}
    children: dict[str | None, list[Span]] = defaultdict(list)
    for span in sorted(trace.spans, key=lambda s: (s.start_ms, s.end_ms)):
        children[span.parent_span_id if span.parent_span_id in known else None].append(span)
    bars: list[Bar] = []

    def place(parent: str | None, depth: int) -> None:
        for span in children.pop(parent, []):
            x = min(AXIS - _THINNEST, max(0.0, span.start_ms / total * AXIS))
            width = max(_THINNEST, (span.end_ms - span.start_ms) / total * AXIS)
            bars.append(Bar(span, depth, x, min(width, AXIS - x), events.get(span.span_id, [])))
            place(span.span_id, depth + 1)

    place(None, 0)
    return bars
