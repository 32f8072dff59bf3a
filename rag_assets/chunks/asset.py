"""The Dagster asset ``chunks``."""

import dagster as dg

from rag_assets.chunks import stage
from rag_assets.code_versions import code_version
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["sections"],
    group_name="text",
    kinds={"python", "parquet"},
    code_version=code_version("chunker"),
    description=(
        "Pieces of sections small enough to be found and cited, with character, line, page and "
        "box ranges."
    ),
)
def chunks(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.CHUNKER, ("chunker",), stage.run)
