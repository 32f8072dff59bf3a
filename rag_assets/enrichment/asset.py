"""The Dagster asset ``enriched``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.enrichment import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName

#: Of the strategy, whose providers work here.
STAGES = ("transform_post", "ocr", "captioner", "summarizer")


@sharded_asset(
    deps=["chunks", "media"],
    group_name="text",
    kinds={"python", "parquet"},
    code_version=code_version(*STAGES),
    description=(
        "What is searched for each chunk: retrieval text, keywords, language; with it what was "
        "read from pictures, captions and summaries. The chunk text is never changed."
    ),
)
def enriched(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.TRANSFORM_POST, STAGES, stage.run)
