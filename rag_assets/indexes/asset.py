"""The Dagster assets ``vector_index`` and ``bm25_index``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.indexes import bm25, vector
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_partitions, run_shards
from rag_query.contracts.trace import SpanName

#: Dagster's concurrency pool of writers of the one BM25 index; its limit is 1.
INDEX_WRITES = "index_writes"


@sharded_asset(
    deps=["embeddings", "documents", "parsed", "chunks"],
    group_name="index",
    kinds={"python", "lancedb"},
    code_version=code_version("vector_index"),
    description="The LanceDB table: one row a chunk, its vector and what filters need.",
)
def vector_index(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.UPSERT, ("vector_index",), vector.run)


@sharded_asset(
    deps=["enriched", "embeddings", "documents", "parsed", "chunks"],
    group_name="index",
    kinds={"python", "tantivy"},
    code_version=code_version("bm25_index"),
    pool=INDEX_WRITES,
    description=(
        "The tantivy index of the whole library. Each run writes one new generation, beside the "
        "one that is published."
    ),
)
def bm25_index(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    shards = sorted(context.partition_keys)

    def all_shards(ctx: StageContext) -> dict[str, StageResult]:
        return bm25.run(ctx, shards)

    return run_partitions(context, library, SpanName.UPSERT, ("bm25_index",), all_shards)
