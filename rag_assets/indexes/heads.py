"""The factory's working state of both indexes: what each holds, made from which inputs.

As with tables, what readers see is the snapshot manifest; a head only says where the next run
starts. Before an index is written, the state of the shards concerned is dropped from the head, so
that after a crash they are compared with what the index really holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from rag_assets.incremental import StageResult
from rag_assets.indexes.rows import InputFiles, input_digest, rows_digest, unindexed
from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.library.files import write_atomic
from rag_query.library.home import Home
from rag_query.library.tables import TableStore


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ShardState(_Head):
    """What an index holds of one shard.

    Attributes:
        inputs: :func:`rag_assets.indexes.rows.input_digest` it was made from.
        rows: number of rows.
        digest: :func:`rag_assets.indexes.rows.rows_digest`.
        failed: chunks whose embedding failed, which no index holds.
        missing: chunks the embeddings stage has not come to yet.
    """

    inputs: str
    rows: int
    digest: str
    failed: int = 0
    missing: int = 0

    def unchanged(self) -> StageResult:
        """The result of a run that found the shard as the index holds it."""
        details: dict[str, object] = {
            "inserted": 0,
            "updated": 0,
            "deleted": 0,
            "failed": self.failed,
        }
        return StageResult(self.rows, 0, self.rows, 0, self.digest, False, details)


class VectorTable(_Head):
    """One LanceDB table: one embedding space."""

    version: int
    space: EmbeddingSpace
    shards: dict[str, ShardState] = {}

    @property
    def rows(self) -> int:
        return sum(state.rows for state in self.shards.values())


class VectorHead(_Head):
    """``lance/head.json``.

    Attributes:
        tables: table name -> its state; more than one while an embedder is being changed.
        holder: shard -> the table that holds its newest vectors; a shard without vectors is in
            none.
        empty: shard -> state of the shards without vectors.
    """

    tables: dict[str, VectorTable] = {}
    holder: dict[str, str] = {}
    empty: dict[str, ShardState] = {}

    def state(self, shard: str) -> ShardState | None:
        """The newest state of a shard, in whichever table."""
        name = self.holder.get(shard)
        table = self.tables.get(name) if name else None
        return table.shards.get(shard) if table else self.empty.get(shard)


class Bm25Head(_Head):
    """``bm25/head.json``: the newest complete generation."""

    generation: str
    schema_version: int
    analysis_profile_id: str
    shards: dict[str, ShardState]

    @property
    def rows(self) -> int:
        return sum(state.rows for state in self.shards.values())


def vector_head(home: Home) -> VectorHead:
    """Empty when nothing was ever indexed."""
    return _load(_vector_path(home), VectorHead) or VectorHead()


def bm25_head(home: Home) -> Bm25Head | None:
    """None when nothing was ever indexed."""
    return _load(_bm25_path(home), Bm25Head)


def save_vector_head(home: Home, head: VectorHead) -> None:
    """Write the head; readers see the one before or this one, whole."""
    write_atomic(_vector_path(home), head.model_dump_json(indent=1).encode())


def save_bm25_head(home: Home, head: Bm25Head) -> None:
    """Write the head; readers see the one before or this one, whole."""
    write_atomic(_bm25_path(home), head.model_dump_json(indent=1).encode())


def shard_state(store: TableStore, files: InputFiles, rows: pa.Table) -> ShardState:
    """State of a shard whose index rows, made from ``files``, are ``rows``; of these only
    ``chunk_id`` and ``row_hash`` matter."""
    left_out = unindexed(store, files)
    return ShardState(
        inputs=input_digest(files),
        rows=rows.num_rows,
        digest=rows_digest(rows),
        failed=left_out.failed,
        missing=left_out.missing,
    )


def without_state(head: VectorHead, shards: list[str]) -> VectorHead:
    """A head that says nothing of these shards, so that the next run compares all their rows with
    the index; the tables keep version and name."""
    tables = {
        name: table.model_copy(
            update={"shards": {s: v for s, v in table.shards.items() if s not in shards}}
        )
        for name, table in head.tables.items()
    }
    empty = {s: v for s, v in head.empty.items() if s not in shards}
    return head.model_copy(update={"tables": tables, "empty": empty})


def forget(home: Home) -> None:
    """Trust nothing any more: the next run compares every shard with what the indexes hold.

    To be called with both index locks held. The BM25 index is built anew, because what a damaged
    generation holds cannot be told.
    """
    head = vector_head(home)
    save_vector_head(home, without_state(head, [*head.holder, *head.empty]))
    _bm25_path(home).unlink(missing_ok=True)


def table_name(space: EmbeddingSpace) -> str:
    """LanceDB table of an embedding space."""
    return f"chunks_{space.space_id[:16]}"


_M = TypeVar("_M", bound=_Head)


def _load(path: Path, model: type[_M]) -> _M | None:
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None


def _vector_path(home: Home) -> Path:
    return home.lance / "head.json"


def _bm25_path(home: Home) -> Path:
    return home.bm25 / "head.json"
