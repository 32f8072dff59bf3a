"""A hard deletion takes what was said of the document's pictures, and nothing that was paid for
others."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from rag_assets.publication import purge
from rag_assets.publication.publish import publish
from rag_assets.sidecar_cache import SidecarCache
from rag_query.contracts.tables import SUMMARIES
from rag_query.library.deletions import mark_deleted
from tests.library_builder import open_context, run_indexes, write_tables
from tests.small_documents import SmallDoc

STAYS, GOES = "aa" * 32, "bb" * 32


def _summary(document: SmallDoc, key: str) -> dict[str, object]:
    return {
        "version_id": document.version_id,
        "doc_id": document.doc_id,
        "chunk_id": "chk",
        "status": "ready",
        "retry": False,
        "summary": "Words.",
        "llm_provider_id": "llm.fake",
        "model_id": "m",
        "prompt_profile_id": "p",
        "cache_key": key,
        "summarizer_profile_id": "s",
    }


def test_what_was_paid_for_other_documents_stays_cached(tmp_path: Path) -> None:
    tea, coffee = SmallDoc("tea.md", "# Tea\n\nGreen."), SmallDoc("coffee.md", "# Coffee\n\nHot.")
    ctx = open_context(tmp_path, shards=1)
    (shard,) = ctx.settings.shard_names
    cache = SidecarCache(ctx.home.sidecar_cache / "summaries" / "p")
    other = ctx.home.sidecar_cache.parent / "other" / "x"
    other.parent.mkdir(parents=True)
    other.write_text("of nobody knows what")
    for key in (STAYS, GOES):
        cache.put(key, {"summary": key})
    for kept in ((tea, coffee), (tea,)):
        write_tables(ctx, kept)
        rows = [_summary(each, STAYS if each is tea else GOES) for each in kept]
        table = pa.Table.from_pylist(rows, schema=SUMMARIES)
        ctx.store.write("summaries", shard, table, {row["version_id"]: "x" for row in rows})
        if kept == (tea,):
            mark_deleted(ctx.home, [coffee.source_uri], hard=True)
            table = ctx.store.read("documents", shard)
            left = [row for row in table.to_pylist() if row["doc_id"] == tea.doc_id]
            ctx.store.write("documents", shard, pa.Table.from_pylist(left, schema=table.schema))
        run_indexes(ctx)
        names = purge.prepare(ctx)
        publish(ctx)
    assert purge.finish(ctx, names) == 1
    assert cache.get(STAYS) == {"summary": STAYS}
    assert cache.get(GOES) is None
    assert not other.exists()
