"""The Dagster asset ``parsed``."""

import dagster as dg

from rag_assets.code_versions import LOADERS, code_version
from rag_assets.failures import unparsed_documents
from rag_assets.loading import stage
from rag_assets.partitions import sharded_asset
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import run_shards
from rag_query.contracts.trace import SpanName


@sharded_asset(
    deps=["documents"],
    group_name="parsing",
    kinds={"python", "parquet"},
    code_version=code_version(*LOADERS),
    description=(
        "Facts read from each version's bytes by the loader of its format: Markdown, page "
        "anchors, outline, media references. A document that cannot be read is a row with a code."
    ),
)
def parsed(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(
        context, library, SpanName.LOADER, LOADERS, stage.run, failed=unparsed_documents
    )
