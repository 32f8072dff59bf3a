"""The tables on disk: immutable Parquet files and, for each table and shard, a head.

A file is named by its data version, so equal rows are the same file and writing them again
writes nothing. The *head* is the factory's working state: the newest file, and from which inputs
each version's rows were made. What readers see is the snapshot manifest, which names files
directly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from rag_query.contracts.snapshot import TableFile
from rag_query.contracts.tables import TABLES
from rag_query.library.files import temporary_beside, write_atomic
from rag_query.library.home import Home


class Head(BaseModel):
    """``head.json`` of a shard.

    Attributes:
        file: the newest file.
        inputs: version_id -> fingerprint of what its rows were made from (it may have none).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: TableFile
    inputs: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Written:
    """Result of :meth:`TableStore.write`; ``changed`` is false when the rows were there already."""

    file: TableFile
    changed: bool


def data_version(table: pa.Table) -> str:
    """sha256 over schema and values, the same for the same rows in the same order."""
    # Taking every row gives fresh buffers: offsets of slices and validity maps without a null
    # in them differ between equal tables and must not reach the hash.
    fresh = table.take(pa.array(np.arange(table.num_rows))).combine_chunks()
    digest = hashlib.sha256(table.schema.remove_metadata().to_string().encode())
    for batch in fresh.to_batches():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema.remove_metadata()) as writer:
            writer.write_batch(batch)
        digest.update(memoryview(sink.getvalue()))
    return digest.hexdigest()


class TableStore:
    """Reads and writes the working state of every table under ``tables/``."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def head(self, table: str, shard: str) -> Head | None:
        """The working state of a shard, or None when the stage never ran there."""
        path = self._head_path(table, shard)
        try:
            return Head.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None

    def heads(self, table: str) -> dict[str, TableFile]:
        """shard -> newest file, for every shard that has one."""
        folder = self._home.tables / table
        found = sorted(path.parent.name for path in folder.glob("*/head.json"))
        return {shard: head.file for shard in found if (head := self.head(table, shard))}

    def read(self, table: str, shard: str, columns: list[str] | None = None) -> pa.Table:
        """The rows of a shard; an empty table of the right schema when there are none."""
        head = self.head(table, shard)
        if head is None:
            schema = TABLES[table].schema
            if schema is None:
                return pa.table({})
            empty = schema.empty_table()
            return empty.select(columns) if columns else empty
        return self.read_file(head.file, columns)

    def path(self, file: TableFile) -> Path:
        """Where a file (a head's or a manifest's) lies."""
        return self._home.root / file.path

    def read_file(self, file: TableFile, columns: list[str] | None = None) -> pa.Table:
        """The rows of one file (a head's or a manifest's)."""
        return pq.read_table(self.path(file), columns=columns, memory_map=True)

    def write(
        self, table: str, shard: str, rows: pa.Table, inputs: Mapping[str, str] | None = None
    ) -> Written:
        """Make ``rows`` the head of a shard.

        Rows are cast to the table's schema and must be in a deterministic order. Nothing is
        written when the head holds the same rows and inputs already. A process killed at any
        point leaves the old head or the new one.

        Args:
            inputs: see :attr:`Head.inputs`.

        Raises:
            pyarrow.ArrowInvalid: the rows do not fit the schema.
            OSError: the disk refused.
        """
        schema = TABLES[table].schema
        if schema is not None:
            rows = rows.select(schema.names).cast(schema)
        version = data_version(rows)
        head = self.head(table, shard)
        unchanged = head is not None and head.file.data_version == version
        if head is not None and unchanged and head.inputs == dict(inputs or {}):
            return Written(head.file, changed=False)
        path = self._home.tables / table / shard / f"{version[:32]}.parquet"
        if not path.exists():
            self._write_parquet(path, rows)
        file = TableFile(path=self._home.relative(path), rows=rows.num_rows, data_version=version)
        new = Head(file=file, inputs=dict(inputs or {}))
        write_atomic(self._head_path(table, shard), new.model_dump_json().encode())
        return Written(file, changed=not unchanged)

    def _write_parquet(self, path: Path, rows: pa.Table) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        try:
            pq.write_table(rows, temporary, compression="zstd", row_group_size=20_000)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _head_path(self, table: str, shard: str) -> Path:
        return self._home.tables / table / shard / "head.json"
