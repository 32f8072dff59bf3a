"""Documents that failed, by name: for metadata, checks and a run's status."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.run_status import FailedDocument

#: Rows of a table shown in the UI; larger metadata is refused by Dagster or hard to read.
TABLE_ROWS = 20


def unread_documents(ctx: StageContext, shard: str) -> list[FailedDocument]:
    """Documents of which the file, as it stands now, could not be taken in."""
    columns = ["source_uri", "code", "message", "is_latest", "status"]
    rows = ctx.store.read("documents", shard, columns)
    wanted = pc.and_(pc.and_(rows["is_latest"], pc.is_valid(rows["code"])), _not_removed(rows))
    return _documents(rows.filter(wanted))


def unparsed_documents(ctx: StageContext, shard: str) -> list[FailedDocument]:
    """Documents whose latest version could not be parsed."""
    parsed = ctx.store.read("parsed", shard, ["version_id", "status", "code", "message"])
    parsed = parsed.filter(pc.equal(parsed["status"], "failed"))
    if parsed.num_rows == 0:
        return []
    documents = ctx.store.read(
        "documents", shard, ["version_id", "source_uri", "is_latest", "status"]
    )
    latest = documents.filter(pc.and_(documents["is_latest"], _not_removed(documents)))
    joined = parsed.drop_columns("status").join(
        latest.select(["version_id", "source_uri"]), "version_id", join_type="inner"
    )
    return _documents(joined.sort_by("source_uri"))


def unembedded_documents(ctx: StageContext, shard: str) -> list[FailedDocument]:
    """Documents with chunks that could not be embedded, and so are in no index."""
    if ctx.store.head("embeddings", shard) is None:
        return []
    rows = ctx.store.read("embeddings", shard, ["version_id", "status", "code"])
    failed = rows.filter(pc.not_equal(rows["status"], "ready"))
    if failed.num_rows == 0:
        return []
    counts = failed.group_by(["version_id", "code"]).aggregate([("version_id", "count")])
    documents = ctx.store.read("documents", shard, ["version_id", "source_uri", "version_no"])
    joined = counts.join(documents, "version_id", join_type="inner").sort_by("source_uri")
    return [
        FailedDocument(
            source_uri=row["source_uri"],
            code=row["code"],
            message=f"{row['version_id_count']} chunks of version {row['version_no']}",
        )
        for row in joined.to_pylist()
    ]


def failed_table(failed: Sequence[FailedDocument]) -> dg.MarkdownMetadataValue:
    """A Markdown table of documents with their codes."""
    lines = ["| document | code | what happened |", "|---|---|---|"]
    lines += [
        f"| {_cell(document.source_uri)} | {document.code} | {_cell(document.message or '')} |"
        for document in failed[:TABLE_ROWS]
    ]
    if len(failed) > TABLE_ROWS:
        lines.append(f"| … and {len(failed) - TABLE_ROWS} more | | |")
    return dg.MetadataValue.md("\n".join(lines))


def _not_removed(documents: pa.Table) -> pa.ChunkedArray:
    return pc.not_equal(documents["status"], "removed")


def _documents(rows: pa.Table) -> list[FailedDocument]:
    return [
        FailedDocument.model_validate(row)
        for row in rows.select(["source_uri", "code", "message"]).to_pylist()
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:200]
