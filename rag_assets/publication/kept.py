"""Which snapshots a clean-up keeps (DESIGN 4): those that are current, pinned, among the newest
``keep_snapshots``, or younger than ``retention_hours``.

A manifest says what its snapshot needs. Where one that is kept cannot be read, it may still be put
back from a copy, so nothing may go until then.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library.home import Home
from rag_query.library.manifests import current_number, load_manifest, pins, snapshot_numbers
from rag_query.library.settings import LibrarySettings


def kept_snapshots(
    home: Home, settings: LibrarySettings, now: datetime
) -> tuple[list[SnapshotManifest], list[int]]:
    """The publication lock is held meanwhile.

    Returns:
        The manifests of the snapshots that stay, ascending, and the numbers of those that go
        although their manifests cannot be read.

    Raises:
        ExcerptaError: ``SNAPSHOT_DAMAGED`` where ``CURRENT`` cannot be read, the manifest it names
            is gone, or one of a snapshot that is kept cannot be read.
    """
    numbers, current = snapshot_numbers(home), current_number(home)
    held = {*pins(home).values(), *numbers[-settings.keep_snapshots :]}
    if current is None:
        # Any of them may be the one that was published.
        held.update(numbers)
    elif current in numbers:
        held.add(current)
    else:
        raise _published_is_gone(current)
    oldest = now - timedelta(hours=settings.retention_hours)
    kept, damaged = [], []
    for number in numbers:
        try:
            manifest = load_manifest(home, number)
        except ExcerptaError as exc:
            if exc.code is not ErrorCode.SNAPSHOT_DAMAGED or number == current:
                raise
            if number in held or _written(home, number) > oldest:
                raise _still_held(number) from exc
            damaged.append(number)
        else:
            if number in held or manifest.created_at > oldest:
                kept.append(manifest)
    return kept, damaged


def _written(home: Home, number: int) -> datetime:
    """When a manifest was last written, for one that does not tell when it was made."""
    return datetime.fromtimestamp(home.snapshot_file(number).stat().st_mtime, UTC)


def _still_held(number: int) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.SNAPSHOT_DAMAGED,
        f"The manifest of snapshot {number} cannot be read, and the snapshot may still be wanted: "
        "it is pinned, as new as keep_snapshots or retention_hours ask for, or nothing says which "
        "is published.",
        hint=f"Put snapshots/{number}.json back from a copy of the library, and clean up again. "
        "Remove that file instead only to give the snapshot up for good.",
    )


def _published_is_gone(number: int) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.SNAPSHOT_DAMAGED,
        f"CURRENT names snapshot {number}, and snapshots/{number}.json is not there: nothing says "
        "what the published snapshot needs.",
        hint="Put that file back from a copy of the library, and clean up again. To give the "
        "snapshot up for good, run `excerpta ingest` or `excerpta rollback` before.",
    )
