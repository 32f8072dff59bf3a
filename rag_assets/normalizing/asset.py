"""The Dagster asset ``normalized``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.normalizing import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["parsed", "media"],
    group_name="parsing",
    kinds={"python", "parquet"},
    code_version=code_version("transform_pre"),
    description=(
        "The facts without noise, images as asset:// links, and a map from its lines back to "
        "those of the facts."
    ),
)
def normalized(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.TRANSFORM_PRE, ("transform_pre",), stage.run)
