"""The tables of one snapshot in DuckDB: views of their files, and the catalog made of them."""

from __future__ import annotations

import threading
from typing import Any

import duckdb

from rag_query.contracts.errors import ExcerptaError, shortage_of
from rag_query.contracts.snapshot import SnapshotManifest, TableFile
from rag_query.contracts.tables import TABLES, embeddings_schema
from rag_query.library.home import Home
from rag_query.library.manifests import damaged_part
from rag_query.library.paging import invalid_argument
from rag_query.library.table_files import damaged_table, reading, whole

#: One row for each document, made once: it is small, and every list and filter reads it all. ``e``
#: is the effective version, ``n`` the newest.
_DOCUMENTS = """
create table catalog as
with versions as (
    select d.* exclude (title, language), p.status as parse_status, p.code as parse_code,
        p.message as parse_message, coalesce(p.title, d.title) as title,
        coalesce(p.language, d.language) as language, p.pages, p.tags as parsed_tags,
        d.status in ('active', 'superseded') and p.status = 'ready' as usable
    from documents d left join parsed p using (version_id)
),
newest as (
    select * from versions
    qualify row_number() over (
        partition by doc_id order by is_latest desc, version_no desc nulls last) = 1
),
effective as (
    select * from versions where usable
    qualify row_number() over (partition by doc_id order by version_no desc) = 1
),
ids as (
    select doc_id, count(version_id)::integer as versions, min(created_at) as created_at,
        max(version_created_at) as updated_at
    from documents group by doc_id
),
chunk_counts as (select version_id, count(*)::integer as n from chunks group by version_id),
section_counts as (select version_id, count(*)::integer as n from sections group by version_id)
select i.doc_id, coalesce(e.version_id, n.version_id) as version_id,
    coalesce(e.version_no, n.version_no) as version_no,
    coalesce(e.title, n.title, n.name) as title, n.name, n.external_id, n.source_uri, n.aliases,
    n.source_type, n.format, n.mime, n.collection, n.topics,
    list_sort(list_distinct(list_concat(n.tags, coalesce(e.parsed_tags, n.parsed_tags, []))))
        as tags,
    coalesce(e.language, n.language) as language, e.pages,
    case when e.version_id is not null then 'active'
        when n.status = 'removed' then 'removed'
        when n.status = 'failed' or n.parse_status = 'failed' then 'failed'
        else 'pending' end as status,
    case when n.usable then null else coalesce(n.code, n.parse_code) end as code,
    case when n.usable then null else coalesce(n.message, n.parse_message) end as message,
    i.versions, coalesce(c.n, 0) as chunks, coalesce(s.n, 0) as sections, i.created_at,
    i.updated_at, n.removed_at
from ids i join newest n using (doc_id) left join effective e using (doc_id)
    left join chunk_counts c on c.version_id = e.version_id
    left join section_counts s on s.version_id = e.version_id
"""

_TABLES = (
    "documents", "parsed", "chunks", "sections", "media", "normalized", "enriched", "embeddings"
)  # fmt: skip
#: Columns that snapshots published by earlier versions do not have.
_LATER = {"enriched": ("ocr_text",), "documents": ("title", "language")}


class CatalogTables:
    """Opened at the first question; safe to use from several threads."""

    def __init__(self, home: Home, manifest: SnapshotManifest) -> None:
        self._home = home
        self._manifest = manifest
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None

    def rows(self, sql: str, values: dict[str, Any]) -> list[dict[str, Any]]:
        """What a query finds, each row by its columns.

        Raises ExcerptaError ``SNAPSHOT_DAMAGED`` when a table's file is missing or damaged, or
        ``INVALID_ARGUMENT`` for a value that holds a lone surrogate.
        """
        for value in values.values():
            _refuse_lone_surrogates(value)
        try:
            cursor = self._open().cursor()
            cursor.execute(sql, values)
            names = [column[0] for column in cursor.description or []]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        except duckdb.Error as exc:
            if (damaged := self._damaged(exc)) is None:
                raise
            raise damaged from exc

    def _damaged(self, error: duckdb.Error) -> ExcerptaError | None:
        """What is said of the first file that cannot be read, or of the tables in general where
        ``error`` is one of reading; None for any other error."""
        for path in (file.path for name in _TABLES for file in self._files(name)):
            with reading(path):
                if not whole(self._home.root / path):
                    return damaged_table(path)
        return damaged_part("table data", self._manifest.number) if _of_reading(error) else None

    def _files(self, name: str) -> list[TableFile]:
        return [file for file in self._manifest.tables.get(name, {}).values() if file.rows]

    def _open(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            if self._connection is None:
                connection = duckdb.connect()
                connection.execute("set timezone = 'UTC'; set enable_progress_bar = false")
                for name in _TABLES:
                    self._create(connection, name)
                connection.execute(_DOCUMENTS)
                self._connection = connection
            return self._connection

    def _create(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        """The table as a view of its files, or an empty table of the same columns."""
        paths = [str(self._home.root / file.path) for file in self._files(name)]
        if paths:
            # Shards that no run has changed since may lack a column that others have.
            rows = connection.read_parquet(paths, union_by_name=name in _LATER)
            for column in _LATER.get(name, ()):
                if column not in rows.columns:
                    rows = rows.project(f"*, null::varchar as {column}")
            rows.create_view(name)
            return
        schema = TABLES[name] or embeddings_schema(1)
        connection.from_arrow(schema.empty_table()).create(name)


def _of_reading(error: duckdb.Error) -> bool:
    """Whether DuckDB could not read pages of a file whose footer it can.

    Its Parquet reader throws what DuckDB has no type for (``TProtocolException`` and its like), or
    what names the file.
    """
    if shortage_of(error) is not None:
        return False
    untyped = type(error) is duckdb.Error
    named = any(said in str(error) for said in ('Parquet file "', 'Failed to read file "'))
    return untyped or named or isinstance(error, duckdb.IOException)


def _refuse_lone_surrogates(value: object) -> None:
    """Raises ExcerptaError ``INVALID_ARGUMENT``: no stored text has one, and DuckDB takes none."""
    try:
        if isinstance(value, str):
            value.encode()
    except UnicodeEncodeError as exc:
        raise invalid_argument(f"{value!a} is not text: it holds a lone surrogate.") from exc
