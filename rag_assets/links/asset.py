"""The Dagster asset ``links``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.links import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["normalized", "chunks"],
    group_name="text",
    kinds={"python", "parquet"},
    code_version=code_version("linker"),
    description="Links and references between chunks, sections and documents.",
)
def links(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.LINKER, ("linker",), stage.run)
