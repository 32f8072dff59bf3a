"""What a person took out of the library: marks in ``sources.json`` that outlive any run.

A mark names a document by its source URI, every record of a corpus by the corpus file's URI, or
one version by its version id. The next run acts on it, so a mark is all that deleting writes
itself: killed before or after, the library is as before or the deletion is finished later.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.settings import settings_lock
from rag_query.library.sources import INBOX_ROOT, SourceRoot, load_sources, save_sources, source_uri
from rag_query.text.ids import VERSION_PREFIX


def mark_deleted(home: Home, names: Iterable[str], *, hard: bool = False) -> None:
    """Keep documents or versions out of the library.

    Documents stay out until their file is ingested by name (a folder it lies in is not enough), or
    until :func:`mark_restored`.

    Args:
        names: source URIs, or version ids.
        hard: also have the next run remove them from every store (``publication/purge.py``).
    """
    now = datetime.now(UTC).isoformat()
    marks = dict.fromkeys(names, now)
    with settings_lock(home):
        sources = load_sources(home)
        sources.deleted.update(marks)
        if hard:
            sources.purge.update(marks)
        for name in marks:
            sources.kept.pop(name, None)
        save_sources(home, sources)


def mark_restored(home: Home, names: Iterable[str], *, without_file: Collection[str] = ()) -> None:
    """Take marks back, so that the next run brings the documents or versions back.

    Args:
        without_file: those of ``names`` whose source file is gone: the library keeps them from
            the bytes it holds until they are deleted again.
    """
    now = datetime.now(UTC).isoformat()
    with settings_lock(home):
        sources = load_sources(home)
        for name in names:
            sources.deleted.pop(name, None)
            # It is wanted again, so the next run must not purge it.
            sources.purge.pop(name, None)
        sources.kept.update(dict.fromkeys(without_file, now))
        save_sources(home, sources)


def forget_source(home: Home, wanted: str) -> SourceRoot:
    """Drop a registered folder, so that the next run takes its documents out; their history
    stays, and the folder can be ingested again.

    Args:
        wanted: its name, or its path.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when there is none, or it is the inbox.
    """
    with settings_lock(home):
        sources = load_sources(home)
        path = os.path.abspath(Path(wanted).expanduser())
        found = [r for r in sources.roots if r.name == wanted]
        found = found or [r for r in sources.roots if r.path == path]
        if not found:
            names = ", ".join(root.name for root in sources.roots)
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                f"No source has the name or the folder {wanted!r}.",
                hint=f"There are: {names}. `excerpta sources` shows their folders.",
            )
        (root,) = found
        if root.name == INBOX_ROOT:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                "The inbox belongs to the library.",
                hint="Take the files out of it, and ingest.",
            )
        sources.roots.remove(root)
        prefix = source_uri(root.name, "")
        sources.kept = {n: at for n, at in sources.kept.items() if not n.startswith(prefix)}
        save_sources(home, sources)
        return root


def mark_purged(home: Home, names: Iterable[str]) -> None:
    """Take off the marks of what has been purged. A version needs no mark any more: nothing of it
    is left that could come back."""
    with settings_lock(home):
        sources = load_sources(home)
        for name in names:
            sources.purge.pop(name, None)
            if name.startswith(VERSION_PREFIX):
                sources.deleted.pop(name, None)
        save_sources(home, sources)


def marked(marks: Mapping[str, str] | Collection[str], source_uri: str) -> bool:
    """Whether a document is named: itself, or the corpus it is a record of."""
    return source_uri in marks or source_uri.partition("#")[0] in marks
