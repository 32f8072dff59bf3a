"""Small published libraries for tests, without loading any model or parsing any file.

``build_library(home, [SmallDoc("a.md", "# Tea\\n\\nGreen tea is steamed.")])`` writes the real
tables with rows as the stages would, then runs the real indexes and publishes. Calling it again
with other documents on the same home is the next ingest: other text is a new version, a document
left out is removed. Nothing written is random, so equal documents give equal tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag_assets.context import StageContext
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.strategies.strategy import Strategy
from rag_query.text.ids import shard_of
from tests.hashed_words import small_strategy
from tests.library_rows import ShardRows
from tests.small_documents import SmallDoc


def build_library(
    home_path: Path | str,
    documents: Sequence[SmallDoc],
    *,
    strategy: Strategy | None = None,
    shards: int = 2,
    publish: bool = True,
) -> Home:
    """Bring a library to exactly these documents and publish it; creates it when needed.

    It takes the longer the more shards there are.
    """
    ctx = open_context(home_path, strategy=strategy, shards=shards)
    write_tables(ctx, documents)
    run_indexes(ctx)
    if publish:
        from rag_assets.publication.publish import publish as publish_library

        publish_library(ctx)
    return ctx.home


def open_context(
    home_path: Path | str, *, strategy: Strategy | None = None, shards: int = 2
) -> StageContext:
    """The context of a library, created when there is none."""
    home = Home.resolve(home_path)
    if not home.settings.exists():
        create_library(home, shards=shards)
    return StageContext(home, load_settings(home), strategy or small_strategy(), "run_test")


def run_indexes(ctx: StageContext) -> None:
    """Bring both indexes up to date with the tables."""
    from rag_assets.indexes import bm25, vector

    for shard in ctx.settings.shard_names:
        vector.run(ctx, shard)
    bm25.run(ctx, ctx.settings.shard_names)


def write_tables(ctx: StageContext, documents: Sequence[SmallDoc]) -> None:
    """Write every table for these documents, as the stages before the indexes would."""
    by_shard: dict[str, list[SmallDoc]] = {shard: [] for shard in ctx.settings.shard_names}
    for document in documents:
        by_shard[shard_of(document.source_uri, ctx.settings.shards)].append(document)
    for shard, members in by_shard.items():
        ShardRows(ctx, shard).write(members)
