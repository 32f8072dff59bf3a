"""The LanceDB index follows the tables, whatever happened to it before."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag_assets.context import StageContext
from rag_assets.indexes import vector
from rag_assets.indexes.heads import vector_head
from rag_assets.indexes.rows import index_rows
from rag_query.library.lance import connect
from tests.hashed_words import small_strategy
from tests.library_builder import open_context, write_tables
from tests.small_documents import SmallDoc

SHARD = "s00"
DOCUMENTS = [
    SmallDoc(f"{n}.md", f"# Doc {n}\n\nTea number {n}.\n\nShared words here.") for n in range(6)
]


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    ctx = open_context(tmp_path / "lib", shards=1)
    write_tables(ctx, DOCUMENTS)
    return ctx


def table(ctx: StageContext) -> Any:
    (name,) = set(vector_head(ctx.home).holder.values())
    opened = connect(ctx.home.lance).open_table(name)
    opened.checkout(vector_head(ctx.home).tables[name].version)
    return opened


def assert_follows(ctx: StageContext) -> None:
    wanted = index_rows(ctx.store, SHARD).to_pylist()
    held = table(ctx).search().to_arrow().drop(["vector"]).sort_by("chunk_id").to_pylist()
    assert held == wanted


def test_builds_then_writes_nothing(ctx: StageContext) -> None:
    first = vector.run(ctx, SHARD)
    assert (first.rows, first.computed, first.written) == (12, 12, True)
    assert_follows(ctx)
    version = table(ctx).version
    again = vector.run(ctx, SHARD)
    assert (again.computed, again.unchanged, again.written) == (0, 12, False)
    assert again.data_version == first.data_version
    assert table(ctx).version == version


def test_vectors_belong_to_their_chunks(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    embeddings = ctx.store.read("embeddings", SHARD).to_pylist()
    wanted = {row["chunk_id"]: row["vector"] for row in embeddings}
    held = table(ctx).search().select(["chunk_id", "vector"]).to_arrow().to_pylist()
    assert {row["chunk_id"]: row["vector"] for row in held} == wanted


def test_changes_are_upserted_and_vanished_rows_deleted(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    changed = [
        SmallDoc("0.md", DOCUMENTS[0].text, tags=("new",)),
        *DOCUMENTS[2:],
        SmallDoc("new.md", "Something new."),
    ]
    write_tables(ctx, changed)
    result = vector.run(ctx, SHARD)
    assert result.details["inserted"] == 1
    assert result.details["updated"] == 2
    assert result.details["deleted"] == 2
    assert_follows(ctx)


def test_small_slices_give_the_same_table(ctx: StageContext) -> None:
    sliced = vector.LanceVectorIndex(vector.LanceParams(slice_rows=5, compact_fragments=2))
    sliced.update(ctx, SHARD)
    assert_follows(ctx)
    assert table(ctx).stats()["fragment_stats"]["num_fragments"] == 1


def test_compaction_leaves_tagged_versions_alone(ctx: StageContext) -> None:
    index = vector.LanceVectorIndex(vector.LanceParams(compact_fragments=2))
    index.update(ctx, SHARD)
    tagged = table(ctx).version
    table(ctx).tags.create("snap-1", tagged)
    for number in range(4):
        write_tables(ctx, [*DOCUMENTS, SmallDoc("x.md", f"Text {number}.")])
        index.update(ctx, SHARD)
    assert_follows(ctx)
    old = table(ctx)
    old.checkout("snap-1")
    assert (old.version, old.count_rows()) == (tagged, 12)


def test_a_deleted_database_is_built_again(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    head = (ctx.home.lance / "head.json").read_bytes()
    shutil.rmtree(ctx.home.lance)
    result = vector.run(ctx, SHARD)
    assert (result.computed, result.written) == (12, True)
    assert_follows(ctx)
    # Also when only the data is lost and the head still claims everything.
    shutil.rmtree(ctx.home.lance)
    ctx.home.lance.mkdir()
    (ctx.home.lance / "head.json").write_bytes(head)
    assert vector.run(ctx, SHARD).computed == 12
    assert_follows(ctx)


def test_what_a_killed_run_left_in_the_table_is_made_good(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    opened = connect(ctx.home.lance).open_table(table(ctx).name)
    write_tables(ctx, DOCUMENTS[1:])
    # As if killed after the write and before the head, with the change taken back since.
    head = (ctx.home.lance / "head.json").read_bytes()
    vector.run(ctx, SHARD)
    opened.checkout_latest()
    state = vector_head(ctx.home)
    assert state.tables[opened.name].version == opened.version
    (ctx.home.lance / "head.json").write_bytes(head)
    write_tables(ctx, [*DOCUMENTS, SmallDoc("z.md", "Last.")])
    vector.run(ctx, SHARD)
    assert_follows(ctx)


def test_another_embedder_builds_a_table_beside(ctx: StageContext, tmp_path: Path) -> None:
    vector.run(ctx, SHARD)
    before = table(ctx).name
    other = open_context(tmp_path / "lib", strategy=small_strategy(version="2", dimensions=32))
    write_tables(other, DOCUMENTS)
    vector.run(other, SHARD)
    assert_follows(other)
    assert table(other).name != before
    assert connect(ctx.home.lance).open_table(before).count_rows() == 12


def test_a_shard_that_lost_all_its_documents_is_emptied(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    name = table(ctx).name
    write_tables(ctx, [])
    result = vector.run(ctx, SHARD)
    assert (result.rows, result.dropped, result.written) == (0, 12, True)
    assert connect(ctx.home.lance).open_table(name).count_rows() == 0
    assert vector_head(ctx.home).holder == {}
    again = vector.run(ctx, SHARD)
    assert (again.written, again.data_version) == (False, result.data_version)


def test_an_emptied_shard_leaves_nothing_in_tables_of_earlier_embedders(
    ctx: StageContext, tmp_path: Path
) -> None:
    vector.run(ctx, SHARD)
    first = table(ctx).name
    other = open_context(tmp_path / "lib", strategy=small_strategy(version="2"))
    write_tables(other, DOCUMENTS)
    vector.run(other, SHARD)
    write_tables(other, [])
    vector.run(other, SHARD)
    assert connect(ctx.home.lance).open_table(first).count_rows() == 0


def test_a_run_with_nothing_to_do_imports_no_lancedb(ctx: StageContext) -> None:
    vector.run(ctx, SHARD)
    code = (
        "import sys; from tests.library_builder import open_context; "
        "from rag_assets.indexes import bm25, vector; "
        f"ctx = open_context({str(ctx.home.root)!r}); "
        f"print(vector.run(ctx, {SHARD!r}).written, 'lancedb' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False"]
