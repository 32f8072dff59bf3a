"""One line of a trace file: its row for lists, and its envelope, whatever version wrote it.

A row is decoded without building the envelope, a hundred times as fast. A line that was cut or is
no trace is counted and left out. A field that only a newer minor version knows is dropped; what
an older version did not write gets its default; a line of a newer major version is listed and
kept, but has no envelope here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
from pydantic import ValidationError

from rag_query.contracts.trace import TRACE_SCHEMA_VERSION, TraceEnvelope

_MAJOR = int(TRACE_SCHEMA_VERSION.split(".", maxsplit=1)[0])
#: Longest label kept in a row, in characters.
_LABEL = 200


class _Query(msgspec.Struct):
    text: str | None = None
    mode: str | None = None


class _Plan(msgspec.Struct):
    queries: list[_Query] = []


class _Replay(msgspec.Struct):
    plan: _Plan | None = None
    asset: str | None = None
    question: str | None = None


class _Links(msgspec.Struct):
    parent_trace_id: str | None = None
    job_id: str | None = None
    request_id: str | None = None


class _Error(msgspec.Struct):
    code: str = ""


class _Aggregates(msgspec.Struct):
    latency_ms: float = 0.0
    errors: list[_Error] = []


class _Eval(msgspec.Struct):
    eval_run_id: str | None = None
    case_id: str | None = None
    dataset_id: str | None = None


class _Line(msgspec.Struct):
    trace_id: str
    trace_type: str
    started_at: datetime
    ended_at: datetime
    strategy_config_id: str = ""
    schema_version: str = "0"
    status: str = "ok"
    snapshot: int | None = None
    links: _Links = msgspec.field(default_factory=_Links)
    replay: _Replay = msgspec.field(default_factory=_Replay)
    aggregates: _Aggregates = msgspec.field(default_factory=_Aggregates)
    eval: _Eval | None = None


class TraceRow(NamedTuple):
    """What a list shows of one line.

    Attributes:
        label: the first question, what was asked in a conversation, or the asset of an ingestion
            step.
        mode: of the first query.
        code: of the first error.
        errors: how many.
    """

    trace_id: str
    trace_type: str
    status: str
    started_at: datetime
    ended_at: datetime
    latency_ms: float
    strategy_config_id: str
    snapshot: int | None
    label: str
    mode: str | None
    code: str | None
    errors: int
    request_id: str | None
    job_id: str | None
    parent_trace_id: str | None
    eval_run_id: str | None
    case_id: str | None
    dataset_id: str | None
    schema_version: str


_TIME = pa.timestamp("us", tz="UTC")
_TYPES: dict[str, pa.DataType] = {
    "started_at": _TIME,
    "ended_at": _TIME,
    "latency_ms": pa.float64(),
    "snapshot": pa.int64(),
    "errors": pa.int32(),
}
#: Arrow schema of rows.
ROW_SCHEMA = pa.schema([(name, _TYPES.get(name, pa.string())) for name in TraceRow._fields])


@dataclass(slots=True)
class ReadCounts:
    """What was met while reading.

    Attributes:
        lines: that are traces.
        cut: not whole JSON; a process was killed while it wrote.
        foreign: JSON, but no trace.
        older: traces of an older version.
        newer: of a newer major version.
    """

    lines: int = 0
    cut: int = 0
    foreign: int = 0
    older: int = 0
    newer: int = 0

    def add(self, other: ReadCounts) -> None:
        """Add another reading's."""
        for field in fields(self):
            name = field.name
            setattr(self, name, getattr(self, name) + getattr(other, name))


class RowReader:
    """Decodes rows and counts what it meets. Not safe to use from several threads."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(_Line).decode
        self.counts = ReadCounts()

    def row(self, line: bytes | memoryview) -> TraceRow | None:
        """The row of a line; None for one that is to be left out."""
        try:
            found = self._decode(line)
        except msgspec.ValidationError:
            self.counts.foreign += 1
            return None
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.counts.cut += 1
            return None
        if found.schema_version != TRACE_SCHEMA_VERSION:
            order = _order(found.schema_version)
            self.counts.newer += order[0] > _MAJOR
            self.counts.older += order < _order(TRACE_SCHEMA_VERSION)
        self.counts.lines += 1
        return _row(found)


def parse_envelope(line: bytes) -> TraceEnvelope | None:
    """The envelope of a line; None when it is none that this version can read."""
    try:
        envelope = TraceEnvelope.model_validate_json(line)
        return None if _order(envelope.schema_version)[0] > _MAJOR else envelope
    except ValidationError as exc:
        errors = exc.errors()
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not isinstance(value, dict) or _order(str(value.get("schema_version", "0")))[0] > _MAJOR:
        return None
    for error in errors:
        _mend(value, error)
    try:
        return TraceEnvelope.model_validate(value)
    except ValidationError:
        return None


def _mend(value: Any, error: Any) -> None:
    """Drop what this version does not know; give what an older one did not write."""
    *way, last = error["loc"]
    place = value
    for step in way:
        try:
            place = place[step]
        except (KeyError, IndexError, TypeError):
            return
    if error["type"] == "extra_forbidden":
        place.pop(last, None)
    elif error["type"] == "missing" and not way and last in _UNWRITTEN:
        place[last] = _UNWRITTEN[last]


#: Required fields that a version before 1.0 may lack.
_UNWRITTEN: dict[str, Any] = {
    "build": {"app_version": ""},
    "runtime": {"env": "", "host": "", "pid": 0},
    "strategy_config_id": "",
}


def _order(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


def _row(found: _Line) -> TraceRow:
    plan, links, error = found.replay.plan, found.links, found.aggregates.errors
    query = plan.queries[0] if plan and plan.queries else None
    of = found.eval or _NO_EVAL
    return TraceRow(
        found.trace_id,
        found.trace_type,
        found.status,
        _utc(found.started_at),
        _utc(found.ended_at),
        found.aggregates.latency_ms,
        found.strategy_config_id,
        found.snapshot,
        ((query.text if query else found.replay.question or found.replay.asset) or "")[:_LABEL],
        query.mode if query else None,
        error[0].code if error else None,
        len(error),
        links.request_id,
        links.job_id,
        links.parent_trace_id,
        of.eval_run_id,
        of.case_id,
        of.dataset_id,
        found.schema_version,
    )


_NO_EVAL = _Eval()


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
