"""Questions about traces: one answer over lines and Parquet files (DuckDB).

Rows of lines that are not compacted yet are read once and kept; later questions read only what was
appended since. The envelope of one trace is fetched by its id, from wherever it lies.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import duckdb
import pyarrow as pa

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.library.paging import Pages, next_cursor, sql_order
from rag_query.tracing.files import (
    Compacted,
    line_files,
    parquet_files,
    source_name,
    whole_lines,
)
from rag_query.tracing.lines import ROW_SCHEMA, ReadCounts, RowReader, TraceRow, parse_envelope
from rag_query.tracing.locating import locate_query
from rag_query.tracing.merging import merge

MAX_PAGE = 500
ORDERS = ("-started_at", "started_at", "-latency_ms", "latency_ms")


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces; None is no condition.

    Attributes:
        text: part of the first question or of the asset's name, in any case.
        min_latency_ms: at least so slow.
        evaluations: whether traces of evaluations are among them; ``only`` leaves only those.
        nested: whether the searches that an answer made on its way are, besides its own trace.
        without: ids of traces that are not.
    """

    trace_type: Literal["query", "ingestion"] | None = None
    status: Literal["ok", "error"] | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_latency_ms: float | None = None
    strategy_config_id: str | None = None
    snapshot: int | None = None
    text: str | None = None
    code: str | None = None
    eval_run_id: str | None = None
    evaluations: Literal["all", "none", "only"] = "all"
    nested: bool = True
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TraceItem:
    """One trace in a list. An ingestion run is one trace of several steps; its ``label`` is its
    first asset, its latency from its first start to its last end."""

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
    steps: int
    request_id: str | None
    job_id: str | None
    eval_run_id: str | None
    case_id: str | None
    dataset_id: str | None


@dataclass(frozen=True, slots=True)
class TracePage:
    """One page of a list; ``next_cursor`` is None on the last."""

    items: list[TraceItem]
    total: int
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TraceStats:
    """Traces of one bucket of time, or of all.

    Attributes:
        start: of the bucket; None for all.
        mean_ms: and the percentiles, of latencies; None when there are no traces.
    """

    start: datetime | None
    count: int
    errors: int
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None


class TraceStore:
    """The traces of a library. Safe to use from several threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._compacted = Compacted()
        self._tail = _Tail()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._known: list[Path] | None = None

    @property
    def counts(self) -> ReadCounts:
        """What was met in lines that are not compacted yet."""
        with self._lock:
            self._refresh()
            return self._tail.counts

    def page(
        self,
        where: TraceFilter | None = None,
        *,
        order: str = "-started_at",
        limit: int = 50,
        cursor: str | None = None,
    ) -> TracePage:
        """One page of traces.

        Args:
            order: one of :data:`ORDERS`.
            limit: 1 to :data:`MAX_PAGE`.
            cursor: ``next_cursor`` of the page before.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``.
        """
        start = Pages(ORDERS, MAX_PAGE).start(order, limit, cursor)
        source, values = _source(where or TraceFilter())
        total = self._rows(f"select count(*) from {source}", values)[0][0]
        rows = self._rows(
            f"select {_NAMES} from {source} order by {sql_order(order)}, trace_id "
            f"limit {int(limit)} offset {int(start)}",
            values,
        )
        items = [TraceItem(*row) for row in rows]
        return TracePage(items, total, next_cursor(start, len(items), total))

    def stats(
        self, where: TraceFilter | None = None, *, bucket: Literal["hour", "day"] | None = None
    ) -> list[TraceStats]:
        """Counts, errors and latencies, oldest bucket first; one element without ``bucket``."""
        source, values = _source(where or TraceFilter())
        start = f"date_trunc('{bucket}', started_at)" if bucket in ("hour", "day") else "null"
        rows = self._rows(
            f"""
            select {start} as start, count(*), count(*) filter (status = 'error'),
                avg(latency_ms), quantile_cont(latency_ms, [0.5, 0.95, 0.99])
            from {source} group by 1 order by 1
            """,
            values,
        )
        found = [
            TraceStats(begin, n, errors, mean, *(quantiles or (None, None, None)))
            for begin, n, errors, mean, quantiles in rows
        ]
        if not found and bucket is None:
            found = [TraceStats(None, 0, 0, None, None, None, None)]
        return found

    def get(self, trace_id: str) -> TraceEnvelope | None:
        """A trace by its id, its steps merged; None when there is none."""
        if (query := locate_query(self._home, trace_id)) is not None:
            return query
        with self._lock:
            offsets = self._compacted.offsets(self._home)
        lines = _in_lines(self._home, trace_id.encode(), offsets)
        lines += self._in_parquet(trace_id)
        parts = [part for line in lines if (part := parse_envelope(line))]
        parts = [part for part in parts if part.trace_id == trace_id]
        return merge(parts) if parts else None

    def _in_parquet(self, trace_id: str) -> list[bytes]:
        paths = [str(path) for path in parquet_files(self._home)]
        if not paths:
            return []
        with self._lock:
            cursor = self._connect().cursor()
        # Two steps, so that only the one row group's envelopes are read.
        found = cursor.execute(
            "select filename, file_row_number from read_parquet($paths, filename = true, "
            "file_row_number = true) where trace_id = $id",
            {"paths": paths, "id": trace_id},
        ).fetchall()
        lines: list[bytes] = []
        for path, row in found:
            lines += [
                line
                for (line,) in cursor.execute(
                    "select envelope from read_parquet($path, file_row_number = true) "
                    "where file_row_number = $row and trace_id = $id",
                    {"path": path, "row": row, "id": trace_id},
                ).fetchall()
            ]
        return lines

    def _rows(self, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        with self._lock:
            self._refresh()
            cursor = self._connect().cursor()
        return cursor.execute(sql, values).fetchall()

    def _connect(self) -> duckdb.DuckDBPyConnection:
        """The one connection, which holds the view; called with the lock held."""
        if self._connection is None:
            self._connection = duckdb.connect()
            self._connection.execute(
                "set timezone = 'UTC'; set enable_progress_bar = false; "
                "set parquet_metadata_cache = true"
            )
        return self._connection

    def _refresh(self) -> None:
        """Bring the view ``traces`` up to date with the files."""
        paths = parquet_files(self._home)
        grown = self._tail.refresh(self._home, self._compacted.offsets(self._home))
        if paths == self._known and not grown:
            return
        connection = self._connect()
        names = ", ".join(ROW_SCHEMA.names)
        connection.register("tail_rows", self._tail.table())
        parts = [f"select {names} from tail"]
        connection.execute("create or replace table tail as select * from tail_rows")
        connection.unregister("tail_rows")
        if paths:
            listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
            parts.append(f"select {names} from read_parquet([{listed}])")
        connection.execute(f"create or replace view traces as {' union all '.join(parts)}")
        self._known = paths


class _Tail:
    """Rows of the lines that are not in Parquet, by file."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, int, list[TraceRow]]] = {}
        self.counts = ReadCounts()

    def refresh(self, home: Home, offsets: dict[str, int]) -> bool:
        """Read what was appended; whether anything is other than before."""
        changed = False
        present: set[str] = set()
        reader = RowReader()
        for path in line_files(home):
            name = source_name(path)
            present.add(name)
            base = offsets.get(name, 0)
            known_base, end, rows = self._files.get(name, (base, base, []))
            if known_base != base:
                known_base, end, rows, changed = base, base, [], True
            try:
                fresh, reached = _read_rows(path, end, reader)
            except FileNotFoundError:
                # Removed since it was listed: what is known holds until the next look.
                fresh, reached = [], end
            changed |= bool(fresh)
            self._files[name] = (known_base, reached, [*rows, *fresh] if fresh else rows)
        for gone in self._files.keys() - present:
            del self._files[gone]
            changed = True
        self.counts.add(reader.counts)
        return changed

    def table(self) -> pa.Table:
        """All of them."""
        rows = [row for _, _, found in self._files.values() for row in found]
        columns = list(zip(*rows, strict=True)) or [()] * len(ROW_SCHEMA)
        arrays = [
            pa.array(column, kind) for column, kind in zip(columns, ROW_SCHEMA.types, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=ROW_SCHEMA)


def _read_rows(path: Path, start: int, reader: RowReader) -> tuple[list[TraceRow], int]:
    """Rows of the whole lines from ``start`` on, and the offset they reach."""
    if path.stat().st_size <= start:
        return [], start
    with path.open("rb") as file:
        file.seek(start)
        data = file.read()
    found = [row for a, b in whole_lines(data) if (row := reader.row(memoryview(data)[a:b]))]
    return found, start + data.rfind(b"\n") + 1


def _in_lines(home: Home, needle: bytes, offsets: dict[str, int]) -> list[bytes]:
    """Lines, not compacted yet, that hold some bytes."""
    found: list[bytes] = []
    for path in line_files(home):
        try:
            found += _lines_with(path, needle, offsets.get(source_name(path), 0))
        except FileNotFoundError:
            continue  # compacted since it was listed; its Parquet file is asked next
    return found


def _lines_with(path: Path, needle: bytes, start: int) -> list[bytes]:
    """Raises FileNotFoundError."""
    if path.stat().st_size <= start:
        return []
    found: list[bytes] = []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(needle, start)
        while at >= 0:
            begin = data.rfind(b"\n", start, at) + 1 or start
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            found.append(data[begin:end])
            at = data.find(needle, end)
    return found


_NAMES = ", ".join(TraceItem.__dataclass_fields__)
#: A query is one line.
_QUERIES = "(select *, 1 as steps from traces where trace_type = 'query')"
#: Steps of a run joined.
_RUNS = """(
    select trace_id, any_value(trace_type) as trace_type,
        case when bool_or(status = 'error') then 'error' else 'ok' end as status,
        min(started_at) as started_at, max(ended_at) as ended_at,
        case when count(*) = 1 then max(latency_ms)
            else epoch_us(max(ended_at) - min(started_at)) / 1000.0 end as latency_ms,
        arg_min(strategy_config_id, started_at) as strategy_config_id, max(snapshot) as snapshot,
        arg_min(label, started_at) as label, any_value(mode) as mode, any_value(code) as code,
        sum(errors)::integer as errors, count(*)::integer as steps,
        any_value(request_id) as request_id, any_value(job_id) as job_id,
        any_value(eval_run_id) as eval_run_id, any_value(case_id) as case_id,
        any_value(dataset_id) as dataset_id
    from traces where trace_type <> 'query' group by trace_id
)"""


def _source(where: TraceFilter) -> tuple[str, dict[str, Any]]:
    """A table expression of the traces that fit, and its values.

    A condition on a run as a whole is asked after its steps are joined.
    """
    columns: Sequence[tuple[str, str, Any]] = (
        ("status = $status", "status", where.status),
        ("started_at >= $since", "since", where.since),
        ("started_at < $until", "until", where.until),
        ("latency_ms >= $least", "least", where.min_latency_ms),
        ("strategy_config_id = $strategy", "strategy", where.strategy_config_id),
        ("snapshot = $snapshot", "snapshot", where.snapshot),
        ("contains(lower(label), lower($text))", "text", where.text),
        ("code = $code", "code", where.code),
        ("eval_run_id = $eval_run", "eval_run", where.eval_run_id),
    )
    given = [(sql, name, value) for sql, name, value in columns if value is not None]
    conditions = [sql for sql, _, _ in given]
    values = {name: value for _, name, value in given}
    if where.evaluations != "all":
        conditions.append(f"eval_run_id is {'not ' if where.evaluations == 'only' else ''}null")
    if where.without:
        conditions.append("not list_contains($without, trace_id)")
        values["without"] = sorted(where.without)
    after = " and ".join(conditions) or "true"
    alone = "" if where.nested else " and parent_trace_id is null"
    queries = f"select {_NAMES} from {_QUERIES} where {after}{alone}"
    runs = f"select {_NAMES} from {_RUNS} where {after}"
    wanted = {"query": queries, "ingestion": runs}
    if where.trace_type is not None:
        return f"({wanted[where.trace_type]})", values
    return f"({queries} union all {runs})", values
