"""The rows of a stored table, read a few versions at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rag_query.library.table_files import reading

KEY = "version_id"


class StoredVersions:
    """One file with a column ``version_id``; holds that column and at most one row group.

    Args:
        name: of the file, relative to the library.
        columns: to be read, in this order; all by default.

    Raises ExcerptaError ``SNAPSHOT_DAMAGED``, here and in :meth:`of`, when the file is missing or
    damaged.
    """

    def __init__(self, path: Path, name: str, columns: Sequence[str] | None = None) -> None:
        self._name = name
        with reading(name):
            self._file = pq.ParquetFile(path, memory_map=True)
        self._schema = self._file.schema_arrow
        if columns is not None:
            self._schema = pa.schema([self._schema.field(name) for name in columns])
        self._names = self._schema.names
        with reading(name):
            self._ids = self._file.read(columns=[KEY])[KEY]
        meta = self._file.metadata
        sizes = [meta.row_group(number).num_rows for number in range(meta.num_row_groups)]
        self._bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        self._last: tuple[int, pa.Table] | None = None

    def of(self, versions: Sequence[str]) -> pa.Table:
        """Their rows, in the order of the file."""
        wanted = pa.array(versions, pa.string())
        rows = np.flatnonzero(pc.is_in(self._ids, value_set=wanted))
        groups = np.searchsorted(self._bounds, rows, side="right") - 1
        parts = [
            _taken(self._group(int(group)), rows[groups == group] - self._bounds[group])
            for group in np.unique(groups)
        ]
        return pa.concat_tables(parts) if parts else self._schema.empty_table()

    def _group(self, number: int) -> pa.Table:
        if self._last is None or self._last[0] != number:
            self._last = None
            with reading(self._name):
                read = self._file.read_row_group(number, columns=self._names)
            self._last = number, read.select(self._names)
        return self._last[1]


def _taken(rows: pa.Table, places: NDArray[np.intp]) -> pa.Table:
    """Rows at ascending places; a slice where they are neighbours."""
    first, count = int(places[0]), len(places)
    if int(places[-1]) - first + 1 == count:
        return rows.slice(first, count)
    return rows.take(pa.array(places))
