"""Publishing: verify what the runs made, name it in a manifest, and move ``CURRENT`` (DESIGN 4)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.indexes import bm25, vector
from rag_assets.indexes.heads import forget
from rag_assets.publication.candidate import Candidate, gather
from rag_assets.publication.changes import Changes, changes
from rag_assets.publication.gate import quality_gate
from rag_assets.publication.verify import Check, Contents, verify
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import Bm25Part, SnapshotManifest, VectorPart
from rag_query.contracts.trace import EventKind
from rag_query.library.files import (
    exclusive,
    sync_file,
    sync_folder,
    write_atomic,
    write_json,
)
from rag_query.library.home import Home
from rag_query.library.lance import connect, tag_file
from rag_query.library.manifests import (
    current_number,
    pins,
    published_manifest,
    readable_current_number,
    snapshot_numbers,
)
from rag_query.tracing.context import count, event
from rag_query.tracing.context import current as current_trace

log = logging.getLogger(__name__)

TAG_PREFIX = "snap-"
#: A reader embeds this as a query and compares it with the manifest's ``probe_vector``.
PROBE_TEXT = "Excerpta 探针: where does the evidence for this answer stand?"


@dataclass(frozen=True, slots=True)
class Published:
    """Result of :func:`publish`.

    Attributes:
        number: of the snapshot that is current now.
        changed: false when there was nothing new; nothing was written then.
        since: number of the snapshot that was current before; None for the first, and where it
            can no longer be read.
        documents: what became of them since then; None when that snapshot cannot be read.
        checks: results of the blocking checks; empty when nothing changed.
    """

    number: int
    changed: bool
    manifest: SnapshotManifest
    since: int | None
    documents: Changes | None
    checks: list[Check] = field(default_factory=list)


def publish(ctx: StageContext) -> Published:
    """Publish the newest state of every table and index, if it passes the checks.

    Killed at any instant, ``CURRENT`` and everything it names are as before or as after.

    Raises:
        ExcerptaError: ``PUBLISH_BLOCKED`` when a check or a quality gate fails, with its
            details; ``CURRENT`` was not touched. ``INVALID_GATES`` and what the datasets of
            gates raise. ``SNAPSHOT_DAMAGED`` when ``CURRENT`` is a folder. What the embedder
            raises, when its space is a new one.
    """
    with publication_lock(ctx.home):
        current = _current(ctx.home)
        number = current.number if current else None
        candidate = gather(ctx)
        documents = changes(ctx.store, current, candidate.tables)
        if current and _is_published(ctx, candidate, current):
            _report(current, changed=False, documents=documents)
            return Published(current.number, False, current, number, documents)
        checks = _verified(ctx, candidate)
        manifest = _manifest(ctx, candidate, current, checks)
        gate = _gated(ctx, manifest, current)
        checks.append(gate)
        outcome = {gate.name: {"passed": gate.passed, **gate.details}}
        manifest = manifest.model_copy(update={"checks": manifest.checks | outcome})
        _make_durable(ctx.home, manifest, current)
        write_json(ctx.home.snapshot_file(manifest.number), manifest.model_dump(mode="json"))
        move_current(ctx.home, manifest.number)
        _report(manifest, changed=True, documents=documents)
        return Published(manifest.number, True, manifest, number, documents, checks)


def publication_lock(home: Home) -> AbstractContextManager[None]:
    """Held by whatever moves ``CURRENT`` or removes what snapshots name."""
    return exclusive(home.locks / "publication.lock", what="the published snapshots")


def move_current(home: Home, number: int) -> None:
    """Have ``CURRENT`` name another snapshot, the publication lock being held.

    Raises:
        ExcerptaError: ``SNAPSHOT_DAMAGED`` when ``CURRENT`` is a folder.
        OSError: the disk refused.
    """
    if home.current.is_dir():
        current_number(home)  # says so
    write_atomic(home.current, f"{number}\n".encode())


def _current(home: Home) -> SnapshotManifest | None:
    """What is published; None where that is nothing, or damaged: then the heads, from which all
    is verified anew, make a snapshot that is whole."""
    try:
        return published_manifest(home)
    except ExcerptaError as exc:
        # A folder can be replaced by nothing, so nothing is published over it.
        if exc.code is not ErrorCode.SNAPSHOT_DAMAGED or home.current.is_dir():
            raise
        log.warning("what was published cannot be read: %s", exc)
        return None


def snapshot_tag(number: int) -> str:
    """What a snapshot's version of the vectors is tagged with."""
    return f"{TAG_PREFIX}{number}"


def _is_published(ctx: StageContext, candidate: Candidate, current: SnapshotManifest) -> bool:
    """Whether ``CURRENT`` names this content already, and its tag is still there."""
    if current.strategy_config_id != ctx.strategy.config_id:
        return False
    part = current.vector
    tagged = part is None or tag_file(ctx.home, part.table, part.tag).exists()
    return tagged and candidate.same_content(current)


def _verified(ctx: StageContext, candidate: Candidate) -> list[Check]:
    try:
        checks = verify(ctx.home, ctx.store, candidate)
    except ExcerptaError as exc:
        if exc.code == ErrorCode.SNAPSHOT_DAMAGED:
            _forget_indexes(ctx.home)
        raise
    failed = [check for check in checks if not check.passed]
    if not failed:
        return checks
    if any(check.name == "chunk_ids_equal" for check in failed):
        # The heads claim what the indexes do not hold: have the next run look for itself.
        _forget_indexes(ctx.home)
    names = ", ".join(check.name for check in failed)
    raise ExcerptaError(
        ErrorCode.PUBLISH_BLOCKED,
        f"Nothing was published, because these checks failed: {names}.",
        hint="Run the index stages of all shards again, then publish; the published snapshot "
        "still answers.",
        details={"checks": {check.name: check.details for check in failed}},
    )


def _gated(
    ctx: StageContext, manifest: SnapshotManifest, current: SnapshotManifest | None
) -> Check:
    """The quality gate's check, passed."""
    try:
        gate = quality_gate(ctx, manifest, current)
        if gate.passed:
            return gate
    except BaseException:
        _untag(ctx.home, manifest)
        raise
    _untag(ctx.home, manifest)
    raise ExcerptaError(
        ErrorCode.PUBLISH_BLOCKED,
        f"Nothing was published, because a quality gate failed.\n{gate.details['message']}",
        hint="`library_explain` shows what a trace did. Mend the documents or the strategy, or "
        "change gates.yaml; the published snapshot still answers.",
        details={"checks": {gate.name: gate.details}},
    )


def _untag(home: Home, manifest: SnapshotManifest) -> None:
    """Remove the tag that keeps the vectors of a snapshot which will not be published."""
    if manifest.vector is not None:
        tags = connect(home.lance).open_table(manifest.vector.table).tags
        if manifest.vector.tag in tags.list():
            tags.delete(manifest.vector.tag)


def _forget_indexes(home: Home) -> None:
    with vector.lock(home), bm25.lock(home):
        forget(home)


def _manifest(
    ctx: StageContext,
    candidate: Candidate,
    current: SnapshotManifest | None,
    checks: list[Check],
) -> SnapshotManifest:
    number = _next_number(ctx.home)
    return SnapshotManifest(
        number=number,
        created_at=datetime.now(UTC),
        library_id=ctx.settings.library_id,
        run_id=ctx.run_id,
        shards=list(candidate.shards),
        strategy_config_id=ctx.strategy.config_id,
        strategy=ctx.strategy.model_dump(mode="json"),
        profile_ids=candidate.profile_ids,
        tables=candidate.tables,
        vector=_vector_part(ctx, candidate, current, number),
        bm25=_bm25_part(candidate),
        counts=_counts(ctx, candidate),
        checks={check.name: {"passed": check.passed, **check.details} for check in checks},
    )


def _next_number(home: Home) -> int:
    """One that no snapshot ever had, also where its manifest is lost: who has that snapshot open
    tells snapshots by their numbers alone."""
    named = readable_current_number(home) or 0
    return 1 + max(named, *snapshot_numbers(home), *pins(home).values(), 0)


def _vector_part(
    ctx: StageContext, candidate: Candidate, current: SnapshotManifest | None, number: int
) -> VectorPart | None:
    name = candidate.vector_table
    if name is None:
        return None
    entry = candidate.vector.tables[name]
    tag = snapshot_tag(number)
    tags = connect(ctx.home.lance).open_table(name).tags
    # A run killed between the tag and the manifest left the tag behind.
    (tags.update if tag in tags.list() else tags.create)(tag, entry.version)
    last = current.vector if current else None
    if last and last.space == entry.space and last.probe_text == PROBE_TEXT:
        probe = last.probe_vector
    else:
        probe = ctx.embedder.embed_queries([PROBE_TEXT])[0].tolist()
    return VectorPart(
        path="lance",
        table=name,
        version=entry.version,
        tag=tag,
        rows=entry.rows,
        space=entry.space,
        probe_text=PROBE_TEXT,
        probe_vector=probe,
    )


def _bm25_part(candidate: Candidate) -> Bm25Part | None:
    head = candidate.bm25
    if head is None:
        return None
    return Bm25Part(
        path=f"bm25/{head.generation}",
        rows=head.rows,
        analysis_profile_id=head.analysis_profile_id,
    )


def _make_durable(home: Home, manifest: SnapshotManifest, current: SnapshotManifest | None) -> None:
    """Have what the manifest newly names on disk before anything names it, as a power cut may
    come at any moment. (A tantivy generation syncs itself.)"""
    known = set() if current is None else set(_paths(current))
    for path in _paths(manifest):
        if path not in known:
            sync_file(home.root / path)
            sync_folder((home.root / path).parent)
    if manifest.vector is None:
        return
    table = home.lance / f"{manifest.vector.table}.lance"
    since = current.created_at.timestamp() if current else 0.0
    for entry in (table, *table.rglob("*")):
        if entry.is_dir() or entry.stat().st_mtime >= since:
            sync_file(entry)


def _paths(manifest: SnapshotManifest) -> Iterator[str]:
    for files in manifest.tables.values():
        for file in files.values():
            yield file.path


def _counts(ctx: StageContext, candidate: Candidate) -> dict[str, int]:
    """``documents`` are those of which a version can be read, as the catalogue lists them active;
    ``failed`` those whose newest version could not be, whether an older one still stands or not;
    ``media`` those that are stored, each once.
    """
    contents = Contents(ctx.home, ctx.store, candidate)
    documents = contents.documents
    statuses = {s: documents.filter(pc.equal(documents["status"], s)) for s in _STATUSES}
    parsed = contents.table("parsed", ["version_id", "status"])
    by_status = {
        s: parsed.filter(pc.equal(parsed["status"], s))["version_id"].combine_chunks()
        for s in ("ready", "failed")
    }
    live, active = contents.live, statuses["active"]
    readable = live.filter(pc.is_in(live["version_id"], value_set=by_status["ready"]))
    unparsed = active.filter(pc.is_in(active["version_id"], value_set=by_status["failed"]))
    states = [state for shard in candidate.shards if (state := candidate.states(shard)[0])]
    return {
        "documents": pc.count_distinct(readable["doc_id"]).as_py(),
        "removed": pc.count_distinct(statuses["removed"]["doc_id"]).as_py(),
        "failed": statuses["failed"].num_rows + unparsed.num_rows,
        "versions": live.num_rows,
        "chunks": sum(state.rows for state in states),
        "failed_chunks": sum(state.failed for state in states),
        "sections": _rows(candidate, "sections"),
        "media": pc.count_distinct(contents.table("media", ["asset_id"])["asset_id"]).as_py(),
        "links": _rows(candidate, "links"),
    }


_STATUSES = ("active", "removed", "failed")


def _rows(candidate: Candidate, table: str) -> int:
    return sum(file.rows for file in candidate.tables.get(table, {}).values())


def _report(manifest: SnapshotManifest, *, changed: bool, documents: Changes | None) -> None:
    event(
        EventKind.PUBLISH_RESULT,
        snapshot=manifest.number,
        changed=changed,
        counts=manifest.counts,
        documents=documents.counts() if documents else None,
    )
    count(snapshots_published=int(changed))
    if changed and (trace := current_trace()) is not None:
        trace.snapshot = manifest.number
