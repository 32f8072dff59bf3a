"""Compaction: JSON lines become Parquet, a row for lists beside each line as it was written.

Lines are read in blocks and written in small row groups, so that memory stays low and one trace
can be fetched without reading its neighbours. Compression runs on a thread beside the decoding.
A file of a day that is over goes when all of it is in Parquet.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rag_query.library.files import sync_file, sync_folder, temporary_beside
from rag_query.library.home import Home
from rag_query.tracing.files import (
    SOURCES_KEY,
    Compacted,
    day_of,
    line_files,
    parquet_files,
    source_name,
    traces_lock,
    whole_lines,
)
from rag_query.tracing.lines import ROW_SCHEMA, ReadCounts, RowReader, TraceRow

#: Schema of a compacted file: the row, and the line.
SCHEMA = ROW_SCHEMA.append(pa.field("envelope", pa.binary()))
_BLOCK = 8 * 1024 * 1024
_GROUP_ROWS = 4096
_GROUP_BYTES = 8 * 1024 * 1024
#: A last line without an end is given up when its file has not grown for so long.
_ABANDONED = timedelta(hours=1)


@dataclass(slots=True)
class Compaction:
    """What a compaction did.

    Attributes:
        rows: lines written to Parquet.
        files: Parquet files made.
        removed: line files that went.
        bytes_in: of the lines; ``bytes_out`` of the Parquet files.
    """

    rows: int = 0
    files: int = 0
    removed: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    counts: ReadCounts = field(default_factory=ReadCounts)


def compact_traces(home: Home, *, now: datetime | None = None) -> Compaction:
    """Take every whole line that is not in Parquet yet. Raises OSError.

    Killed at any point, every trace is still found, once.
    """
    with traces_lock(home):
        for left in (home.traces / "parquet").glob("*/.tmp-*"):
            left.unlink()  # By a killed process: only who holds the lock writes here.
        compactor = _Compactor(Compacted().offsets(home), now or datetime.now(UTC))
        by_day: dict[tuple[str, str], list[Path]] = defaultdict(list)
        for path in line_files(home):
            if day_of(path) is not None:
                by_day[path.parent.name, path.name[:10]].append(path)
        for (kind, day), paths in sorted(by_day.items()):
            compactor.take(home.traces / "parquet" / kind, day, paths)
    return compactor.done


def prune_traces(home: Home, *, keep_days: int, now: datetime | None = None) -> int:
    """Remove what is older than ``keep_days``, compacted or not; returns the files removed."""
    oldest = (now or datetime.now(UTC)).date() - timedelta(days=keep_days)
    gone = 0
    with traces_lock(home):
        # Lines first: a Parquet file says which of them are still to be compacted.
        for path in (*line_files(home), *parquet_files(home)):
            day = day_of(path)
            if day is not None and day < oldest:
                path.unlink(missing_ok=True)
                gone += 1
    return gone


class _Compactor:
    def __init__(self, offsets: dict[str, int], now: datetime) -> None:
        self._offsets = offsets
        self._now = now
        self.done = Compaction()

    def take(self, folder: Path, day: str, paths: list[Path]) -> None:
        """One Parquet file of what is new in the lines of a day."""
        folder.mkdir(parents=True, exist_ok=True)
        reader = RowReader()
        target = folder / f"{day}-{uuid.uuid4().hex[:12]}.parquet"
        temporary = temporary_beside(target)
        try:
            with pq.ParquetWriter(
                temporary, SCHEMA, compression="zstd", compression_level=1
            ) as writer:
                reached = self._write_all(writer, paths, reader)
                writer.add_key_value_metadata({SOURCES_KEY: json.dumps(reached).encode()})
            if reached:
                self.done.files += 1
                self.done.bytes_in += sum(
                    end - self._offsets.get(name, 0) for name, end in reached.items()
                )
                self.done.bytes_out += temporary.stat().st_size
                # The lines go once it has its name, so its bytes must be on disk by then.
                sync_file(temporary)
                temporary.replace(target)
                sync_folder(folder)
                self._offsets |= reached
        finally:
            temporary.unlink(missing_ok=True)
        self.done.counts.add(reader.counts)
        self._remove_finished(paths, day)

    def _write_all(
        self, writer: pq.ParquetWriter, paths: list[Path], reader: RowReader
    ) -> dict[str, int]:
        """How far each line file that had something new was taken."""
        reached: dict[str, int] = {}
        with ThreadPoolExecutor(1, thread_name_prefix="parquet") as pool:
            waiting: Future[None] | None = None
            for path in paths:
                start = self._offsets.get(source_name(path), 0)
                if path.stat().st_size <= start:
                    continue
                for rows, lines, end in _groups(path, start, reader, self._is_abandoned(path)):
                    reached[source_name(path)] = end
                    if waiting is not None:
                        waiting.result()
                    waiting = pool.submit(_write, writer, rows, lines)
                    self.done.rows += len(rows)
            if waiting is not None:
                waiting.result()
        return reached

    def _is_abandoned(self, path: Path) -> bool:
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return self._now - written > _ABANDONED

    def _remove_finished(self, paths: list[Path], day: str) -> None:
        """Files of a day that is over are not written to any more."""
        if date.fromisoformat(day) >= self._now.date() - timedelta(days=1):
            return
        for path in paths:
            if self._offsets.get(source_name(path), 0) >= path.stat().st_size:
                path.unlink()
                self.done.removed += 1


def _groups(
    path: Path, start: int, reader: RowReader, abandoned: bool
) -> Iterator[tuple[list[TraceRow], list[bytes], int]]:
    """Rows, their lines, and the offset up to which they reach."""
    rows: list[TraceRow] = []
    lines: list[bytes] = []
    size, rest, at = 0, b"", start
    with path.open("rb") as file:
        file.seek(start)
        while block := file.read(_BLOCK):
            data = rest + block
            end = 0
            for begin, stop in whole_lines(data):
                line = data[begin:stop]
                row = reader.row(line)
                if row is not None:
                    rows.append(row)
                    lines.append(line)
                    size += len(line)
                end = stop + 1
                if len(rows) >= _GROUP_ROWS or size >= _GROUP_BYTES:
                    yield rows, lines, at + end
                    rows, lines, size = [], [], 0
            end = data.rfind(b"\n") + 1
            at, rest = at + end, data[end:]
    if rest and abandoned:
        row = reader.row(rest)
        if row is not None:
            rows.append(row)
            lines.append(rest)
        at += len(rest)
    if at > start:
        yield rows, lines, at


def _write(writer: pq.ParquetWriter, rows: list[TraceRow], lines: list[bytes]) -> None:
    if not rows:
        return
    columns = [
        pa.array(column, kind)
        for column, kind in zip(zip(*rows, strict=True), ROW_SCHEMA.types, strict=True)
    ]
    table = pa.Table.from_arrays([*columns, pa.array(lines, pa.binary())], schema=SCHEMA)
    writer.write_table(table, row_group_size=len(rows))
