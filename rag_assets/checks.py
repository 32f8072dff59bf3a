"""Asset checks that name documents. They warn: one bad document never stops a run.

The blocking checks stand with the asset ``published`` (:mod:`rag_assets.publication.asset`), where
they look at exactly what is about to be published.
"""

from __future__ import annotations

from collections.abc import Callable

import dagster as dg

from rag_assets.context import StageContext
from rag_assets.failures import (
    failed_table,
    unembedded_documents,
    unparsed_documents,
    unread_documents,
)
from rag_assets.resources import LibraryResource
from rag_assets.run_status import FailedDocument


@dg.asset_check(
    asset="documents",
    description="Every source file could be read. A file that could not keeps its last version.",
)
def every_file_was_read(library: LibraryResource) -> dg.AssetCheckResult:
    return _named(library.context, unread_documents)


@dg.asset_check(
    asset="parsed",
    description="Every latest version could be parsed. One that could not keeps the one before.",
)
def every_document_was_parsed(library: LibraryResource) -> dg.AssetCheckResult:
    return _named(library.context, unparsed_documents)


@dg.asset_check(
    asset="embeddings",
    description="Every chunk could be embedded. One that could not is in no index.",
)
def every_chunk_was_embedded(library: LibraryResource) -> dg.AssetCheckResult:
    return _named(library.context, unembedded_documents)


def _named(
    ctx: StageContext, find: Callable[[StageContext, str], list[FailedDocument]]
) -> dg.AssetCheckResult:
    shards = ctx.settings.shard_names
    failed = [document for shard in shards for document in find(ctx, shard)]
    metadata: dict[str, int | dg.MarkdownMetadataValue] = {"failed": len(failed)}
    if failed:
        metadata["documents"] = failed_table(failed)
    return dg.AssetCheckResult(
        passed=not failed, severity=dg.AssetCheckSeverity.WARN, metadata=metadata
    )


CHECKS = [every_file_was_read, every_document_was_parsed, every_chunk_was_embedded]
