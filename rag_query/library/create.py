"""Making a library: its folders, its settings and its inbox."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import write_json
from rag_query.library.home import Home
from rag_query.library.own_places import refuse_occupied
from rag_query.library.settings import LibrarySettings, settings_lock
from rag_query.library.sources import INBOX_ROOT, SourceRoot, Sources, save_sources


def create_library(home: Home, *, shards: int = 8, strategy: str = "default") -> LibrarySettings:
    """Make an empty library.

    Raises:
        ExcerptaError: ``LIBRARY_EXISTS``; ``INVALID_ARGUMENT`` when there can be no folder here,
            or other files lie in it.
        OSError: the disk refused.
    """
    try:
        home.root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError, FileNotFoundError, PermissionError) as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"No folder can be made for the library: {exc.strerror}.",
            hint="Name another one with --home or EXCERPTA_HOME.",
        ) from exc
    if not home.settings.exists():
        refuse_occupied(home)
    with settings_lock(home):
        if home.settings.exists():
            raise ExcerptaError(
                ErrorCode.LIBRARY_EXISTS,
                "There is a library here already.",
                hint="Use it as it is (`excerpta ingest PATH` adds to it), or name another folder "
                "with --home or EXCERPTA_HOME.",
            )
        settings = LibrarySettings(
            library_id="lib_" + uuid.uuid4().hex[:24],
            created_at=datetime.now(UTC),
            shards=shards,
            strategy=strategy,
        )
        for folder in (home.inbox, home.raw, home.media, home.tables, home.snapshots, home.traces):
            folder.mkdir(parents=True, exist_ok=True)
        inbox = SourceRoot(name=INBOX_ROOT, path=str(home.inbox), collection=INBOX_ROOT, whole=True)
        save_sources(home, Sources(roots=[inbox]))
        write_json(home.settings, settings.model_dump(mode="json"))
        return settings
