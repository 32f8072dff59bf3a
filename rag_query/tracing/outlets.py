"""Where this process's traces go: JSON lines always, logs and a collector when they are asked for.

``EXCERPTA_TRACE_OTLP`` names an OTLP/HTTP endpoint. Log lines appear when the logger
``excerpta.trace`` is at INFO; ``EXCERPTA_TRACE_LOG`` names a file for them.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Sequence
from functools import cache

from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.library.kept_snapshot import while_kept
from rag_query.tracing.context import Sink
from rag_query.tracing.log_sink import LOGGER, LogSink
from rag_query.tracing.sinks import BackgroundSink, JsonLinesSink

OTLP_VARIABLE = "EXCERPTA_TRACE_OTLP"
LOG_VARIABLE = "EXCERPTA_TRACE_LOG"

log = logging.getLogger(__name__)


class EverySink:
    """Hands an envelope to several sinks; one that fails keeps none of the others from it."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.sinks = tuple(sinks)

    def write(self, envelope: TraceEnvelope) -> None:
        """Never raises."""
        for sink in self.sinks:
            try:
                sink.write(envelope)
            except Exception:
                log.exception("trace sink %s failed", type(sink).__name__)


class _WhileKept:
    """Drops the trace of a question whose snapshot a hard deletion has removed meanwhile."""

    def __init__(self, home: Home, sink: Sink) -> None:
        self._home = home
        self._sink = sink

    def write(self, envelope: TraceEnvelope) -> None:
        """Raises what the sink does."""
        with contextlib.ExitStack() as stack:
            try:
                if envelope.snapshot is not None:
                    stack.enter_context(while_kept(self._home, envelope.snapshot))
            except ExcerptaError:
                return
            except OSError:
                pass  # Where no lock can be written, logs and a collector still take it.
            self._sink.write(envelope)


def direct_sinks(home: Home) -> tuple[Sink, ...]:
    """Sinks that write before they return.

    Raises ExcerptaError ``EXTRA_MISSING`` when a collector is named and the extra is missing.
    """
    sinks: list[Sink] = [JsonLinesSink(home)]
    if os.environ.get(LOG_VARIABLE):
        _log_to(os.environ[LOG_VARIABLE])
    if logging.getLogger(LOGGER).isEnabledFor(logging.INFO):
        sinks.append(LogSink())
    if endpoint := os.environ.get(OTLP_VARIABLE):
        sinks.append(_collector(endpoint))
    return tuple(sinks)


def background_sink(home: Home) -> BackgroundSink:
    """The same for the questions of a library, on a thread of their own, so that none waits."""
    return BackgroundSink(_WhileKept(home, EverySink(direct_sinks(home))))


@cache
def _collector(endpoint: str) -> Sink:
    """One connection for all traces of the process."""
    from rag_query.tracing.otlp import OtlpSink

    return OtlpSink(endpoint)


@cache
def _log_to(path: str) -> None:
    """Have the trace log written to a file, one JSON object a line."""
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger(LOGGER)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
