"""Each blocking check notices what it is there for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tantivy

from rag_assets.context import StageContext
from rag_assets.indexes.heads import VectorHead, bm25_head, save_vector_head, vector_head
from rag_assets.publication.candidate import Candidate, gather
from rag_assets.publication.verify import Check, verify
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library import bm25_schema
from rag_query.library.lance import connect
from rag_query.text.ids import shard_of
from tests.hashed_words import small_strategy
from tests.library_builder import open_context, run_indexes, write_tables
from tests.small_documents import UNEMBEDDABLE, SmallDoc

DOCUMENTS = [
    SmallDoc(f"d{n}.md", f"# Doc {n}\n\nTea number {n}.\n\nShared words here.") for n in range(4)
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ctx = open_context(tmp_path_factory.mktemp("verify") / "lib", shards=2)
    write_tables(ctx, DOCUMENTS)
    run_indexes(ctx)
    assert all(ctx.store.read("chunks", shard).num_rows for shard in ctx.settings.shard_names)
    return ctx.home.root


@pytest.fixture
def ctx(built: Path, tmp_path: Path) -> StageContext:
    return open_context(shutil.copytree(built, tmp_path / "lib"))


def failed(ctx: StageContext) -> dict[str, dict[str, Any]]:
    checks: list[Check] = verify(ctx.home, ctx.store, gather(ctx))
    return {check.name: check.details for check in checks if not check.passed}


def edit_vectors(ctx: StageContext, edit: Callable[[Any], None]) -> None:
    """Change the LanceDB table behind the factory's back, and have the head name the result."""
    head = vector_head(ctx.home)
    (name,) = head.tables
    table = connect(ctx.home.lance).open_table(name)
    edit(table)
    entry = head.tables[name].model_copy(update={"version": table.version})
    save_vector_head(ctx.home, head.model_copy(update={"tables": {name: entry}}))


def edit_bm25(
    ctx: StageContext, edit: Callable[[tantivy.IndexWriter, tantivy.Schema], None]
) -> None:
    head = bm25_head(ctx.home)
    assert head is not None
    index = bm25_schema.open_index(ctx.home.bm25 / head.generation)
    writer = index.writer(16_000_000, 1)
    edit(writer, index.schema)
    writer.commit()
    writer.wait_merging_threads()


def chunk_ids(ctx: StageContext) -> list[str]:
    ids: list[str] = []
    for shard in ctx.settings.shard_names:
        ids += ctx.store.read("chunks", shard, ["chunk_id"])["chunk_id"].to_pylist()
    return sorted(ids)


def test_a_whole_library_passes_every_check(ctx: StageContext) -> None:
    checks = verify(ctx.home, ctx.store, gather(ctx))
    assert [check.name for check in checks] == [
        "one_embedding_space",
        "indexes_up_to_date",
        "every_chunk_was_embedded",
        "chunk_ids_equal",
        "nothing_of_removed_documents",
        "every_chunk_has_its_document",
        "vector_shape",
        "vector_recall",
    ]
    assert all(check.passed for check in checks)
    counts = next(c for c in checks if c.name == "chunk_ids_equal").details["counts"]
    assert counts == {"vector": 8, "bm25": 8, "served": 8}


def test_an_empty_library_passes(tmp_path: Path) -> None:
    assert failed(open_context(tmp_path / "empty")) == {}


def test_a_chunk_missing_from_the_vectors(ctx: StageContext) -> None:
    lost = chunk_ids(ctx)[0]
    edit_vectors(ctx, lambda table: table.delete(f"chunk_id = '{lost}'"))
    assert failed(ctx)["chunk_ids_equal"]["vector_lacks"] == {"count": 1, "examples": [lost]}


def test_a_chunk_twice_in_the_vectors(ctx: StageContext) -> None:
    edit_vectors(ctx, lambda table: table.add(table.search().limit(1).to_arrow()))
    assert failed(ctx)["chunk_ids_equal"]["vector_twice"] == {"count": 1}


def test_a_chunk_missing_from_bm25(ctx: StageContext) -> None:
    lost = chunk_ids(ctx)[0]
    edit_bm25(ctx, lambda writer, _: writer.delete_documents_by_term("chunk_id", lost))
    assert failed(ctx)["chunk_ids_equal"]["bm25_lacks"]["examples"] == [lost]


@pytest.mark.parametrize("beyond", ["chk_beyond", "of no form"])
def test_chunks_beyond_and_twice_in_bm25(ctx: StageContext, beyond: str) -> None:
    known = chunk_ids(ctx)[0]

    def add(writer: tantivy.IndexWriter, schema: tantivy.Schema) -> None:
        for chunk in (known, beyond):
            writer.add_document(tantivy.Document.from_dict({"chunk_id": [chunk]}, schema))

    edit_bm25(ctx, add)
    details = failed(ctx)["chunk_ids_equal"]
    assert details["bm25_has_beyond"]["examples"] == [beyond]
    assert details["bm25_twice"]["examples"] == [known]


def test_rows_of_a_removed_document(ctx: StageContext) -> None:
    gone = DOCUMENTS[0]
    for shard in ctx.settings.shard_names:
        documents = ctx.store.read("documents", shard)
        rows = documents.to_pylist()
        for row in rows:
            if row["doc_id"] == gone.doc_id:
                row["status"] = "removed"
        ctx.store.write("documents", shard, pa.Table.from_pylist(rows, documents.schema))
    assert set(failed(ctx)) == {"indexes_up_to_date"}
    run_indexes(ctx)
    # The indexes followed, the tables of the stages between did not.
    details = failed(ctx)["nothing_of_removed_documents"]
    assert details["chunks"] == {"count": 1, "examples": [gone.version_id]}
    assert not {"vector", "bm25", "served"} & set(details)


def test_indexes_older_than_the_tables(ctx: StageContext) -> None:
    write_tables(ctx, [*DOCUMENTS, SmallDoc("new.md", "New.")])
    assert [len(v) for v in failed(ctx)["indexes_up_to_date"]["outdated"].values()] == [1, 1]


def test_chunks_not_embedded_yet(ctx: StageContext) -> None:
    shard = next(s for s in ctx.settings.shard_names if ctx.store.read("chunks", s).num_rows)
    ctx.store.write("embeddings", shard, ctx.store.read("embeddings", shard).slice(1))
    run_indexes(ctx)
    assert failed(ctx)["every_chunk_was_embedded"]["missing"] == {shard: 1}


def test_a_failed_embedding_does_not_block(ctx: StageContext) -> None:
    write_tables(ctx, [*DOCUMENTS, SmallDoc("new.md", f"Good.\n\n{UNEMBEDDABLE}")])
    run_indexes(ctx)
    assert failed(ctx) == {}


def test_half_a_change_of_embedder(ctx: StageContext) -> None:
    from rag_assets.indexes import bm25, vector

    other = open_context(ctx.home.root, strategy=small_strategy(version="2"))
    write_tables(other, DOCUMENTS)
    bm25.run(other, other.settings.shard_names)
    vector.run(other, "s00")
    assert "one_embedding_space" in failed(other)
    vector.run(other, "s01")
    assert failed(other) == {}


@pytest.mark.parametrize("by_an_earlier_release", [False, True])
def test_a_library_with_an_emptied_shard_changes_its_embedder(
    ctx: StageContext, by_an_earlier_release: bool
) -> None:
    kept = [d for d in DOCUMENTS if shard_of(d.source_uri, ctx.settings.shards) == "s00"]
    before = vector_head(ctx.home)
    write_tables(ctx, kept)
    run_indexes(ctx)
    head = vector_head(ctx.home)
    if by_an_earlier_release:  # it left an emptied shard in the table, without rows
        ((name, entry),) = head.tables.items()
        tables = {name: entry.model_copy(update={"shards": entry.shards | head.empty})}
        head = VectorHead(tables=tables, holder=before.holder)
        save_vector_head(ctx.home, head)
    other = open_context(ctx.home.root, strategy=small_strategy(version="2"))
    write_tables(other, kept)
    run_indexes(other)
    assert failed(other) == {}
    assert set(vector_head(ctx.home).holder) == {"s00"}
    # And back, with the document.
    write_tables(ctx, DOCUMENTS)
    run_indexes(ctx)
    assert failed(ctx) == {}


def test_vectors_that_are_not_unit_vectors(ctx: StageContext) -> None:
    def spoil(table: Any) -> None:
        row = table.search().limit(1).to_arrow()
        zero = pa.array([np.zeros(64, np.float32)], row.schema.field("vector").type)
        row = row.set_column(row.schema.get_field_index("vector"), "vector", zero)
        table.merge_insert("chunk_id").when_matched_update_all().execute(row)

    edit_vectors(ctx, spoil)
    assert failed(ctx)["vector_shape"]["not_unit_length"] == 1


def test_an_unreadable_index_is_damage(ctx: StageContext) -> None:
    candidate: Candidate = gather(ctx)
    for path in (ctx.home.bm25 / "g000001").glob("*.store"):
        path.unlink()
    with pytest.raises(ExcerptaError) as caught:
        verify(ctx.home, ctx.store, candidate)
    assert caught.value.code == ErrorCode.SNAPSHOT_DAMAGED
