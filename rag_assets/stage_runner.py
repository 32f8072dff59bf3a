"""Runs a stage inside a Dagster step: trace span, progress, metadata, data version, errors.

Stage functions know nothing of this; assets call :func:`run_shards` or :func:`run_step`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from rag_assets.context import StageContext
from rag_assets.failures import failed_table
from rag_assets.incremental import StageResult
from rag_assets.moved_counts import moved_counts
from rag_assets.part_failures import warnings_of
from rag_assets.progress import StepOutcome
from rag_assets.resources import LibraryResource
from rag_assets.run_status import FailedDocument
from rag_query.contracts.errors import ErrorCode, classify
from rag_query.contracts.trace import Links, ProviderRef, SpanName
from rag_query.strategies.strategy import Strategy
from rag_query.text.ids import profile_id, run_trace_id
from rag_query.tracing.context import OpenSpan, Trace, span, start
from rag_query.tracing.outlets import direct_sinks

MAX_RETRIES = 2
_RETRY_WAIT_S = 2.0

Stage = Callable[[StageContext, str], StageResult]


def run_shards(
    context: dg.AssetExecutionContext,
    library: LibraryResource,
    name: SpanName,
    stages: Sequence[str],
    stage: Stage,
    *,
    failed: Callable[[StageContext, str], list[FailedDocument]] | None = None,
) -> dg.MaterializeResult[None]:
    """Run a stage for every shard of the run.

    Args:
        name: of the trace span.
        stages: of the strategy, whose providers do the work.
        failed: names the documents of a shard that failed here.
    """

    def every_shard(ctx: StageContext) -> dict[str, StageResult]:
        keys = sorted(context.partition_keys)
        results: dict[str, StageResult] = {}
        for number, shard in enumerate(keys, start=1):
            library.progress.shard(asset_name(context), number, len(keys))
            results[shard] = stage(ctx, shard)
        return results

    return run_partitions(context, library, name, stages, every_shard, failed=failed)


def run_partitions(
    context: dg.AssetExecutionContext,
    library: LibraryResource,
    name: SpanName,
    stages: Sequence[str],
    work: Callable[[StageContext], dict[str, StageResult]],
    *,
    failed: Callable[[StageContext, str], list[FailedDocument]] | None = None,
) -> dg.MaterializeResult[None]:
    """Like :func:`run_shards`, for a stage that takes its shards at once."""
    with step(context, library, name, stages) as (ctx, opened):
        shards = sorted(context.partition_keys) if failed else []
        had_failed = [document for shard in shards if failed for document in failed(ctx, shard)]
        results = work(ctx)
        failures = {shard: failed(ctx, shard) for shard in results} if failed else {}
        totals = _totals(results)
        opened.set(shards=len(results), **totals)
        for shard, result in results.items():
            metadata = stage_metadata(
                result, failures.get(shard, []), _profile_ids(ctx.strategy, stages)
            )
            context.add_asset_metadata(metadata, partition_key=shard)
        named = [document for found in failures.values() for document in found]
        named += [document for result in results.values() for document in result.failed]
        asset = asset_name(context)
        counts = {f"{asset}_rows": totals["rows"]}
        if asset == "documents":
            counts["documents"] = totals.get("active", 0)
        library.progress.step_done(
            StepOutcome(
                counts,
                computed=totals["computed"],
                failed=named,
                moved=moved_counts(
                    ctx,
                    failed=_uris(named),
                    had_failed=_uris(had_failed) - _uris(named),
                    mended=library.progress.mended,
                ),
                warnings=warnings_of(result.details for result in results.values()),
            )
        )
        version = profile_id({shard: result.data_version for shard, result in results.items()})
        return dg.MaterializeResult(data_version=dg.DataVersion(version))


@contextlib.contextmanager
def step(
    context: dg.AssetExecutionContext,
    library: LibraryResource,
    name: SpanName,
    stages: Sequence[str],
) -> Iterator[tuple[StageContext, OpenSpan]]:
    """The frame of one step: progress, one trace envelope with one span, classified errors.

    A transient failure is tried again; every other fails the step with its code and message.
    """
    ctx = library.context
    asset = asset_name(context)
    library.progress.step(asset, len(list(context.job_def.asset_layer.executable_asset_keys)))
    trace = Trace(
        "ingestion",
        ctx.strategy.config_id,
        trace_id=run_trace_id(context.run.run_id),
        links=Links(job_id=context.run.run_id),
    )
    trace.replay = {
        "asset": asset,
        "profile_ids": _profile_ids(ctx.strategy, stages),
    }
    trace.providers = {stage: ctx.strategy.stage(stage).provider for stage in stages}
    try:
        with (
            start(trace, direct_sinks(ctx.home)),
            span(name, provider_ref(ctx.strategy, stages), asset=asset) as opened,
        ):
            yield ctx, opened
    except Exception as exc:
        error = classify(exc)
        again = error.transient and error.code is not ErrorCode.DISK_FULL
        if again and context.retry_number < MAX_RETRIES:
            wait = _RETRY_WAIT_S * 2**context.retry_number
            raise dg.RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=wait) from exc
        library.progress.failed(error, asset)
        raise dg.Failure(
            description=str(error),
            metadata={"code": str(error.code), "details": dg.MetadataValue.json(error.details)},
            allow_retries=False,
        ) from exc


def provider_ref(strategy: Strategy, stages: Sequence[str]) -> ProviderRef | None:
    """Who does the work of a span: a stage's provider, or the family when several share it."""
    refs = [strategy.ref(stage) for stage in stages]
    if len(refs) < 2:
        return refs[0] if refs else None
    kind = refs[0].provider_type
    profile = profile_id([ref.profile_id for ref in refs])
    return ProviderRef(provider_type=kind, provider_id=f"{kind}.*", profile_id=profile)


def asset_name(context: dg.AssetExecutionContext) -> str:
    """The name of the step's asset."""
    return str(context.asset_key.path[-1])


def _profile_ids(strategy: Strategy, stages: Sequence[str]) -> dict[str, str]:
    return {stage: strategy.profile_id(stage) for stage in stages}


def stage_metadata(
    result: StageResult,
    failed: Sequence[FailedDocument],
    profile_ids: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the UI shows of one materialisation; ``profile_ids``: stage of the strategy -> the
    profile its provider worked under."""
    metadata: dict[str, Any] = {
        "dagster/row_count": result.rows,
        "computed": result.computed,
        "unchanged": result.unchanged,
        "dropped": result.dropped,
        "written": result.written,
        "rows_version": result.data_version,
        **_scalars(result.details),
    }
    if profile_ids:
        metadata["profile_ids"] = dg.MetadataValue.json(dict(profile_ids))
    named = [*failed, *result.failed] or failed_of(result)
    if named:
        metadata["failed documents"] = failed_table(named)
    return metadata


def _scalars(details: Mapping[str, object]) -> dict[str, Any]:
    plain = {k: v for k, v in details.items() if isinstance(v, str | int | float | bool)}
    counted = {k: dg.MetadataValue.json(v) for k, v in details.items() if isinstance(v, dict) and v}
    return plain | counted


def failed_of(result: StageResult) -> list[FailedDocument]:
    """The failed documents a stage of the sources named in its details."""
    rows = result.details.get("failed_documents")
    if not isinstance(rows, list):
        return []
    return [FailedDocument.model_validate(row) for row in rows if "source_uri" in row]


def _uris(documents: Sequence[FailedDocument]) -> set[str]:
    return {document.source_uri for document in documents}


def _totals(results: Mapping[str, StageResult]) -> dict[str, Any]:
    """Counts over all shards; further counts of the stage are added up too."""
    totals: dict[str, Any] = {"rows": 0, "computed": 0, "unchanged": 0, "dropped": 0}
    for result in results.values():
        totals["rows"] += result.rows
        totals["computed"] += result.computed
        totals["unchanged"] += result.unchanged
        totals["dropped"] += result.dropped
        for key, value in result.details.items():
            # Rates and times of shards do not add up to anything.
            if isinstance(value, int) and not isinstance(value, bool) and key != "batch_size":
                totals[key] = totals.get(key, 0) + value
    return totals
