"""Snapshot manifests on disk: which there are, which is current, which are pinned."""

from __future__ import annotations

import contextlib
import glob
import json
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import MANIFEST_VERSION, SnapshotManifest
from rag_query.library.files import renew, write_json
from rag_query.library.home import Home
from rag_query.library.lance import tag_file, version_file
from rag_query.library.settings import LibrarySettings
from rag_query.library.table_files import whole

_PIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def snapshot_numbers(home: Home) -> list[int]:
    """Numbers of all snapshots, ascending, current or not."""
    return sorted(int(p.stem) for p in home.snapshots.glob("*.json") if p.stem.isdecimal())


def current_number(home: Home) -> int | None:
    """The number in ``CURRENT``, or None before the first publication.

    Raises ExcerptaError ``SNAPSHOT_DAMAGED`` when it cannot be read or holds no number.
    """
    try:
        return _number(home.current.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except IsADirectoryError as exc:
        raise ExcerptaError(
            ErrorCode.SNAPSHOT_DAMAGED,
            "CURRENT does not say which snapshot is published: it is a folder.",
            hint="Remove that folder from the library, then run `excerpta rollback`, which "
            "publishes the newest snapshot that can be read.",
        ) from exc
    except (OSError, ValueError) as exc:
        problem = exc.strerror if isinstance(exc, OSError) else "it holds no number"
        raise ExcerptaError(
            ErrorCode.SNAPSHOT_DAMAGED,
            f"CURRENT does not say which snapshot is published: {problem}.",
            hint="Run `excerpta rollback`, which publishes the newest snapshot that can be read, "
            "or `excerpta rollback N` with one of `excerpta snapshots`.",
        ) from exc


def readable_current_number(home: Home) -> int | None:
    """The number in ``CURRENT``; None where there is none to be read."""
    try:
        return current_number(home)
    except ExcerptaError:
        return None


def _number(text: str) -> int:
    """Raises ValueError; ``int`` itself takes signs and underscores too."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def published_manifest(home: Home) -> SnapshotManifest | None:
    """The manifest ``CURRENT`` names, or None when there is no ``CURRENT``.

    Raises ExcerptaError ``SNAPSHOT_DAMAGED``, also when the manifest is not there, or
    ``LIBRARY_INCOMPATIBLE``.
    """
    while (number := current_number(home)) is not None:
        try:
            return load_manifest(home, number)
        except ExcerptaError as exc:
            # What a newer publication replaced may have been removed between the two readings.
            if exc.code is ErrorCode.SNAPSHOT_NOT_FOUND and current_number(home) != number:
                continue
            if exc.code is ErrorCode.SNAPSHOT_NOT_FOUND:
                raise damaged_part("manifest", number) from exc
            raise
    return None


def check_shards(home: Home, settings: LibrarySettings) -> None:
    """Raises ExcerptaError ``LIBRARY_INCOMPATIBLE`` where ``library.json`` names another number of
    shards than the library was made with: documents would be looked for in shards of others."""
    try:
        published = published_manifest(home)
    except ExcerptaError:
        return  # A run publishes it anew.
    if published is not None and published.shards != settings.shard_names:
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"library.json says `shards`: {settings.shards}, and what is published has "
            f"{len(published.shards)}.",
            hint=f"Put {len(published.shards)} back: the number of a library never changes. For "
            "another, make a new library (`excerpta init --shards`).",
        )


def nothing_published(home: Home) -> ExcerptaError:
    """``NOT_PUBLISHED``, for a library without ``CURRENT``; names the snapshots it has even so."""
    there = snapshot_numbers(home)
    if not there:
        return ExcerptaError(
            ErrorCode.NOT_PUBLISHED,
            "Nothing has been published in this library yet.",
            hint="`excerpta ingest PATH` or library_ingest adds documents.",
        )
    return ExcerptaError(
        ErrorCode.NOT_PUBLISHED,
        "CURRENT, which says what is published, is not there, but these snapshots are: "
        f"{', '.join(map(str, there))}.",
        hint="Run `excerpta rollback`, which publishes the newest that can be read, or "
        "`excerpta ingest`.",
    )


def damaged_part(part: str, number: int) -> ExcerptaError:
    """``SNAPSHOT_DAMAGED``, naming the part of a snapshot that is."""
    return ExcerptaError(
        ErrorCode.SNAPSHOT_DAMAGED,
        f"The {part} of snapshot {number} is missing or damaged.",
        hint="Run `excerpta ingest` to publish it anew, or `excerpta rollback`.",
        details={"part": part, "snapshot": number},
    )


def load_manifest(home: Home, number: int) -> SnapshotManifest:
    """Raises ExcerptaError ``SNAPSHOT_NOT_FOUND``, ``SNAPSHOT_DAMAGED``, or
    ``LIBRARY_INCOMPATIBLE`` for one that another version of this program wrote."""
    try:
        written = home.snapshot_file(number).read_bytes()
    except FileNotFoundError:
        known = ", ".join(map(str, snapshot_numbers(home))) or "none"
        raise ExcerptaError(
            ErrorCode.SNAPSHOT_NOT_FOUND,
            f"There is no snapshot {number}.",
            hint=f"Snapshots of this library: {known}.",
        ) from None
    try:
        version = _Version.model_validate_json(written).manifest_version
        if version == MANIFEST_VERSION:
            return SnapshotManifest.model_validate_json(written)
    except ValidationError as exc:
        raise ExcerptaError(
            ErrorCode.SNAPSHOT_DAMAGED,
            f"The manifest of snapshot {number} cannot be read.",
            hint=_instead_of(home, number),
        ) from exc
    raise ExcerptaError(
        ErrorCode.LIBRARY_INCOMPATIBLE,
        f"Snapshot {number} has manifest version {version}; this program knows {MANIFEST_VERSION}.",
        hint="Use the Excerpta that wrote it, or make a new library and ingest again.",
    )


def _instead_of(home: Home, number: int) -> str:
    """What to do about a manifest that cannot be read."""
    with contextlib.suppress(ExcerptaError):
        if current_number(home) == number:
            return (
                "Run `excerpta rollback`, which publishes the newest snapshot before it that can "
                "be read, or `excerpta ingest` to publish it anew."
            )
    return (
        f"Put snapshots/{number}.json back from a copy of the library. Without one the snapshot is "
        "lost; removing the file gives it up for good."
    )


class _Version(BaseModel):
    """What of a manifest has to be known before the rest can be read."""

    manifest_version: int


def missing_parts(home: Home, manifest: SnapshotManifest) -> list[str]:
    """Names of the parts of a snapshot that are no longer on disk, or whose files say nothing of
    what they hold, for example ``bm25``."""
    missing = [
        f"{table}/{shard}"
        for table, shards in manifest.tables.items()
        for shard, file in shards.items()
        if not whole(home.root / file.path)
    ]
    if manifest.bm25 and not (home.root / manifest.bm25.path / "meta.json").exists():
        missing.append("bm25")
    if manifest.vector:
        part = manifest.vector
        kept = (version_file(home, part.table, part.version), tag_file(home, part.table, part.tag))
        if not all(path.exists() for path in kept):
            missing.append("vector")
    return missing


def pin(home: Home, name: str, number: int) -> None:
    """Keep a snapshot from being collected until :func:`unpin`.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for a name that is no plain file name,
            ``SNAPSHOT_NOT_FOUND``.
    """
    path = _pin_file(home, name)
    load_manifest(home, number)
    write_json(path, {"snapshot": number})


def renew_pin(home: Home, name: str) -> bool:
    """Make a pin as young as one just set; False when there is none of this name."""
    return renew(_pin_file(home, name))


def unpin(home: Home, name: str) -> None:
    """Let go of a pin; nothing happens when there is none."""
    _pin_file(home, name).unlink(missing_ok=True)


def pins(home: Home) -> dict[str, int]:
    """name -> number of the pinned snapshot."""
    return dict(_pins(home))


def pin_files(home: Home, prefix: str = "") -> list[Path]:
    """Files of the pins whose names begin so; the stem is the name."""
    found = (home.snapshots / "pins").glob(f"{glob.escape(prefix)}*.json")
    return sorted(path for path in found if _PIN_NAME.fullmatch(path.stem))


def _pins(home: Home) -> Iterator[tuple[str, int]]:
    for path in pin_files(home):
        # One may be let go of meanwhile.
        with contextlib.suppress(FileNotFoundError):
            yield path.stem, int(json.loads(path.read_bytes())["snapshot"])


def _pin_file(home: Home, name: str) -> Path:
    if not _PIN_NAME.fullmatch(name):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{name!r} cannot name a pin.",
            hint="Use letters, digits, '.', '_' and '-'.",
        )
    return home.snapshots / "pins" / f"{name}.json"
