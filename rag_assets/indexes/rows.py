"""What both indexes hold of a shard, and the fingerprint of what it is made from.

A chunk is indexed when a live version that parsed contains it and its vector is ready. Both
indexes and the served chunk table (``publication/serving.py``) apply this one rule, so that they
hold the same set of chunk ids (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import duckdb
import pyarrow as pa

from rag_assets.context import LIVE
from rag_query.contracts.snapshot import TableFile
from rag_query.contracts.tables import INDEX_ROW, TABLES, embeddings_schema
from rag_query.library.row_digest import data_version
from rag_query.library.tables import TableStore
from rag_query.text.ids import CHUNK_PREFIX, profile_id

#: Tables an index row is made from.
INPUTS = ("documents", "parsed", "chunks", "enriched", "embeddings")

#: About so many rows are asked for at once.
PIECE_ROWS = 40_000
#: Greater than every chunk_id.
_BEYOND = "~"

#: Text the BM25 index adds to an :data:`INDEX_ROW`.
_TEXT = ("title", "retrieval_text")

_LIVE = ", ".join(f"'{status}'" for status in LIVE)

#: For a ``with`` clause: ``versions``, one row for each version of a document that readers can
#: meet. ``effective`` tells the one that its document has now. Views ``documents`` and ``parsed``
#: must exist.
VERSIONS = f"""
versions as (
    select d.*, p.title as parsed_title, p.tags as parsed_tags, p.page_labels,
        d.version_no = max(d.version_no) over (partition by d.doc_id) as effective
    from documents d join parsed p using (version_id)
    where d.status in ({_LIVE}) and p.status = 'ready'
)
"""

#: For a ``with`` clause: ``versions``, and ``served``, one row for each indexed chunk in each
#: version that holds it, with the columns of both. A query that begins ``with {SERVED}`` reads the
#: views of :func:`connect`, and :func:`in_pieces` asks it: for the chunk_ids from ``$low`` to below
#: ``$high``.
SERVED = f"""
{VERSIONS},
served as (
    select c.*, e.language, e.retrieval_text, e.content_hash, e.keywords,
        e.ocr_text, e.ocr_anchors,
        v.* exclude (doc_id, version_id, version_no, tags),
        coalesce(v.parsed_title, v.name) as doc_title,
        list_sort(list_distinct(list_concat(v.tags, v.parsed_tags))) as all_tags,
        v.version_no
    from chunks c
        join versions v using (version_id)
        join enriched e using (version_id, chunk_id)
        join embeddings m using (version_id, chunk_id)
    where m.status = 'ready' and c.chunk_id >= $low and c.chunk_id < $high
)
"""

_ROWS = f"""
with {SERVED},
newest as (
    select * from served
    qualify row_number() over (partition by chunk_id order by version_no desc) = 1
),
held as (
    select chunk_id, list(version_id order by version_no) as version_ids,
        bool_or(effective) as is_latest
    from served group by chunk_id
),
t as (
    select n.chunk_id, n.doc_id, n.section_id, h.version_ids, h.is_latest, n.collection,
        n.all_tags as tags, list_sort(list_distinct(n.topics)) as topics, n.source_type,
        n.source_uri, n.language, n.created_at, n.section_path, n.block_type,
        len(n.asset_ids) > 0 as has_image, n.page_start, n.page_end, $shard as shard,
        n.doc_title as title, n.retrieval_text, n.content_hash
    from newest n join held h using (chunk_id)
)
select * exclude (content_hash), sha256(to_json(t)::varchar) as row_hash from t order by chunk_id
"""


@dataclass(frozen=True, slots=True)
class Unindexed:
    """Chunks of live versions that are in no index.

    Attributes:
        failed: their embedding failed.
        missing: they have no row in ``embeddings``: that stage has not caught up.
    """

    failed: int
    missing: int


#: What tells whether an index holds a row as it should be.
KEYS = ["chunk_id", "row_hash"]

#: The files :data:`INPUTS` had at one moment; None where a stage never ran.
InputFiles = Mapping[str, TableFile | None]


def input_files(store: TableStore, shard: str) -> InputFiles:
    """The newest files an index of this shard is made from."""
    heads = {name: store.head(name, shard) for name in INPUTS}
    return {name: head.file if head else None for name, head in heads.items()}


def input_digest(files: InputFiles) -> str:
    """Fingerprint of everything :func:`index_rows` reads."""
    versions = {name: file.data_version if file else None for name, file in files.items()}
    return profile_id({name: versions.get(name) for name in INPUTS})


def rows_digest(rows: pa.Table) -> str:
    """Fingerprint of the (chunk_id, row_hash) of rows sorted by chunk_id: 64 hex digits."""
    return data_version(rows.select(KEYS))


def index_rows(store: TableStore, shard: str, files: InputFiles | None = None) -> pa.Table:
    """``INDEX_ROW`` for every indexed chunk of a shard, sorted by chunk_id.

    Page, section, language and tags are those of the newest version that contains the chunk;
    ``is_latest`` says whether the effective latest version of the document does (the newest live
    one that parsed). ``row_hash`` covers every column, the title, the retrieval text and the
    content hash. ``files`` are the newest ones by default.
    """
    parts = index_rows_with_text(store, shard, files)
    return pa.concat_tables([part.select(INDEX_ROW.names) for part in parts])


def index_rows_with_text(
    store: TableStore, shard: str, files: InputFiles | None = None
) -> Iterator[pa.Table]:
    """:func:`index_rows` with ``title`` and ``retrieval_text`` of each chunk, in pieces; at least
    one."""
    schema = pa.schema([*INDEX_ROW, *(pa.field(name, pa.string()) for name in _TEXT)])
    files = files or input_files(store, shard)
    with connect(store, files) as connection:
        yield from in_pieces(connection, files, _ROWS, schema, shard=shard)


def in_pieces(
    connection: duckdb.DuckDBPyConnection,
    files: InputFiles,
    sql: str,
    schema: pa.Schema,
    **params: str,
) -> Iterator[pa.Table]:
    """The rows of a query over :data:`SERVED` that is sorted by chunk_id, as tables of ``schema``.

    The query is asked for one range of chunk_ids after the other, so that memory does not grow
    with the shard; they are hashes, so equal ranges hold about as many.
    """
    chunks = files.get("chunks")
    count = 1 + (chunks.rows if chunks else 0) // PIECE_ROWS
    bounds = [f"{CHUNK_PREFIX}{number * 16**6 // count:06x}" for number in range(1, count)]
    for low, high in pairwise(["", *bounds, _BEYOND]):
        found = connection.sql(sql, params={"low": low, "high": high, **params})
        yield found.to_arrow_table().select(schema.names).cast(schema)


def unindexed(store: TableStore, files: InputFiles) -> Unindexed:
    """Count the chunks of live, parsed versions that no index holds."""
    sql = f"""
        with {VERSIONS}
        select count(*) filter (m.status <> 'ready'),
            count(*) filter (m.status is null or e.version_id is null)
        from chunks c join versions v using (version_id)
            left join enriched e using (version_id, chunk_id)
            left join embeddings m using (version_id, chunk_id)
    """
    with connect(store, files) as connection:
        row = connection.execute(sql).fetchone()
    failed, missing = row if row else (0, 0)
    return Unindexed(failed, missing)


def connect(store: TableStore, files: InputFiles) -> duckdb.DuckDBPyConnection:
    """A connection with the files as views named as their tables; empty where there is none."""
    return connect_shards(store, {name: [file] for name, file in files.items() if file})


def connect_shards(
    store: TableStore, files: Mapping[str, Iterable[TableFile]]
) -> duckdb.DuckDBPyConnection:
    """:func:`connect` for the files of several shards."""
    connection = _database().cursor()
    connection.execute("set timezone = 'UTC'; set enable_progress_bar = false")
    for name in INPUTS:
        paths = [str(store.path(file)) for file in files.get(name, ()) if file.rows]
        if paths:
            listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
            # Temporary, so that it is this connection's own. Files of earlier versions may lack
            # the last columns.
            connection.execute(
                f"create temp view {name} as "
                f"from read_parquet([{listed}], union_by_name = {len(paths) > 1})"
            )
        else:
            empty = (TABLES[name] or embeddings_schema(1)).empty_table()
            connection.register(name, empty)
    return connection


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One empty database for the process: making one takes longer than most of the questions."""
    return duckdb.connect()
