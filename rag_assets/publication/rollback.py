"""Rolling back: ``CURRENT`` moves to an older snapshot; nothing is deleted."""

from __future__ import annotations

from rag_assets.publication.publish import publication_lock
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library.files import write_atomic
from rag_query.library.home import Home
from rag_query.library.manifests import (
    current_number,
    load_manifest,
    missing_parts,
    snapshot_numbers,
)


def rollback(home: Home, number: int | None = None) -> SnapshotManifest:
    """Make another snapshot the published one.

    The factory's tables and indexes stay as they are, so the next publication goes on from them.

    Args:
        number: of the snapshot; by default the one before the current.

    Raises:
        ExcerptaError: ``SNAPSHOT_NOT_FOUND``; ``SNAPSHOT_DAMAGED`` when it is incomplete;
            ``NOT_PUBLISHED`` when nothing was ever published. ``CURRENT`` was not touched then.
    """
    with publication_lock(home):
        chosen = _before_current(home) if number is None else number
        manifest = load_manifest(home, chosen)
        missing = missing_parts(home, manifest)
        if missing:
            raise ExcerptaError(
                ErrorCode.SNAPSHOT_DAMAGED,
                f"Snapshot {chosen} is no longer complete: {', '.join(missing[:5])}.",
                hint="Choose another of `excerpta snapshots`.",
                details={"snapshot": chosen, "missing": missing},
            )
        write_atomic(home.current, f"{chosen}\n".encode())
        return manifest


def _before_current(home: Home) -> int:
    current = current_number(home)
    if current is None:
        raise ExcerptaError(ErrorCode.NOT_PUBLISHED, "Nothing has been published yet.")
    older = [number for number in snapshot_numbers(home) if number < current]
    if not older:
        raise ExcerptaError(
            ErrorCode.SNAPSHOT_NOT_FOUND,
            f"There is no snapshot before {current}.",
            hint="`excerpta snapshots` lists those that are kept; name one of them.",
        )
    return older[-1]
