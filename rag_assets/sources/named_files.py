"""Which files a run with the policy ``new_version`` is about."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.ingestion import VersionPolicy


class NamedFiles:
    """The files that a run with the policy ``new_version`` is about; none with ``skip``.

    A file is meant when it is named, or a folder it lies in, by whatever links.
    """

    def __init__(
        self,
        policy: VersionPolicy,
        paths: Sequence[str],
        *,
        files: Iterable[str] = (),
        registered: Iterable[str] = (),
    ) -> None:
        """
        Args:
            paths: of files and folders; without any, every file is meant.
            files: paths of all that are ingested.
            registered: paths of folders and files that may hold or be one, though none is there.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT`` for ``paths`` with the policy ``skip``, and for a
                path at and below which nothing is ingested, unless it is there and registered or
                in a registered folder: an empty folder and what is ignored are no mistake.
        """
        if paths and policy == "skip":
            raise _without_effect()
        self._all = policy == "new_version" and not paths
        self._meant: set[str] = set()
        named = {place for path in paths for place in _spellings(path)}
        met: set[Path] = set()
        for file in files if named else ():
            if at := named.intersection(_with_folders(file)):
                self._meant.add(file)
                met |= at
        held = {place for path in registered if named for place in _spellings(path)}
        for path in registered if named else ():
            met |= named.intersection(_with_folders(path))
        for path in paths:
            is_there = os.path.lexists(path) and not held.isdisjoint(_with_folders(path))
            if met.isdisjoint(_spellings(path)) and not is_there:
                raise _holds_nothing(path)

    def __contains__(self, path: str) -> bool:
        return self._all or path in self._meant


def _with_folders(path: str) -> set[Path]:
    """A path and the folders it lies in, by both spellings."""
    return {above for place in _spellings(path) for above in (place, *place.parents)}


def _without_effect() -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "`paths` are read again with the policy new_version; with skip they would change nothing.",
        hint="Take `policy: new_version`, or leave `paths` empty.",
    )


def _holds_nothing(path: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"At the path that ends in {Path(path).name!r} there is no document of this library.",
        hint="Check the spelling, and that the path is absolute. `excerpta sources` shows the "
        "folders that are read; `excerpta ingest PATH` adds one.",
    )


def _spellings(path: str) -> tuple[Path, Path]:
    """A path as it is given, and where it leads."""
    return Path(os.path.abspath(path)), Path(os.path.realpath(path))
