"""tantivy generations: built by difference, never changed once named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tantivy

from rag_assets.context import StageContext
from rag_assets.indexes import bm25
from rag_assets.indexes.heads import bm25_head, save_bm25_head
from rag_assets.indexes.rows import index_rows
from rag_query.library import bm25_schema
from rag_query.text.analysis import Analyzer
from tests.library_builder import open_context, write_tables
from tests.small_documents import SmallDoc

SHARDS = ["s00", "s01"]
DOCUMENTS = [
    SmallDoc(f"{n}.md", f"# Doc {n}\n\nUnique{n} tea.\n\nShared words here.", tags=(f"t{n}",))
    for n in range(6)
]


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    ctx = open_context(tmp_path / "lib", shards=2)
    write_tables(ctx, DOCUMENTS)
    return ctx


def folder(ctx: StageContext) -> Path:
    head = bm25_head(ctx.home)
    assert head is not None
    return ctx.home.bm25 / head.generation


def found(path: Path, text: str, field: str = bm25_schema.BODY) -> set[str]:
    index = bm25_schema.open_index(path)
    searcher = index.searcher()
    tokens = Analyzer().tokens(text) if field in bm25_schema.TEXT_FIELDS else [text]
    queries = [tantivy.Query.term_query(index.schema, field, token) for token in tokens]
    query = tantivy.Query.boolean_query([(tantivy.Occur.Must, q) for q in queries])
    hits = searcher.search(query, 100).hits
    return {searcher.doc(address)["chunk_id"][0] for _, address in hits}


def assert_follows(ctx: StageContext) -> None:
    wanted = {c for s in SHARDS for c in index_rows(ctx.store, s)["chunk_id"].to_pylist()}
    searcher = bm25_schema.open_index(folder(ctx)).searcher()
    every = tantivy.Query.all_query()
    terms = searcher.terms_with_prefix("chunk_id", "", every)
    assert dict(terms) == dict.fromkeys(wanted, 1)
    assert searcher.num_docs == len(wanted)


def test_builds_one_generation_for_all_shards_then_none(ctx: StageContext) -> None:
    results = bm25.run(ctx, SHARDS)
    assert sum(r.computed for r in results.values()) == 12
    assert bm25.generations(ctx.home) == ["g000001"]
    assert_follows(ctx)
    again = bm25.run(ctx, SHARDS)
    assert not any(r.written for r in again.values())
    assert {s: r.data_version for s, r in again.items()} == {
        s: r.data_version for s, r in results.items()
    }
    assert bm25.generations(ctx.home) == ["g000001"]


def test_finds_words_and_filters(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    assert len(found(folder(ctx), "unique3")) == 1
    assert len(found(folder(ctx), "shared words")) == 6
    assert len(found(folder(ctx), "doc", bm25_schema.HEADINGS)) == 12
    assert len(found(folder(ctx), "doc", bm25_schema.TITLE)) == 12
    assert len(found(folder(ctx), "t4", "tags")) == 2
    assert len(found(folder(ctx), DOCUMENTS[2].doc_id, "doc_id")) == 2


def test_chinese_is_found_by_its_words(ctx: StageContext) -> None:
    write_tables(ctx, [*DOCUMENTS, SmallDoc("zh.md", "向量数据库用于语义检索。", language="zh")])
    bm25.run(ctx, SHARDS)
    assert len(found(folder(ctx), "数据库")) == 1
    assert len(found(folder(ctx), "检索")) == 1
    assert not found(folder(ctx), "汽车")


def test_created_at_and_pages_are_ranges(ctx: StageContext) -> None:
    write_tables(ctx, [SmallDoc("a.md", "# A\n\nOne.\n\n# B\n\nTwo.", paged=True, days=1.5)])
    bm25.run(ctx, SHARDS)
    index = bm25_schema.open_index(folder(ctx))
    (row,) = (
        index_rows(ctx.store, "s00").to_pylist()[:1] or index_rows(ctx.store, "s01").to_pylist()[:1]
    )
    moment = bm25_schema.to_micros(row["created_at"])
    for field, low, high, number in (
        ("created_at", moment, moment, 2),
        ("created_at", moment + 1, moment + 9, 0),
        ("page_start", 2, 9, 1),
    ):
        query = tantivy.Query.range_query(index.schema, field, tantivy.FieldType.Integer, low, high)
        assert index.searcher().search(query, 10).count == number


def test_the_next_generation_leaves_the_last_one_as_it_was(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    old = folder(ctx)
    files = {p.name: p.read_bytes() for p in old.iterdir() if not p.name.startswith(".")}
    opened = bm25_schema.open_index(old).searcher()
    write_tables(ctx, [*DOCUMENTS[3:], SmallDoc("new.md", "Brand new coffee.")])
    results = bm25.run(ctx, SHARDS)
    assert sum(r.dropped for r in results.values()) == 6
    assert folder(ctx) != old
    assert_follows(ctx)
    assert found(folder(ctx), "coffee") and not found(folder(ctx), "unique0")
    # Both the open searcher and a fresh one still see the old moment.
    assert opened.num_docs == 12
    assert len(found(old, "unique0")) == 1 and not found(old, "coffee")
    assert {p.name: p.read_bytes() for p in old.iterdir() if not p.name.startswith(".")} == files


def test_one_shard_at_a_time_keeps_the_others(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    write_tables(ctx, [*DOCUMENTS, *(SmallDoc(f"n{n}.md", f"New {n}.") for n in range(8))])
    bm25.run(ctx, ["s00"])
    bm25.run(ctx, ["s01"])
    assert_follows(ctx)


def test_the_first_run_of_one_shard_holds_every_shard(ctx: StageContext) -> None:
    results = bm25.run(ctx, ["s01"])
    assert set(results) == {"s01"}
    assert_follows(ctx)


def test_another_analysis_builds_from_nothing(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    head = bm25_head(ctx.home)
    assert head is not None
    save_bm25_head(ctx.home, head.model_copy(update={"analysis_profile_id": "old"}))
    results = bm25.run(ctx, SHARDS)
    assert sum(r.computed for r in results.values()) == 12
    assert bm25.generations(ctx.home) == ["g000001", "g000002"]
    assert_follows(ctx)
    assert not {p.name for p in folder(ctx).glob("*.idx")} & {
        p.name for p in (ctx.home.bm25 / "g000001").glob("*.idx")
    }


def test_a_lost_generation_is_built_again(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    shutil.rmtree(folder(ctx))
    assert sum(r.computed for r in bm25.run(ctx, SHARDS).values()) == 12
    assert_follows(ctx)


def test_a_half_written_generation_is_passed_over(ctx: StageContext) -> None:
    bm25.run(ctx, SHARDS)
    shutil.copytree(folder(ctx), ctx.home.bm25 / "g000002")
    (ctx.home.bm25 / "g000002" / "meta.json").write_text("{")
    write_tables(ctx, DOCUMENTS[1:])
    bm25.run(ctx, SHARDS)
    assert folder(ctx).name == "g000003"
    assert_follows(ctx)


def test_many_small_changes_stay_few_segments(ctx: StageContext) -> None:
    for number in range(10):
        write_tables(ctx, [*DOCUMENTS, SmallDoc("x.md", f"Text {number}.")])
        bm25.run(ctx, SHARDS)
    assert_follows(ctx)
    meta = json.loads((folder(ctx) / "meta.json").read_bytes())
    assert len(meta["segments"]) <= 10


def test_a_generation_of_mostly_deleted_rows_is_built_afresh(
    ctx: StageContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25, "_FEW", 1)
    bm25.run(ctx, SHARDS)
    write_tables(ctx, DOCUMENTS[:2])
    bm25.run(ctx, SHARDS)
    write_tables(ctx, DOCUMENTS[:1])
    bm25.run(ctx, SHARDS)
    assert_follows(ctx)
    searcher = bm25_schema.open_index(folder(ctx)).searcher()
    # Without a filter the terms of deleted rows would show.
    assert len(searcher.terms_with_prefix("doc_id", "")) == 1
