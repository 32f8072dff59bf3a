"""The Dagster asset ``sections``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.sections import stage
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["normalized"],
    group_name="text",
    kinds={"python", "parquet"},
    code_version=code_version("sectioner"),
    description=(
        "The structure of each document: one row a section, with a path that stays the same "
        "across versions."
    ),
)
def sections(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.SECTIONER, ("sectioner",), stage.run)
