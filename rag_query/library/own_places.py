"""What a library keeps for itself: no documents are read from there, and no library is made where
other files lie already."""

from __future__ import annotations

import os
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import OWN_NAMES, Home


def refuse_own(home: Home, path: Path) -> None:
    """Raises ExcerptaError ``PATH_NOT_ALLOWED`` when ``path`` is the folder of a library, or what
    a library keeps in it. ``home`` need not exist yet. An inbox, and what else a person has put
    into the folder, is as good as any other path."""
    real = Path(os.path.realpath(path))
    for folder in (real, *real.parents):
        if folder != Path(os.path.realpath(home.root)) and not _is_library(Home(folder)):
            continue
        within = real.relative_to(folder).parts
        if not within or within[0] in OWN_NAMES:
            raise ExcerptaError(
                ErrorCode.PATH_NOT_ALLOWED,
                f"{path.name!r} is the folder of a library, or lies in one: what it keeps there "
                "are not documents.",
                hint="Name the folder the documents lie in, or another library with --home or "
                "EXCERPTA_HOME.",
            )


def refuse_occupied(home: Home) -> None:
    """Raises ExcerptaError ``INVALID_ARGUMENT`` when files that are not a library's own lie where
    one is to be made. Hidden files and folders (as ``samples``) may be there."""
    found = sorted(
        path.name
        for path in home.root.iterdir()
        if not path.name.startswith(".") and path.name not in OWN_NAMES and not path.is_dir()
    )
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"There are other files in {home.root.name!r} ({found[0]!r}{more}); a library needs "
            "a folder of its own.",
            hint="Name a new or an empty folder with --home or EXCERPTA_HOME.",
        )


def _is_library(home: Home) -> bool:
    return home.settings.is_file() and home.sources.is_file()
