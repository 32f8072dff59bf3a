"""The line of one query's trace, found without a search.

A query's trace id says its day, process and time, and the lines of a process are in the order of
their ends, so halving one file finds it however many traces there are.
"""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from typing import BinaryIO

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing.context import birth_of
from rag_query.tracing.lines import parse_envelope

_ENDED = re.compile(rb'"ended_at":"([^"]+)"')
#: How far lines of one process may be out of order, and how long a query may take.
_SLACK = timedelta(seconds=60)
_LONGEST = timedelta(hours=1)
_BLOCK = 1 << 20


def locate_query(home: Home, trace_id: str) -> TraceEnvelope | None:
    """The trace of a query that still stands in its lines; None for any other."""
    born = birth_of(trace_id)
    return None if born is None else _of_query(home, trace_id, *born)


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
        if needle in line and (found := _envelope_of(line, trace_id)):
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


def _envelope_of(line: bytes, trace_id: str) -> TraceEnvelope | None:
    envelope = parse_envelope(line)
    return envelope if envelope is not None and envelope.trace_id == trace_id else None
