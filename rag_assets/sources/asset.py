"""The Dagster assets ``inventory`` and ``documents``."""

import contextlib

import dagster as dg
from pydantic import Field

from rag_assets.child_processes.pool import shared_pool
from rag_assets.code_versions import SOURCES_VERSION
from rag_assets.partitions import OWNERS, sharded_asset
from rag_assets.progress import StepOutcome
from rag_assets.resources import LibraryResource
from rag_assets.sources import documents as documents_stage
from rag_assets.sources.inventory import take_inventory
from rag_assets.sources.report import duplicates_of, ignored_of, renamed_of
from rag_assets.stage_runner import failed_of, run_shards, stage_metadata, step
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.contracts.trace import SpanName


class InventoryConfig(dg.Config):
    """What a run may be asked of files whose bytes the library holds."""

    policy: VersionPolicy = Field(
        "skip",
        description="skip: they are unchanged. new_version: each makes another version of its "
        "document and is parsed again; the former version stays readable.",
    )
    paths: list[str] = Field(
        [],
        description="Absolute paths of the files and folders new_version is for; empty: all. With "
        "skip it stays empty.",
    )


@dg.asset(
    group_name="sources",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=SOURCES_VERSION,
    description=(
        "One row for each document the inbox folders and registered files hold now, with what "
        "became of it since the inventory before: new, new version, unchanged, removed, failed or "
        "ignored. New bytes are copied into raw/ while they are hashed. What a run publishes is "
        "counted by `published`."
    ),
)
def inventory(
    context: dg.AssetExecutionContext, config: InventoryConfig, library: LibraryResource
) -> dg.MaterializeResult[None]:
    with step(context, library, SpanName.DEDUP, ()) as (ctx, opened):
        result = take_inventory(ctx, policy=config.policy, paths=config.paths)
        # Ready by the time there is something to parse; who parses says if none can be started.
        with contextlib.suppress(OSError):
            shared_pool(ctx.settings.limits).start(result.computed)
        counts = {key: n for key, n in result.details.items() if isinstance(n, int)}
        opened.set(rows=result.rows, **counts)
        warnings = result.details.get("warnings")
        library.progress.step_done(
            StepOutcome(
                counts,
                failed=failed_of(result),
                renamed=renamed_of(result),
                duplicates=duplicates_of(result),
                ignored=ignored_of(result),
                warnings=[str(text) for text in warnings] if isinstance(warnings, list) else [],
            )
        )
        return dg.MaterializeResult(
            metadata=stage_metadata(result, []),
            data_version=dg.DataVersion(result.data_version),
        )


@sharded_asset(
    deps=["inventory"],
    group_name="sources",
    kinds={"python", "parquet"},
    code_version=SOURCES_VERSION,
    description=(
        "Every version of every document, which one is the latest, and whether it is active, "
        "superseded, removed or failed."
    ),
)
def documents(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> dg.MaterializeResult[None]:
    return run_shards(context, library, SpanName.DEDUP, (), documents_stage.run)
