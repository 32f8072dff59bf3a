"""Takes traces of questions out of the store for good, from the lines and from the Parquet files.

A line is overwritten where it stands, with one as long that says it was deleted: whoever appends
to its file needs no lock, and how far a file is compacted stays true. A Parquet file is written
anew and takes the old one's place in one rename. Killed in the middle, the same call finishes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from rag_query.library.files import sync_file, sync_folder, temporary_beside
from rag_query.library.home import Home
from rag_query.tracing.compaction import compact_traces
from rag_query.tracing.files import DELETED, SOURCES_KEY, line_files, parquet_files, traces_lock

_TRACE_ID = re.compile(rb'"trace_id":\s*"([^"]+)"')


def forget_traces(home: Home, names: Callable[[bytes], bool]) -> int:
    """Remove the trace of every question whose line names what is to leave nothing.

    Args:
        names: of a line as it was written; it may be cut at its end.

    Returns:
        How many went. Raises OSError.
    """
    if not line_files(home, "query") and not parquet_files(home, "query"):
        return 0
    # A process that lists traces reads lines anew once they are in Parquet, and so lets go of
    # those it has in memory.
    compact_traces(home)
    gone: set[bytes] = set()
    with traces_lock(home):
        for path in line_files(home, "query"):
            gone |= _blank(path, names)
        for path in parquet_files(home, "query"):
            gone |= _rewrite(path, names)
    return len(gone)


def _blank(path: Path, names: Callable[[bytes], bool]) -> set[bytes]:
    """Overwrite lines of a file to which a process may be appending; the ids that went."""
    gone: set[bytes] = set()
    at, changed = 0, False
    with path.open("rb") as lines, path.open("r+b", buffering=0) as file:
        for line in lines:
            if names(line) or _is_remnant(line):
                gone.update(_TRACE_ID.findall(line)[:1])
                _overwrite(file.fileno(), at, len(line.rstrip(b"\n")))
                changed = True
            at += len(line)
    if changed:
        sync_file(path)
    return gone


def _overwrite(handle: int, start: int, length: int) -> None:
    """Overwrite a line with blanks, then its beginning with :data:`DELETED`.

    The blanks are written from the start on, so that a line of which a killed process has
    overwritten only a part can be told by its beginning. No trace is too short for the mark.
    """
    _write(handle, b" " * length, start)
    if length >= len(DELETED):
        _write(handle, DELETED, start)


def _write(handle: int, data: bytes, start: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(handle, rest, start)
        start, rest = start + written, rest[written:]


def _is_remnant(line: bytes) -> bool:
    """Whether a whole line is no JSON: a killed process has overwritten only a part of it. No name
    can be found in it any more, but it may still quote what is to be forgotten."""
    if not line.endswith(b"\n") or line.isspace():
        return False
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False


def _rewrite(path: Path, names: Callable[[bytes], bool]) -> set[bytes]:
    """Write a Parquet file without some of its rows; the ids that went.

    One without any row is kept, because it says how far the line files are compacted.
    """
    with pq.ParquetFile(path) as file:
        masks = [
            [not names(line) for line in _envelopes(file, group)]
            for group in range(file.num_row_groups)
        ]
        if all(map(all, masks)):
            return set()
        gone: set[bytes] = set()
        temporary = temporary_beside(path)
        try:
            with pq.ParquetWriter(
                temporary, file.schema_arrow.remove_metadata(), compression="zstd"
            ) as writer:
                for group, mask in enumerate(masks):
                    rows = file.read_row_group(group)
                    kept = rows.filter(pa.array(mask, pa.bool_()))
                    writer.write_table(kept, row_group_size=max(1, kept.num_rows))
                    dropped = rows.filter(pa.array([not keep for keep in mask], pa.bool_()))
                    gone.update(id_.encode() for id_ in dropped["trace_id"].to_pylist())
                sources = (file.metadata.metadata or {}).get(SOURCES_KEY, b"{}")
                writer.add_key_value_metadata({SOURCES_KEY: sources})
            sync_file(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
    return gone


def _envelopes(file: pq.ParquetFile, group: int) -> list[bytes]:
    lines: list[bytes] = file.read_row_group(group, columns=["envelope"])["envelope"].to_pylist()
    return lines
