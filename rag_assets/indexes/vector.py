"""The vector index: one LanceDB table for each embedding space (DEV_SPEC 3.1.6.4, DESIGN 4).

A run compares the rows that should be there with those the table really holds, so a run killed at
any moment is made good by the next. Writers take turns on one lock. Versions that a snapshot has
tagged are never touched; compaction only adds versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import Field

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.indexes.base import VectorIndex
from rag_assets.indexes.diff import RowDiff, diff_rows
from rag_assets.indexes.heads import (
    ShardState,
    VectorHead,
    VectorTable,
    save_vector_head,
    shard_state,
    table_name,
    vector_head,
    without_state,
)
from rag_assets.indexes.rows import index_rows, input_digest, input_files
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import EmbeddingSpace, TableFile
from rag_query.contracts.tables import INDEX_ROW
from rag_query.contracts.trace import EventKind
from rag_query.library.files import exclusive
from rag_query.library.home import Home
from rag_query.library.lance import connect, sql_text, version_file
from rag_query.library.tables import TableStore
from rag_query.providers.registry import Params
from rag_query.text.ids import profile_id
from rag_query.tracing.context import count, event

#: ``optimize`` also prunes versions, seven days old by default, and fails when one of them is
#: tagged. No version is as old as this, so it only compacts; ``publication/gc.py`` prunes.
NEVER = timedelta(days=36_500)
#: Ids named in one condition of a deletion, which is read as a text.
_DELETE_AT_ONCE = 2_000
_SPACE_COLUMNS = ["embedder_id", "embedder_version", "text_norm_profile_id"]


class LanceParams(Params):
    """``vector_index.lancedb``.

    Attributes:
        slice_rows: rows written at once; bounds memory.
        compact_fragments: the table is compacted when it has more fragments than this.
    """

    slice_rows: int = Field(20_000, ge=1)
    compact_fragments: int = Field(64, ge=2)


def run(ctx: StageContext, shard: str) -> StageResult:
    """The stage: bring one shard of the strategy's vector index up to date."""
    index: VectorIndex = ctx.strategy.build("vector_index")
    return index.update(ctx, shard)


def lock(home: Home) -> AbstractContextManager[None]:
    """One writer of the LanceDB tables at a time."""
    return exclusive(home.locks / "vector_index.lock", what="the vector index")


class LanceVectorIndex:
    """See :class:`rag_assets.indexes.base.VectorIndex`."""

    def __init__(self, params: LanceParams) -> None:
        self._params = params

    def update(self, ctx: StageContext, shard: str) -> StageResult:
        inputs = input_digest(input_files(ctx.store, shard))
        head = vector_head(ctx.home)
        state = _standing(ctx.home, head, shard, inputs=inputs)
        if state is not None and (state.rows or shard not in head.holder):
            return state.unchanged()
        with lock(ctx.home):
            return self._update(ctx, shard)

    def rewrite(self, ctx: StageContext) -> None:
        """See :class:`rag_assets.indexes.base.VectorIndex`; a row's files are otherwise kept
        with a mark that it is deleted. Tables that no shard is in are left to the garbage
        collector, which drops them whole and may have begun to."""
        with lock(ctx.home):
            head = vector_head(ctx.home)
            tables = dict(head.tables)
            for name in set(head.holder.values()):
                table = connect(ctx.home.lance).open_table(name)
                # A batch at a time: what is read lies in the version before, which stays.
                table.add(table.search().to_batches(self._params.slice_rows), mode="overwrite")
                table.checkout_latest()
                tables[name] = tables[name].model_copy(update={"version": table.version})
            save_vector_head(ctx.home, head.model_copy(update={"tables": tables}))

    def _update(self, ctx: StageContext, shard: str) -> StageResult:
        head = vector_head(ctx.home)
        files = input_files(ctx.store, shard)
        space = _space(ctx.store, shard, files["embeddings"])
        rows = index_rows(ctx.store, shard, files)
        state = shard_state(ctx.store, files, rows)
        if space is None:
            if rows.num_rows:
                raise ExcerptaError(ErrorCode.INTERNAL, "There are index rows without embeddings.")
            return self._empty(ctx.home, head, shard, state)
        name = table_name(space)
        if name == head.holder.get(shard) and _standing(ctx.home, head, shard, digest=state.digest):
            save_vector_head(ctx.home, _with_state(head, shard, name, state))
            return state.unchanged()
        vectors = _Vectors(ctx.store, files["embeddings"])
        return self._write(ctx.home, head, _Wanted(shard, space, rows, state, vectors))

    def _empty(self, home: Home, head: VectorHead, shard: str, state: ShardState) -> StageResult:
        """Take a shard that has no vectors out of every table: one that stayed in the table of
        an earlier embedder would keep the library from ever having all vectors in one table, and
        rows left in a table that is used again would be found."""
        head = without_state(head, [shard])
        save_vector_head(home, head)
        tables, dropped = dict(head.tables), 0
        for name, entry in head.tables.items():
            if not _exists(home, name):
                continue
            table = connect(home.lance).open_table(name)
            held = table.count_rows(f"shard = '{shard}'")
            if held:
                table.delete(f"shard = '{shard}'")
                table.checkout_latest()
                tables[name] = entry.model_copy(update={"version": table.version})
                event(
                    EventKind.UPSERT_RESULT, index="vector", shard=shard, table=name, deleted=held
                )
            dropped += held
        count(vector_rows_deleted=dropped)
        head = head.model_copy(update={"tables": tables})
        save_vector_head(home, _with_state(head, shard, None, state))
        details: dict[str, object] = {
            "inserted": 0,
            "updated": 0,
            "deleted": dropped,
            "failed": state.failed,
        }
        return StageResult(0, 0, 0, dropped, state.digest, bool(dropped), details)

    def _write(self, home: Home, head: VectorHead, wanted: _Wanted) -> StageResult:
        shard, space, state = wanted.shard, wanted.space, wanted.state
        name = table_name(space)
        known = head.tables.get(name) if _exists(home, name) else None
        # A table that the head does not know is what a killed run or clean-up left of it.
        table = connect(home.lance).open_table(name) if known else _create(home, name, space)
        entry = known or VectorTable(version=table.version, space=space)
        head = head.model_copy(update={"tables": head.tables | {name: entry}})
        head = without_state(head, [shard])
        save_vector_head(home, head)
        held = (
            table.search().where(f"shard = '{shard}'").select(["chunk_id", "row_hash"]).to_arrow()
        )
        diff = diff_rows(wanted.rows, held)
        self._apply(table, diff, wanted.vectors)
        if table.stats()["fragment_stats"]["num_fragments"] > self._params.compact_fragments:
            table.optimize(cleanup_older_than=NEVER)
        table.checkout_latest()
        entry = entry.model_copy(update={"version": table.version})
        head = head.model_copy(update={"tables": head.tables | {name: entry}})
        save_vector_head(home, _with_state(head, shard, name, state))
        counts = {
            "inserted": diff.added.num_rows,
            "updated": diff.changed.num_rows,
            "deleted": len(diff.vanished),
            "failed": state.failed,
        }
        event(EventKind.UPSERT_RESULT, index="vector", shard=shard, table=name, **counts)
        count(vector_rows_written=diff.written, vector_rows_deleted=len(diff.vanished))
        return StageResult(
            rows=state.rows,
            computed=diff.written,
            unchanged=diff.unchanged,
            dropped=len(diff.vanished),
            data_version=state.digest,
            written=not diff.empty,
            details=counts | {"table": name, "version": entry.version},
        )

    def _apply(self, table: Any, diff: RowDiff, vectors: _Vectors) -> None:
        for start in range(0, len(diff.vanished), _DELETE_AT_ONCE):
            ids = diff.vanished[start : start + _DELETE_AT_ONCE]
            table.delete(f"chunk_id in ({', '.join(map(sql_text, ids))})")
        if not diff.written:
            return
        size = self._params.slice_rows
        for rows in _slices(vectors.join(diff.added), size):
            table.add(rows)
        for rows in _slices(vectors.join(diff.changed), size):
            merge = table.merge_insert("chunk_id").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(rows)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the table of ``space`` is to hold of a shard."""

    shard: str
    space: EmbeddingSpace
    rows: pa.Table
    state: ShardState
    vectors: _Vectors


class _Vectors:
    """Vectors of one shard, looked up by the newest version of each chunk."""

    def __init__(self, store: TableStore, file: TableFile | None) -> None:
        self._store = store
        self._file = file

    def join(self, rows: pa.Table) -> pa.Table:
        """``rows`` with their ``vector`` column; no vector is in memory twice.

        Raises:
            ExcerptaError: ``INTERNAL`` when one has none.
        """
        if not rows.num_rows:
            return rows
        if self._file is None:
            raise ExcerptaError(ErrorCode.INTERNAL, "There are index rows without embeddings.")
        wanted = _key(_newest(rows), rows["chunk_id"].combine_chunks())
        with pq.ParquetFile(self._store.path(self._file), memory_map=True) as file:
            width = file.schema_arrow.field("vector").type.list_size
            vectors = np.empty((rows.num_rows, width), np.float32)
            found = 0
            for number in range(file.num_row_groups):
                held = file.read_row_group(number, columns=["version_id", "chunk_id"])
                key = _key(*(held[name].combine_chunks() for name in ("version_id", "chunk_id")))
                place = pc.index_in(key, value_set=wanted)
                here = place.is_valid()
                if not here.true_count:
                    continue
                block = file.read_row_group(number, columns=["vector"])["vector"].filter(here)
                flat = block.combine_chunks().flatten().to_numpy()
                vectors[place.drop_null().to_numpy()] = flat.reshape(-1, width)
                found += here.true_count
        if found != rows.num_rows:
            raise ExcerptaError(ErrorCode.INTERNAL, "There are index rows without embeddings.")
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), width)
        return rows.append_column("vector", column)


def _key(versions: pa.Array, chunks: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(versions, chunks, "/")


def _slices(rows: pa.Table, size: int) -> Iterator[pa.Table]:
    return (rows.slice(start, size) for start in range(0, rows.num_rows, size))


def _newest(rows: pa.Table) -> pa.Array:
    """The last of each row's ``version_ids``."""
    lists = rows["version_ids"].combine_chunks()
    ends = pc.subtract(lists.offsets.slice(1), 1)
    return lists.values.take(ends)


def _space(store: TableStore, shard: str, file: TableFile | None) -> EmbeddingSpace | None:
    """The space of a shard's vectors; None when it has none."""
    if file is None or file.rows == 0:
        return None
    found = store.read_file(file, _SPACE_COLUMNS).group_by(_SPACE_COLUMNS)
    spaces = found.aggregate([]).to_pylist()
    if len(spaces) != 1:
        raise ExcerptaError(
            ErrorCode.INTERNAL,
            f"The embeddings of shard {shard} mix {len(spaces)} spaces.",
            hint="Materialise the embeddings of this shard again.",
        )
    schema = pq.read_schema(store.path(file))
    key = spaces[0] | {"dimensions": schema.field("vector").type.list_size}
    return EmbeddingSpace(space_id=profile_id(key), **key)


def _create(home: Home, name: str, space: EmbeddingSpace) -> Any:
    vector = pa.field("vector", pa.list_(pa.float32(), space.dimensions), nullable=False)
    schema = pa.schema([*INDEX_ROW, vector])
    return connect(home.lance).create_table(name, schema=schema, mode="overwrite")


def _exists(home: Home, name: str) -> bool:
    return (home.lance / f"{name}.lance" / "_versions").exists()


def _standing(
    home: Home,
    head: VectorHead,
    shard: str,
    *,
    inputs: str | None = None,
    digest: str | None = None,
) -> ShardState | None:
    """The shard's state when it is the one asked for and its table is still there."""
    state = head.state(shard)
    if state is None or (inputs and state.inputs != inputs) or (digest and state.digest != digest):
        return None
    name = head.holder.get(shard)
    if name is not None and not version_file(home, name, head.tables[name].version).exists():
        return None
    return state


def _with_state(head: VectorHead, shard: str, name: str | None, state: ShardState) -> VectorHead:
    """The head after a shard was brought to ``state`` in table ``name``."""
    if name is None:
        holder = {s: n for s, n in head.holder.items() if s != shard}
        return head.model_copy(update={"holder": holder, "empty": head.empty | {shard: state}})
    entry = head.tables[name]
    entry = entry.model_copy(update={"shards": entry.shards | {shard: state}})
    return VectorHead(
        tables=head.tables | {name: entry},
        holder=head.holder | {shard: name},
        empty={s: v for s, v in head.empty.items() if s != shard},
    )
