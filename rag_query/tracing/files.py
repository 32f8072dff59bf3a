"""Where traces lie: lines as they were written, and the Parquet files they are compacted into.

``traces/<type>/<day>-<pid>.jsonl`` is appended to by one process. A Parquet file
``traces/parquet/<type>/<day>-<hex>.parquet`` names in its own metadata how far into which line
files it reaches, so it takes effect in one rename and a line is never found twice or lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq

from rag_query.library.files import exclusive
from rag_query.library.home import Home

TYPES = ("ingestion", "query")
#: Key of a Parquet file's metadata: line file -> bytes that are in Parquet.
SOURCES_KEY = b"excerpta.sources"
#: What stands, filled up with blanks, in place of a line that was taken out for good.
DELETED = b'{"deleted":true}'


def traces_lock(home: Home) -> AbstractContextManager[None]:
    """Held by whoever compacts or takes away what is written already."""
    return exclusive(home.locks / "traces.lock", what="the traces")


def line_files(home: Home, trace_type: str | None = None) -> list[Path]:
    """Files of lines, oldest first."""
    kinds = TYPES if trace_type is None else (trace_type,)
    found = [path for kind in kinds for path in (home.traces / kind).glob("*.jsonl")]
    return sorted(found, key=lambda path: (path.name, path.parent.name))


def parquet_files(home: Home, trace_type: str | None = None) -> list[Path]:
    """Compacted files, oldest first."""
    kinds = TYPES if trace_type is None else (trace_type,)
    folder = home.traces / "parquet"
    found = [path for kind in kinds for path in (folder / kind).glob("[!.]*.parquet")]
    return sorted(found, key=lambda path: (path.name, path.parent.name))


def source_name(path: Path) -> str:
    """What a line file is called in metadata."""
    return f"{path.parent.name}/{path.name}"


def day_of(path: Path) -> date | None:
    """The day in a file's name; None for a file that is none of ours."""
    try:
        return date.fromisoformat(path.name[:10])
    except ValueError:
        return None


class Compacted:
    """How far each line file is compacted; reads only the metadata of files it has not seen."""

    def __init__(self) -> None:
        self._seen: dict[Path, dict[str, int]] = {}

    def offsets(self, home: Home) -> dict[str, int]:
        """Line file -> bytes that are in Parquet."""
        files = parquet_files(home)
        self._seen = {path: self._seen.get(path) or _sources(path) for path in files}
        found: dict[str, int] = {}
        for sources in self._seen.values():
            for name, end in sources.items():
                found[name] = max(found.get(name, 0), end)
        return found


def whole_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """``(start, end)`` of each line that ends with a newline, but for blank and deleted ones."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        if end > start and not data[start:end].isspace() and not data.startswith(DELETED, start):
            yield start, end
        start = end + 1


def _sources(path: Path) -> dict[str, int]:
    metadata = pq.read_metadata(path).metadata or {}
    sources: dict[str, int] = json.loads(metadata.get(SOURCES_KEY, b"{}"))
    return sources
