"""The Dagster asset ``media``."""

import dagster as dg

from rag_assets.code_versions import code_version
from rag_assets.media import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["parsed"],
    group_name="parsing",
    kinds={"python", "parquet"},
    code_version=code_version("asset_normalize"),
    description=(
        "Images and other media stored by the hash of their bytes, with thumbnails and the place "
        "each stands at."
    ),
)
def media(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.ASSET_NORMALIZE, ("asset_normalize",), stage.run)
