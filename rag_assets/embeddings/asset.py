"""The Dagster asset ``embeddings``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.embeddings import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["enriched"],
    group_name="index",
    kinds={"python", "parquet"},
    code_version=code_version("embedder"),
    description=(
        "One vector a chunk, from a cache keyed by content and model, so that equal text is "
        "embedded once."
    ),
)
def embeddings(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.EMBEDDING, ("embedder",), stage.run)
