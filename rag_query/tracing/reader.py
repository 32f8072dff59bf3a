"""Reading traces back: by id, newest first, and the steps of one ingestion run joined."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import BinaryIO

from pydantic import ValidationError

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing.context import birth_of

log = logging.getLogger(__name__)

_ENDED = re.compile(rb'"ended_at":"([^"]+)"')
#: How far lines of one process may be out of order, and how long a query may take.
_SLACK = timedelta(seconds=60)
_LONGEST = timedelta(hours=1)
_BLOCK = 1 << 20


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
    """The trace with this id, its steps merged; None when there is none.

    A query's id says its day, process and time, so the line is found by halving one file however
    many traces there are. Ids that do not (those of ingestion runs) are searched for.
    """
    born = birth_of(trace_id)
    if born is not None:
        found = _of_query(home, trace_id, *born)
        if found is not None:
            return found
    needle = trace_id.encode()
    kinds = ("ingestion",) if born is not None else ("ingestion", "query")
    parts: list[TraceEnvelope] = []
    for kind in kinds:
        for path in sorted((home.traces / kind).glob("*.jsonl")):
            with path.open("rb") as file:
                lines = (line for line in file if needle in line)
                parts += [part for line in lines if (part := _parsed(line, trace_id))]
        if parts:
            break
    return merge(parts) if parts else None


def _of_query(home: Home, trace_id: str, born: datetime, pid: int) -> TraceEnvelope | None:
    """Look where the id points, then into the other files of those days."""
    folder = home.traces / "query"
    # Lines are in files of the day they ended.
    days = [(born + timedelta(days=n)).strftime("%Y-%m-%d") for n in (0, 1)]
    own = [folder / f"{day}-{pid}.jsonl" for day in days]
    others = [path for day in days for path in sorted(folder.glob(f"{day}-*.jsonl"))]
    for path in dict.fromkeys([*own, *others]):
        try:
            with path.open("rb") as file:
                found = _by_halving(file, trace_id, born)
        except FileNotFoundError:
            continue
        if found is not None:
            return found
    return None


def _by_halving(file: BinaryIO, trace_id: str, born: datetime) -> TraceEnvelope | None:
    """Lines are nearly in the order of their ends: begin a little before the id's time."""
    earliest = born - _SLACK
    low, high = 0, file.seek(0, os.SEEK_END)
    while high - low > _BLOCK:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline()
        ended = _end_of(file.readline())
        if ended is not None and ended < earliest:
            low = middle
        else:
            high = middle
    file.seek(low)
    needle = trace_id.encode()
    for line in file:
        if needle in line and (found := _parsed(line, trace_id)):
            return found
        ended = _end_of(line)
        if ended is not None and ended > born + _LONGEST:
            return None
    return None


def _end_of(line: bytes) -> datetime | None:
    """``ended_at`` of a line; None for a line that is cut or foreign."""
    found = _ENDED.search(line)
    try:
        return datetime.fromisoformat(found[1].decode()) if found else None
    except ValueError:
        return None


def _parsed(line: bytes, trace_id: str) -> TraceEnvelope | None:
    try:
        envelope = TraceEnvelope.model_validate_json(line)
    except ValidationError:
        return None
    return envelope if envelope.trace_id == trace_id else None


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
