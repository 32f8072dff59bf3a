"""Where finished traces go: JSON lines, one file for each process and day."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from pydantic import BaseModel

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing.context import Sink

log = logging.getLogger(__name__)

#: Building an envelope holds Python's lock, which the thread that sends the answer needs first.
_ANSWER_FIRST_S = 0.02


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.__dict__
    if hasattr(value, "item"):  # a number of NumPy
        return value.item()
    # What msgspec asks of a hook that does not know a type.
    raise NotImplementedError(f"a trace cannot hold a {type(value).__name__}")


#: Writes what ``model_dump_json`` would, in less than half the time.
_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


class JsonLinesSink:
    """Appends one envelope a line to ``traces/<type>/<date>-<pid>.jsonl``.

    A line is one ``write`` on a descriptor opened for appending, so a killed process leaves at
    most one cut line at the end, which the reader skips. A file that ends in a cut line (of an
    earlier process with the same id) gets a newline first, so that no line is lost to it.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.traces
        self._lock = threading.Lock()
        self._path: Path | None = None

    def write(self, envelope: TraceEnvelope) -> None:
        """Raises OSError when the disk refuses."""
        line = _ENCODER.encode(envelope) + b"\n"
        path = self._file(envelope)
        with self._lock:
            if path != self._path:
                path.parent.mkdir(parents=True, exist_ok=True)
                line = (b"\n" if _ends_cut(path) else b"") + line
                self._path = path
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                _write_all(handle, line)
            finally:
                os.close(handle)

    def _file(self, envelope: TraceEnvelope) -> Path:
        day = envelope.ended_at.strftime("%Y-%m-%d")
        return self._folder / envelope.trace_type / f"{day}-{os.getpid()}.jsonl"


class BackgroundSink:
    """Builds and writes envelopes on a thread of its own, so that no query waits for either.

    At most ``capacity`` envelopes wait; when the disk cannot keep up, further ones are dropped,
    counted and logged. :meth:`close` (also called at exit) writes what still waits.
    """

    def __init__(self, sink: Sink, *, capacity: int = 1000) -> None:
        self._sink = sink
        self._queue: queue.Queue[Callable[[], TraceEnvelope] | None] = queue.Queue(capacity)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._closing = threading.Event()
        self.dropped = 0

    def write(self, envelope: TraceEnvelope) -> None:
        """Queue an envelope; never blocks. After :meth:`close` it is written at once."""
        self.write_later(lambda: envelope)

    def write_later(self, finish: Callable[[], TraceEnvelope]) -> None:
        """As :meth:`write`, of an envelope that is still to be built."""
        with self._lock:
            if not self._closed:
                if self._thread is None:
                    self._begin()
                try:
                    self._queue.put_nowait(finish)
                except queue.Full:
                    self.dropped += 1
                    log.warning("traces are dropped: the sink is too slow (%d)", self.dropped)
                return
        self._sink.write(finish())

    def close(self, timeout_s: float = 10.0) -> None:
        """Write what waits, for at most ``timeout_s``; may be called again."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._closing.set()
            thread = self._thread
        if thread is not None:
            atexit.unregister(self.close)
            try:
                self._queue.put(None, timeout=timeout_s)
            except queue.Full:
                log.warning("%d traces were not written", self._queue.qsize())
                return
            thread.join(timeout_s)

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._drain, name="traces", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def _drain(self) -> None:
        while (finish := self._queue.get()) is not None:
            # Once for all that wait, so that a busy server's traces keep pace.
            if self._queue.empty():
                self._closing.wait(_ANSWER_FIRST_S)
            try:
                self._sink.write(finish())
            except Exception:
                log.exception("trace sink %s failed", type(self._sink).__name__)


def _ends_cut(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    except FileNotFoundError:
        return False


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
