"""Which chunks are indexed, and with what."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from rag_assets.context import StageContext
from rag_assets.indexes import rows
from rag_assets.indexes.rows import (
    index_rows,
    index_rows_with_text,
    input_digest,
    input_files,
    rows_digest,
    unindexed,
)
from rag_query.contracts.tables import INDEX_ROW
from tests.library_builder import open_context, write_tables
from tests.small_documents import UNEMBEDDABLE, SmallDoc

SHARD = "s00"
TEA = SmallDoc(
    "tea.md",
    "# Tea\n\nGreen tea is steamed.\n\nBlack tea is oxidised.",
    tags=("drink", "b"),
    front_matter_tags=("a", "drink"),
    topics=("food",),
)


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return open_context(tmp_path / "lib", shards=1)


def rows_of(ctx: StageContext, *documents: SmallDoc) -> list[dict[str, object]]:
    write_tables(ctx, documents)
    rows = index_rows(ctx.store, SHARD)
    assert rows.schema == INDEX_ROW
    return rows.to_pylist()


def test_an_empty_library_has_no_rows(ctx: StageContext) -> None:
    assert index_rows(ctx.store, SHARD).num_rows == 0
    assert unindexed(ctx.store, input_files(ctx.store, SHARD)).missing == 0


def test_a_row_for_each_chunk_with_the_documents_filters(ctx: StageContext) -> None:
    rows = rows_of(ctx, TEA)
    assert len(rows) == 2
    assert [row["chunk_id"] for row in rows] == sorted(str(row["chunk_id"]) for row in rows)
    row = rows[0]
    assert row["doc_id"] == TEA.doc_id
    assert row["version_ids"] == [TEA.version_id]
    assert row["tags"] == ["a", "b", "drink"]
    assert row["topics"] == ["food"]
    assert row["section_path"] == "Tea"
    assert (row["is_latest"], row["has_image"], row["page_start"]) == (True, False, None)


def test_a_chunk_of_two_versions_is_one_row(ctx: StageContext) -> None:
    write_tables(ctx, [TEA])
    changed = SmallDoc("tea.md", TEA.text.replace("oxidised", "withered"))
    rows = rows_of(ctx, changed)
    assert len(rows) == 3
    shared = [row for row in rows if len(row["version_ids"]) == 2]  # type: ignore[arg-type]
    assert [row["version_ids"] for row in shared] == [[TEA.version_id, changed.version_id]]
    latest = {tuple(row["version_ids"]): row["is_latest"] for row in rows}  # type: ignore[arg-type]
    assert latest[(TEA.version_id,)] is False
    assert latest[(changed.version_id,)] is True
    assert latest[(TEA.version_id, changed.version_id)] is True


def test_a_version_that_fails_to_parse_leaves_the_old_one_latest(ctx: StageContext) -> None:
    before = rows_of(ctx, TEA)
    after = rows_of(ctx, SmallDoc("tea.md", "broken", fails="NO_TEXT", tags=TEA.tags))
    assert [r["chunk_id"] for r in after] == [r["chunk_id"] for r in before]
    assert all(row["is_latest"] for row in after)


def test_a_removed_document_has_no_rows(ctx: StageContext) -> None:
    other = SmallDoc("coffee.md", "Coffee is roasted.")
    assert {row["doc_id"] for row in rows_of(ctx, TEA, other)} == {TEA.doc_id, other.doc_id}
    assert {row["doc_id"] for row in rows_of(ctx, other)} == {other.doc_id}


def test_a_chunk_without_a_vector_is_counted_and_left_out(ctx: StageContext) -> None:
    rows = rows_of(ctx, SmallDoc("a.md", f"Fine.\n\nThis one is {UNEMBEDDABLE}."))
    assert len(rows) == 1
    left_out = unindexed(ctx.store, input_files(ctx.store, SHARD))
    assert (left_out.failed, left_out.missing) == (1, 0)


def test_chunks_the_embeddings_stage_has_not_seen_are_missing(ctx: StageContext) -> None:
    write_tables(ctx, [TEA])
    embeddings = ctx.store.read("embeddings", SHARD)
    ctx.store.write("embeddings", SHARD, embeddings.slice(1))
    assert unindexed(ctx.store, input_files(ctx.store, SHARD)).missing == 1


@pytest.mark.parametrize(
    "changed",
    [
        SmallDoc("tea.md", TEA.text, tags=("other",), topics=TEA.topics),
        SmallDoc("tea.md", TEA.text, tags=TEA.tags, topics=TEA.topics, title="Another title"),
        SmallDoc("tea.md", TEA.text, tags=TEA.tags, topics=TEA.topics, language="zh"),
    ],
)
def test_row_hash_covers_what_is_indexed(ctx: StageContext, changed: SmallDoc) -> None:
    before = rows_of(ctx, TEA)
    assert rows_of(ctx, TEA) == before
    after = rows_of(ctx, changed)
    assert all(a["row_hash"] != b["row_hash"] for a, b in zip(after, before, strict=True))


def test_digests_change_with_the_inputs_only(ctx: StageContext) -> None:
    write_tables(ctx, [TEA])
    first = input_digest(input_files(ctx.store, SHARD))
    rows = pa.concat_tables(index_rows_with_text(ctx.store, SHARD))
    assert set(rows.column_names) - set(INDEX_ROW.names) == {"title", "retrieval_text"}
    write_tables(ctx, [TEA])
    assert input_digest(input_files(ctx.store, SHARD)) == first
    assert rows_digest(index_rows(ctx.store, SHARD)) == rows_digest(rows)
    write_tables(ctx, [TEA, SmallDoc("b.md", "More.")])
    assert input_digest(input_files(ctx.store, SHARD)) != first


def test_row_hashes_are_as_many_as_rows(ctx: StageContext) -> None:
    write_tables(ctx, [TEA, SmallDoc("b.md", "\n\n".join(f"Paragraph {i}." for i in range(50)))])
    rows = index_rows(ctx.store, SHARD)
    assert pa.compute.count_distinct(rows["row_hash"]).as_py() == rows.num_rows == 52


def test_rows_asked_for_in_pieces_are_those_of_the_whole(
    ctx: StageContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tables(ctx, [TEA, SmallDoc("b.md", "\n\n".join(f"Paragraph {i}." for i in range(50)))])
    whole = list(index_rows_with_text(ctx.store, SHARD))
    monkeypatch.setattr(rows, "PIECE_ROWS", 7)
    pieces = list(index_rows_with_text(ctx.store, SHARD))
    assert len(whole) == 1 and len(pieces) > 5
    assert pa.concat_tables(pieces).equals(pa.concat_tables(whole))
    assert index_rows(ctx.store, SHARD)["chunk_id"].to_pylist() == sorted(
        index_rows(ctx.store, SHARD)["chunk_id"].to_pylist()
    )
