"""Rolling back: ``CURRENT`` moves to an older snapshot; nothing is deleted."""

from __future__ import annotations

from rag_assets.publication.publish import move_current, publication_lock
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library.home import Home
from rag_query.library.manifests import (
    load_manifest,
    missing_parts,
    nothing_published,
    readable_current_number,
    snapshot_numbers,
)
from rag_query.library.sources import load_sources


def rollback(home: Home, number: int | None = None) -> SnapshotManifest:
    """Make another snapshot the published one.

    The factory's tables and indexes stay as they are, so the next publication goes on from them.

    Args:
        number: of the snapshot; by default the newest whose manifest can be read, of those before
            the number in ``CURRENT``. It is the newest of all where ``CURRENT`` holds no number,
            or that of a snapshot which is gone and before which there is none.

    Raises:
        ExcerptaError: ``SNAPSHOT_NOT_FOUND``; ``SNAPSHOT_DAMAGED`` when it is incomplete;
            ``NOT_PUBLISHED`` when nothing was ever published; ``PUBLISH_BLOCKED`` while a hard
            deletion is not done. ``CURRENT`` was not touched then.
    """
    with publication_lock(home):
        _refuse_what_is_to_go(home)
        manifest = _before_current(home) if number is None else load_manifest(home, number)
        chosen = manifest.number
        missing = missing_parts(home, manifest)
        if missing:
            raise ExcerptaError(
                ErrorCode.SNAPSHOT_DAMAGED,
                f"Snapshot {chosen} is no longer complete: {', '.join(missing[:5])}.",
                hint="Choose another of `excerpta snapshots`, or run `excerpta ingest`.",
                details={"snapshot": chosen, "missing": missing},
            )
        move_current(home, chosen)
        return manifest


def _refuse_what_is_to_go(home: Home) -> None:
    """A hard deletion ends with every earlier snapshot gone, and its marks go last: until then a
    rollback would publish what is to leave, and have it kept as what is current."""
    if load_sources(home).purge:
        raise ExcerptaError(
            ErrorCode.PUBLISH_BLOCKED,
            "A hard deletion is not done yet, with which all earlier snapshots go.",
            hint="Wait for its run; where none is at work, `excerpta ingest` finishes it, or "
            "`excerpta undelete` takes it back.",
        )


def _before_current(home: Home) -> SnapshotManifest:
    numbers = snapshot_numbers(home)
    if not numbers:
        raise nothing_published(home)
    current = readable_current_number(home)
    older = [number for number in numbers if current is not None and number < current]
    known = bool(older) or current in numbers
    if not known:
        older = numbers
    for number in reversed(older):
        try:
            return load_manifest(home, number)
        except ExcerptaError as exc:
            if exc.code is not ErrorCode.SNAPSHOT_DAMAGED:
                raise
    raise ExcerptaError(
        ErrorCode.SNAPSHOT_NOT_FOUND,
        f"There is no snapshot before {current}{' that can be read' if older else ''}."
        if known
        else "No snapshot of this library can be read.",
        hint="`excerpta snapshots` lists those that are kept; name one of them."
        if known
        else "Run `excerpta ingest`, which publishes a new one.",
    )
