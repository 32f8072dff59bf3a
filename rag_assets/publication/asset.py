"""The Dagster asset ``published`` and the blocking checks of what it publishes."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from rag_assets.partitions import OWNERS
from rag_assets.progress import StepOutcome
from rag_assets.publication import purge
from rag_assets.publication.gate import QUALITY_GATE
from rag_assets.publication.publish import publish
from rag_assets.resources import LibraryResource
from rag_assets.stage_runner import step
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.trace import SpanName

ASSET = "published"

#: Name of a check of :func:`rag_assets.publication.verify.verify` -> what it says.
CHECKS: dict[str, str] = {
    "one_embedding_space": "All vectors lie in one embedding space.",
    "indexes_up_to_date": "Both indexes were made from the tables that are published.",
    "every_chunk_was_embedded": "Every chunk has a vector, or a failure with a code.",
    "chunk_ids_equal": "LanceDB, tantivy and the served table hold the same chunk ids.",
    "nothing_of_removed_documents": "Nothing of a removed document is left.",
    "every_chunk_has_its_document": "Every served chunk belongs to a live version.",
    "vector_shape": "Every vector has the right width and length 1.",
    "vector_recall": "Vector search finds what exact search finds.",
    QUALITY_GATE: "Every gate of gates.yaml that blocks publication passes on the new snapshot.",
}


@dg.asset(
    name=ASSET,
    deps=["vector_index", "bm25_index", "links", "media", "normalized", "sections"],
    group_name="publication",
    kinds={"python", "json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(name, asset=ASSET, description=text, blocking=True)
        for name, text in CHECKS.items()
    ],
    description=(
        "The snapshot readers see: a manifest that names both indexes and every table as they are "
        "now. It becomes current only when every check passes. `documents_added` and what follows "
        "count documents since the snapshot that was current before."
    ),
)
def published(
    context: dg.AssetExecutionContext, library: LibraryResource
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    with step(context, library, SpanName.PUBLISH, ()) as (ctx, opened):
        try:
            doomed = purge.prepare(ctx)
            result = publish(ctx)
            purged = purge.finish(ctx, doomed)
        except ExcerptaError as exc:
            # The failed checks are shown as such before the step fails.
            yield from _failed(exc)
            raise
        manifest = result.manifest
        opened.set(snapshot=result.number, changed=result.changed)
        documents = result.documents.counts() if result.documents else {}
        library.progress.step_done(
            StepOutcome(
                # What the inventory counted stands for a run that gets no further.
                {f"published_{key}": number for key, number in manifest.counts.items()} | documents,
                snapshot=result.number,
            )
        )
        metadata: dict[str, Any] = {
            "snapshot": result.number,
            "changed": result.changed,
            "since_snapshot": "none" if result.since is None else result.since,
            **{f"documents_{name}": number for name, number in documents.items()},
            "purged": purged,
            "strategy": manifest.strategy_config_id,
            **manifest.counts,
        }
        yield from _passed(manifest.checks, result.number)
        yield dg.MaterializeResult(
            metadata=metadata, data_version=dg.DataVersion(f"snapshot-{result.number}")
        )


def _passed(checks: Mapping[str, Any], number: int) -> Iterator[dg.AssetCheckResult]:
    """The results kept in the manifest; an unchanged library is not searched again."""
    for name in CHECKS:
        details = checks.get(name, {"passed": True})
        yield dg.AssetCheckResult(
            check_name=name,
            passed=bool(details["passed"]),
            metadata={"snapshot": number, "details": dg.MetadataValue.json(details)},
        )


def _failed(error: ExcerptaError) -> Iterator[dg.AssetCheckResult]:
    for name, details in error.details.get("checks", {}).items():
        yield dg.AssetCheckResult(
            check_name=name,
            passed=False,
            metadata={"details": dg.MetadataValue.json(details)},
            description=error.message,
        )
