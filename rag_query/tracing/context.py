"""Opening traces and spans, emitting events (DEV_SPEC 3.5.4).

The runner opens spans around stages; a stage's code only calls :func:`event` and :func:`count`.
Both find the current trace in a context variable and do nothing when there is none, so stage
code can be called anywhere. A sink that fails is logged once and never fails the work.

Recording only keeps what it is given. The envelope's models are built when a sink writes it,
which a sink that waits (:class:`DeferringSink`) does on a thread of its own, so that a query pays
for neither.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import platform
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import MAXYEAR, UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol, cast, runtime_checkable

from rag_query import __version__
from rag_query.contracts.errors import classify
from rag_query.contracts.trace import (
    Aggregates,
    Build,
    Event,
    EventKind,
    Links,
    ProviderRef,
    Runtime,
    Span,
    SpanName,
    StageError,
    TraceEnvelope,
)
from rag_query.text.ids import TRACE_PREFIX

log = logging.getLogger(__name__)

#: Longest list kept in an event's payload; longer ones are cut and their length recorded.
MAX_LIST = 200


class Sink(Protocol):
    """Takes a finished envelope."""

    def write(self, envelope: TraceEnvelope) -> None: ...


@runtime_checkable
class DeferringSink(Sink, Protocol):
    """A sink that has envelopes built later, by a thread of its own."""

    def write_later(self, finish: Callable[[], TraceEnvelope]) -> None:
        """``finish`` may be called from any thread, and gives the same whenever it is called."""
        ...

    def close(self) -> None:
        """Write what still waits; may be called again."""
        ...


class RecordedSpan(NamedTuple):
    """See :class:`~rag_query.contracts.trace.Span`."""

    span_id: str
    parent_span_id: str | None
    name: SpanName
    status: Literal["ok", "error"]
    start_ms: float
    end_ms: float
    provider: ProviderRef | None
    attrs: dict[str, Any]


class RecordedEvent(NamedTuple):
    """See :class:`~rag_query.contracts.trace.Event`; a payload's value may be a function of no
    arguments that makes it (:func:`event`)."""

    event_id: str
    ts_ms: float
    span_id: str | None
    kind: EventKind
    payload: dict[str, Any]

    def shown(self) -> Event:
        """With every value made, and long lists cut."""
        payload: dict[str, Any] = {}
        for key, given in self.payload.items():
            value = given() if callable(given) else given
            if isinstance(value, list) and len(value) > MAX_LIST:
                payload[f"{key}_total"] = len(value)
                value = value[:MAX_LIST]
            payload[key] = value
        return Event(**(self._asdict() | {"payload": payload}))


class Trace:
    """A trace being recorded; made current by :func:`start`. Safe to use from several threads:
    lists are only appended to, counters change under a lock."""

    def __init__(
        self,
        trace_type: Literal["ingestion", "query"],
        strategy_config_id: str,
        *,
        trace_id: str | None = None,
        links: Links | None = None,
    ) -> None:
        self.trace_id = trace_id or new_trace_id()
        self.trace_type = trace_type
        self.strategy_config_id = strategy_config_id
        self.links = links or Links()
        self.snapshot: int | None = None
        self.replay: dict[str, Any] = {}
        self.providers: dict[str, str] = {}
        self.spans: list[RecordedSpan] = []
        self.events: list[RecordedEvent] = []
        self.counters: dict[str, float] = {}
        self.errors: list[StageError] = []
        self.failed = False
        # Traces of one run share their id, so ids inside begin with the recorder's own.
        self._own = uuid.uuid4().hex[:12]
        self._numbers = itertools.count()
        self._counting = threading.Lock()
        self._started_at = datetime.now(UTC)
        self._clock = time.perf_counter()
        self._ended: tuple[datetime, float] | None = None

    def new_id(self, kind: Literal["spn", "evt"]) -> str:
        """A fresh id of a span or an event."""
        return f"{kind}_{self._own}{next(self._numbers):04x}"

    def now_ms(self) -> float:
        """Milliseconds since the trace began."""
        return round((time.perf_counter() - self._clock) * 1000, 3)

    def add(self, counters: Mapping[str, float]) -> None:
        """Add to the counters."""
        with self._counting:
            for name, value in counters.items():
                self.counters[name] = self.counters.get(name, 0) + value

    def end(self) -> None:
        """Note when the work ended; once."""
        self._ended = self._ended or (datetime.now(UTC), self.now_ms())

    def finish(self) -> TraceEnvelope:
        """The envelope, which ends the trace if it has not ended yet.

        Its status is ``error`` when the work as a whole failed; a stage that failed and was
        made good shows in its span and in ``aggregates.errors``.
        """
        self.end()
        ended_at, latency_ms = cast("tuple[datetime, float]", self._ended)
        stages: dict[str, float] = {}
        for span in self.spans:
            stages[span.name] = round(stages.get(span.name, 0.0) + span.end_ms - span.start_ms, 3)
        return TraceEnvelope(
            trace_id=self.trace_id,
            trace_type=self.trace_type,
            status="error" if self.failed else "ok",
            started_at=self._started_at,
            ended_at=ended_at,
            strategy_config_id=self.strategy_config_id,
            snapshot=self.snapshot,
            build=Build(app_version=__version__, git_sha=os.environ.get("EXCERPTA_GIT_SHA")),
            runtime=Runtime(
                env=os.environ.get("EXCERPTA_ENV", "prod"), host=platform.node(), pid=os.getpid()
            ),
            links=self.links,
            replay=self.replay,
            providers=self.providers,
            spans=[Span(**s._asdict()) for s in sorted(self.spans, key=lambda s: s.start_ms)],
            events=[e.shown() for e in sorted(self.events, key=lambda e: e.ts_ms)],
            aggregates=Aggregates(
                latency_ms=latency_ms,
                stage_latency_ms=stages,
                counters=dict(self.counters),
                errors=self.errors,
            ),
        )


class OpenSpan:
    """Handle of a span while its stage runs."""

    def __init__(self, span_id: str) -> None:
        self.span_id = span_id
        self.attrs: dict[str, Any] = {}

    def set(self, **attrs: Any) -> None:
        """Add attributes."""
        self.attrs.update(attrs)


_trace: ContextVar[Trace | None] = ContextVar("excerpta_trace", default=None)
_span: ContextVar[OpenSpan | None] = ContextVar("excerpta_span", default=None)


def new_trace_id() -> str:
    """``trc_`` and 32 hexadecimal digits that begin with the time, like an UUIDv7 (RFC 9562), and
    hold the process, so that the line it is written to is found without a search."""
    milliseconds = time.time_ns() // 1_000_000
    chance = uuid.uuid4().hex
    return (
        f"{TRACE_PREFIX}{milliseconds:012x}7{chance[:4]}{os.getpid() & 0xFFFFFF:06x}{chance[4:13]}"
    )


def birth_of(trace_id: str) -> tuple[datetime, int] | None:
    """When and in which process a trace id was made; None for one that does not say."""
    digits = trace_id.removeprefix(TRACE_PREFIX)
    if len(digits) != 32 or digits[12] != "7":
        return None
    try:
        moment = datetime.fromtimestamp(int(digits[:12], 16) / 1000, UTC)
        pid = int(digits[17:23], 16)
    except ValueError:
        return None
    # Twelve digits can name times beyond the last year there is, and callers add a day to this.
    return None if moment.year == MAXYEAR else (moment, pid)


def current() -> Trace | None:
    """The trace of this context, if any."""
    return _trace.get()


@contextlib.contextmanager
def start(trace: Trace, sinks: Sequence[Sink] = ()) -> Iterator[Trace]:
    """Make ``trace`` current; hand its envelope to ``sinks`` at the end, also after an error."""
    token = _trace.set(trace)
    outer = _span.set(None)
    try:
        yield trace
    except BaseException as exc:
        trace.failed = True
        if isinstance(exc, Exception) and not any(s.status == "error" for s in trace.spans):
            error = classify(exc)
            trace.errors.append(
                StageError(stage=trace.trace_type, code=error.code, message=error.message)
            )
        raise
    finally:
        _span.reset(outer)
        _trace.reset(token)
        trace.end()
        for sink in sinks:
            try:
                if isinstance(sink, DeferringSink):
                    sink.write_later(trace.finish)
                else:
                    sink.write(trace.finish())
            except Exception:
                log.exception("trace sink %s failed", type(sink).__name__)


@contextlib.contextmanager
def span(name: SpanName, provider: ProviderRef | None = None, **attrs: Any) -> Iterator[OpenSpan]:
    """Record a stage. An exception marks the span as failed, is recorded and goes on."""
    trace = _trace.get()
    opened = OpenSpan(trace.new_id("spn") if trace else "")
    opened.set(**attrs)
    if trace is None:
        yield opened
        return
    parent = _span.get()
    token = _span.set(opened)
    began = trace.now_ms()
    status: Literal["ok", "error"] = "ok"
    try:
        yield opened
    except BaseException as exc:
        status = "error"
        if isinstance(exc, Exception):
            error = classify(exc)
            trace.errors.append(StageError(stage=name, code=error.code, message=error.message))
            event(EventKind.ERROR, code=str(error.code), message=error.message)
        raise
    finally:
        _span.reset(token)
        trace.spans.append(
            RecordedSpan(
                opened.span_id,
                parent.span_id if parent else None,
                name,
                status,
                began,
                trace.now_ms(),
                provider,
                opened.attrs,
            )
        )
        if provider is not None:
            trace.providers[str(name)] = provider.provider_id


def event(kind: EventKind, /, **payload: Any) -> None:
    """Emit an event in the current span.

    A value that costs something to make may be a function of no arguments over what does not
    change any more; it is called when the trace is written, on another thread perhaps.
    """
    trace = _trace.get()
    if trace is None:
        return
    opened = _span.get()
    trace.events.append(
        RecordedEvent(
            trace.new_id("evt"),
            trace.now_ms(),
            opened.span_id if opened else None,
            kind,
            payload,
        )
    )


def count(**counters: float) -> None:
    """Add to the trace's counters."""
    trace = _trace.get()
    if trace is not None:
        trace.add(counters)
