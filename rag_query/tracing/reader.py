"""Reading traces back: by id, newest first, and the steps of one ingestion run joined."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pyarrow.parquet as pq

from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.home import Home
from rag_query.tracing.files import DELETED, Compacted, line_files, parquet_files, source_name
from rag_query.tracing.lines import parse_envelope
from rag_query.tracing.merging import merge
from rag_query.tracing.store import TraceStore

__all__ = ["find_trace", "merge", "read_traces"]

log = logging.getLogger(__name__)


def read_traces(home: Home, trace_type: str) -> Iterator[TraceEnvelope]:
    """Envelopes, newest file first, newest line first; lines before what is compacted.

    Cut or foreign lines are skipped, logged.
    """
    offsets = Compacted().offsets(home)
    for path in reversed(line_files(home, trace_type)):
        try:
            data = path.read_bytes()[offsets.get(source_name(path), 0) :]
        except FileNotFoundError:
            continue  # compacted since it was listed; its Parquet file is read below
        for line in reversed(data.split(b"\n")):
            if not line.strip() or line.startswith(DELETED):
                continue
            envelope = parse_envelope(line)
            if envelope is None:
                log.warning("%s: a line is not a trace envelope", path.name)
            else:
                yield envelope
    for path in reversed(parquet_files(home, trace_type)):
        with pq.ParquetFile(path) as file:
            for group in reversed(range(file.num_row_groups)):
                lines = file.read_row_group(group, columns=["envelope"])["envelope"]
                for line in reversed(lines.to_pylist()):
                    envelope = parse_envelope(line)
                    if envelope is not None:
                        yield envelope


def find_trace(home: Home, trace_id: str) -> TraceEnvelope | None:
    """The trace with this id, its steps merged; None when there is none."""
    return TraceStore(home).get(trace_id)
