"""The ``documents`` table: every version of every document, and which one is the latest.

Versions are kept: a newer one supersedes, a missing file marks as removed, and a file that comes
back revives what is known of it. A file that can no longer be read takes nothing away; its
document stays and carries the code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.sources.report import NAMED
from rag_assets.sources.row_tables import from_table, to_table
from rag_assets.sources.rows import InventoryRow
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import ALL, DOCUMENTS
from rag_query.library.deletions import marked
from rag_query.library.sources import load_sources
from rag_query.tracing.context import count


@dataclass(slots=True)
class DocumentRow:
    """One version of one document; the fields are the columns of ``DOCUMENTS``."""

    doc_id: str
    version_id: str | None
    version_no: int | None
    is_latest: bool
    status: str
    code: str | None
    message: str | None
    source_uri: str
    aliases: list[str]
    collection: str
    tags: list[str]
    topics: list[str]
    source_type: str
    format: str | None
    mime: str | None
    name: str
    external_id: str | None
    root: str
    rel_path: str
    file_sha256: str | None
    raw_sha256: str | None
    raw_offset: int | None
    raw_length: int | None
    created_at: datetime
    version_created_at: datetime | None
    removed_at: datetime | None
    title: str | None = None
    language: str | None = None


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the documents of a shard up to date with the inventory.

    ``computed`` counts the versions that are new or changed, ``unchanged`` the others, ``dropped``
    the documents removed in this run; ``details`` count rows by status and name failed documents.
    """
    inventory = ctx.store.read("inventory", ALL)
    aliases = _aliases(inventory)
    mine = from_table(inventory.filter(pc.equal(inventory["shard"], shard)), InventoryRow)
    before: dict[str, list[DocumentRow]] = defaultdict(list)
    sources = load_sources(ctx.home)
    held = from_table(ctx.store.read("documents", shard), DocumentRow)
    for row in held:
        if not (marked(sources.purge, row.source_uri) or row.version_id in sources.purge):
            before[row.doc_id].append(row)
    now = datetime.now(UTC)
    rows: list[DocumentRow] = []
    for item in mine:
        versions = before.get(item.doc_id, [])
        rows += _versions(item, versions, aliases.get(item.doc_id, []), now)
    met = {item.doc_id for item in mine}
    for doc, versions in before.items():
        if doc not in met:
            rows += _removed(versions, now)
    rows = [_deleted_apart(row, sources.deleted, held, now) for row in rows]
    rows = _named(ctx, shard, rows, now)
    rows.sort(key=lambda row: (row.source_uri, row.version_no or 0))
    written = ctx.store.write("documents", shard, to_table(rows, DOCUMENTS))
    unchanged = _unchanged(rows, held)
    count(documents=sum(row.is_latest and row.status == "active" for row in rows))
    return StageResult(
        rows=len(rows),
        computed=len(rows) - unchanged,
        unchanged=unchanged,
        dropped=sum(row.removed_at == now and row.is_latest for row in rows),
        data_version=written.file.data_version,
        written=written.changed,
        details=_details(rows),
    )


def _aliases(inventory: pa.Table) -> dict[str, list[str]]:
    """doc_id -> the other URIs of its content, sorted."""
    duplicates = inventory.filter(pc.is_valid(inventory["duplicate_of"]))
    found: dict[str, list[str]] = defaultdict(list)
    for uri, holder in zip(
        duplicates["source_uri"].to_pylist(), duplicates["duplicate_of"].to_pylist(), strict=True
    ):
        found[holder].append(uri)
    return {holder: sorted(uris) for holder, uris in found.items()}


def _versions(
    item: InventoryRow, before: Sequence[DocumentRow], aliases: list[str], now: datetime
) -> Iterator[DocumentRow]:
    """The rows of one document now."""
    held = [row for row in before if row.version_id is not None]
    if item.present:
        yield from _present(item, held, aliases)
    elif item.decision == "failed":
        live = [row for row in held if row.status != "removed"]
        if not live:
            yield _failed_row(item)
        for row in held:
            code, message = (item.code, item.message) if row.is_latest else (None, None)
            latest = row.is_latest and bool(live)
            yield replace(row, code=code, message=message, is_latest=latest, aliases=aliases)
    else:
        yield from _removed(held, now)


def _present(
    item: InventoryRow, held: Sequence[DocumentRow], aliases: list[str]
) -> Iterator[DocumentRow]:
    newest = max((row.version_no or 0 for row in held), default=0)
    same = next((row for row in held if row.version_id == item.version_id), None)
    latest = _row(item)
    latest.aliases = aliases
    if same is None or same.version_no != newest:
        # A version that returns arrives anew: it is the newest again.
        latest.version_no = newest + 1
    else:
        latest.version_no = newest
    if same is not None:
        latest.version_created_at = same.version_created_at
        latest.topics = same.topics
    for row in held:
        if row is not same:
            yield replace(
                row,
                is_latest=False,
                status="superseded",
                code=None,
                message=None,
                removed_at=None,
                aliases=aliases,
                collection=item.collection,
                tags=item.tags,
                # A renamed document bears its new name in all its versions.
                source_uri=item.source_uri,
                name=latest.name,
                root=item.root,
                rel_path=item.rel_path,
            )
    yield latest


def _removed(versions: Sequence[DocumentRow], now: datetime) -> Iterator[DocumentRow]:
    """History stays; a document that never could be read leaves none."""
    held = [row for row in versions if row.version_id is not None]
    newest = max((row.version_no or 0 for row in held), default=0)
    for row in held:
        gone = row.removed_at if row.status == "removed" else now
        yield replace(
            row,
            status="removed",
            is_latest=row.version_no == newest,
            removed_at=gone,
            code=None,
            message=None,
            aliases=[],
        )


def _deleted_apart(
    row: DocumentRow, deleted: Mapping[str, str], before: Sequence[DocumentRow], now: datetime
) -> DocumentRow:
    """The row of an older version that was deleted on its own, as removed; any other unchanged."""
    if row.status != "superseded" or row.version_id not in deleted:
        return row
    old = next((held for held in before if held.version_id == row.version_id), None)
    gone = old.removed_at if old is not None and old.status == "removed" else now
    return replace(row, status="removed", removed_at=gone)


def _named(
    ctx: StageContext, shard: str, rows: Sequence[DocumentRow], now: datetime
) -> list[DocumentRow]:
    """``rows``, where removed versions keep their title and language. Those removed by this run get
    them from ``parsed``, which will not have their rows any more in the next one."""
    gone = [row.source_uri for row in rows if row.removed_at == now]
    called = _titles(ctx, shard, gone) if gone else {}
    named = []
    for row in rows:
        title, language = (row.title, row.language) if row.status == "removed" else (None, None)
        if row.removed_at == now:
            title, language = called.get(row.version_id, (None, None))
        named.append(replace(row, title=title, language=language))
    return named


def _titles(
    ctx: StageContext, shard: str, gone: Sequence[str]
) -> dict[str | None, tuple[str | None, str | None]]:
    """version_id -> title and language.

    Args:
        gone: source URIs of what is removed, for the message where ``parsed`` cannot be read:
            computed again it would lack their rows, so the run must not go on by itself.
    """
    try:
        parsed = ctx.store.read("parsed", shard, ["version_id", "title", "language"])
    except ExcerptaError as exc:
        if exc.code is not ErrorCode.SNAPSHOT_DAMAGED:
            raise
        head = ctx.store.relative(ctx.store.folder("parsed", shard) / "head.json")
        raise ExcerptaError(
            exc.code,
            f"{exc.message} It holds the titles of documents that have been removed: "
            f"{', '.join(gone[:NAMED])}.",
            hint="Put the file back from a copy of the library, or these documents where they "
            "were, and run `excerpta ingest`. To have the documents in the history without title "
            f"and language, remove {head} first.",
            details=exc.details,
        ) from exc
    return {row["version_id"]: (row["title"], row["language"]) for row in parsed.to_pylist()}


def _row(item: InventoryRow) -> DocumentRow:
    """An active row of what the inventory holds; ``version_no`` is still to be given."""
    return DocumentRow(
        doc_id=item.doc_id,
        version_id=item.version_id,
        version_no=None,
        is_latest=True,
        status="active",
        code=item.code,
        message=item.message,
        source_uri=item.source_uri,
        aliases=[],
        collection=item.collection,
        tags=item.tags,
        topics=[],
        source_type=item.source_type,
        format=item.format,
        mime=item.mime,
        name=item.fragment or PurePosixPath(item.rel_path).name,
        external_id=item.fragment if item.version_id is not None else None,
        root=item.root,
        rel_path=item.rel_path,
        file_sha256=item.file_sha256,
        raw_sha256=item.raw_sha256,
        raw_offset=item.raw_offset,
        raw_length=item.raw_length,
        created_at=item.first_seen_at,
        version_created_at=item.version_seen_at,
        removed_at=None,
    )


def _failed_row(item: InventoryRow) -> DocumentRow:
    """A document of which no bytes are held."""
    return replace(
        _row(item),
        version_id=None,
        status="failed",
        external_id=None,
        file_sha256=None,
        raw_sha256=None,
        raw_offset=None,
        raw_length=None,
        version_created_at=None,
    )


def _unchanged(rows: Sequence[DocumentRow], before: Sequence[DocumentRow]) -> int:
    known: Mapping[tuple[str, str | None], DocumentRow] = {
        (row.doc_id, row.version_id): row for row in before
    }
    return sum(known.get((row.doc_id, row.version_id)) == row for row in rows)


def _details(rows: Sequence[DocumentRow]) -> dict[str, object]:
    statuses = dict.fromkeys(("active", "superseded", "removed", "failed"), 0)
    for row in rows:
        statuses[row.status] += 1
    failed = [row for row in rows if row.code and row.is_latest]
    return {
        **statuses,
        "failed_documents": [
            {"source_uri": row.source_uri, "code": row.code, "message": row.message}
            for row in failed[:NAMED]
        ],
    }
