"""The tables on disk: immutable Parquet files and, for each table and shard, a head.

A file is named by its data version, so equal rows are the same file and writing them again
writes nothing. The *head* is the factory's working state: the newest file, and from which inputs
each version's rows were made. What readers see is the snapshot manifest, which names files
directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from rag_query.contracts.snapshot import TableFile
from rag_query.contracts.tables import TABLES
from rag_query.library.files import renew, temporary_beside, write_atomic
from rag_query.library.home import Home
from rag_query.library.row_digest import RowDigest, data_version
from rag_query.library.stored_versions import StoredVersions
from rag_query.library.table_files import HISTORY, damaged_table, reading, unreadable_table, whole

#: Size of a row group. To read one row, the whole group it is in has to be read.
_GROUP_ROWS, _GROUP_BYTES = 20_000, 8 * 1024**2


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


class TableStore:
    """Reads and writes the working state of every table under ``tables/``."""

    def __init__(self, home: Home) -> None:
        self._home = home
        #: Files seen to be whole; they never change.
        self._whole: set[str] = set()

    @property
    def home(self) -> Home:
        """The library's."""
        return self._home

    def head(self, table: str, shard: str, *, own: bool = False) -> Head | None:
        """The working state of a shard, or None when the stage never ran there.

        Args:
            own: asked by the stage that makes the table. A file that cannot be read counts then as
                if the stage had never run, so that it computes it again, unless the table's rows
                can be had from nowhere else.

        Raises ExcerptaError ``SNAPSHOT_DAMAGED``, naming the file, when it cannot be read.
        """
        head = self.recorded(table, shard)
        if head is None or self._can_read(head.file):
            return head
        if own and table not in HISTORY:
            return None
        raise damaged_table(head.file.path)

    def recorded(self, table: str, shard: str) -> Head | None:
        """What ``head.json`` of a shard says, whether the file it names can be read or not.

        Raises ExcerptaError ``FILE_UNREADABLE`` when it may not be read itself.
        """
        path = self._head_path(table, shard)
        try:
            return Head.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except PermissionError as exc:
            raise unreadable_table(self._home.relative(path)) from exc

    def heads(self, table: str) -> dict[str, TableFile]:
        """shard -> newest file, for every shard that has one, whether it can be read or not."""
        folder = self._home.tables / table
        found = sorted(path.parent.name for path in folder.glob("*/head.json"))
        return {shard: head.file for shard in found if (head := self.recorded(table, shard))}

    def read(
        self, table: str, shard: str, columns: list[str] | None = None, *, own: bool = False
    ) -> pa.Table:
        """The rows of a shard; an empty table of the right schema when there are none.

        ``own`` and what is raised: see :meth:`head`.
        """
        head = self.head(table, shard, own=own)
        if head is None:
            schema = TABLES[table]
            if schema is None:
                return pa.table({})
            empty = schema.empty_table()
            return empty.select(columns) if columns else empty
        return self.read_file(head.file, columns)

    def path(self, file: TableFile) -> Path:
        """Where a file (a head's or a manifest's) lies."""
        return self._home.root / file.path

    def read_file(self, file: TableFile, columns: list[str] | None = None) -> pa.Table:
        """The rows of one file (a head's or a manifest's).

        Raises ExcerptaError ``SNAPSHOT_DAMAGED``, naming the file, when it is missing or damaged.
        """
        # Of one file, without the preparations for a folder of them that read_table makes.
        with reading(file.path), pq.ParquetFile(self.path(file), memory_map=True) as parquet:
            return parquet.read(columns)

    def versions(
        self, table: str, shard: str, columns: Sequence[str] | None = None, *, own: bool = False
    ) -> StoredVersions | NoVersions:
        """The rows of a shard as they are now, to be read some versions at a time.

        ``own`` and what is raised: see :meth:`head`.
        """
        head = self.head(table, shard, own=own)
        if head is None or not head.file.rows:
            schema = TABLES[table] or pa.schema([])
            return NoVersions(
                schema if columns is None else pa.schema([schema.field(n) for n in columns])
            )
        return StoredVersions(self.path(head.file), head.file.path, columns)

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
            ExcerptaError: ``SNAPSHOT_DAMAGED``, when the head's file cannot be read and its rows
                can be had from nowhere else.
            pyarrow.ArrowInvalid: the rows do not fit the schema.
            OSError: the disk refused.
        """
        schema = TABLES[table]
        if schema is not None:
            rows = rows.select(schema.names).cast(schema)
        head = self.head(table, shard, own=True)
        same_inputs = head is not None and head.inputs == dict(inputs or {})
        if head and same_inputs and head.file.data_version == data_version(rows):
            return Written(head.file, changed=False)
        with self.writer(table, shard, rows.schema) as writer:
            writer.add(rows)
            return writer.finish(inputs)

    def writer(self, table: str, shard: str, schema: pa.Schema | None = None) -> TableWriter:
        """Like :meth:`write`, for rows that come piece by piece; to be used in a ``with``.

        Args:
            schema: of a table that has no fixed one.
        """
        schema = TABLES[table] or schema
        if schema is None:
            raise ValueError(f"the table {table!r} has no fixed schema")
        return TableWriter(self, table, shard, schema)

    def finish(
        self, table: str, shard: str, temporary: Path, file: TableFile, inputs: Mapping[str, str]
    ) -> Written:
        """Make a complete temporary file the head of a shard; see :class:`TableWriter`."""
        head = self.head(table, shard, own=True)
        unchanged = head is not None and head.file.data_version == file.data_version
        if head is not None and unchanged and head.inputs == dict(inputs):
            return Written(head.file, changed=False)
        path = self.path(file)
        if not (whole(path) and renew(path)):
            temporary.replace(path)
        new = Head(file=file, inputs=dict(inputs))
        write_atomic(self._head_path(table, shard), new.model_dump_json().encode())
        return Written(file, changed=not unchanged)

    def folder(self, table: str, shard: str) -> Path:
        """Where the files of a shard lie."""
        return self._home.tables / table / shard

    def relative(self, path: Path) -> str:
        """As manifests and heads name it."""
        return self._home.relative(path)

    def _can_read(self, file: TableFile) -> bool:
        with reading(file.path):
            if file.path not in self._whole and whole(self.path(file)):
                self._whole.add(file.path)
        return file.path in self._whole

    def _head_path(self, table: str, shard: str) -> Path:
        return self.folder(table, shard) / "head.json"


class NoVersions:
    """What :class:`StoredVersions` is of a shard without rows."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema

    def of(self, versions: Sequence[str]) -> pa.Table:
        """No rows."""
        del versions
        return self._schema.empty_table()


class TableWriter:
    """Takes the rows of one shard piece by piece; only :meth:`finish` makes them the head.

    Made by :meth:`TableStore.writer`. Holds no more rows than make a row group.
    """

    def __init__(self, store: TableStore, table: str, shard: str, schema: pa.Schema) -> None:
        self._store = store
        self._table = table
        self._shard = shard
        self.schema = schema
        self._digest = RowDigest(schema)
        self._pending: list[pa.Table] = []
        self._pending_bytes = self._pending_rows = self._rows = 0
        self._folder = store.folder(table, shard)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._temporary = temporary_beside(self._folder / "rows.parquet")
        self._parquet = pq.ParquetWriter(self._temporary, schema, compression="zstd")

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._parquet.close()
        self._temporary.unlink(missing_ok=True)

    def add(self, rows: pa.Table) -> None:
        """Append rows, which are cast to the schema.

        Raises:
            pyarrow.ArrowInvalid: they do not fit it.
            OSError: the disk refused.
        """
        rows = rows.select(self.schema.names).cast(self.schema)
        self._digest.update(rows)
        self._rows += rows.num_rows
        held = max(1, rows.nbytes)
        step = max(1, min(_GROUP_ROWS, rows.num_rows * _GROUP_BYTES // held))
        for start in range(0, rows.num_rows, step):
            piece = rows.slice(start, step)
            self._pending.append(piece)
            self._pending_bytes += held * piece.num_rows // rows.num_rows
            self._pending_rows += piece.num_rows
            if self._pending_bytes >= _GROUP_BYTES or self._pending_rows >= _GROUP_ROWS:
                self._flush()

    def finish(self, inputs: Mapping[str, str] | None = None) -> Written:
        """Make what was added the head of the shard. Raises OSError."""
        self._flush()
        self._parquet.close()
        version = self._digest.hexdigest()
        file = TableFile(
            path=self._store.relative(self._folder / f"{version[:32]}.parquet"),
            rows=self._rows,
            data_version=version,
        )
        return self._store.finish(self._table, self._shard, self._temporary, file, inputs or {})

    def _flush(self) -> None:
        if self._pending_rows:
            self._parquet.write_table(
                pa.concat_tables(self._pending), row_group_size=self._pending_rows
            )
        self._pending.clear()
        self._pending_bytes = self._pending_rows = 0
