"""Libraries beside the published one, built under another strategy to be evaluated: ``sides/``.

They can always be built again.
"""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager

from rag_query.library.files import exclusive
from rag_query.library.home import Home


def side_lock(home: Home, name: str) -> AbstractContextManager[None]:
    """Held by who builds or removes a side."""
    return exclusive(home.locks / f"side-{name}.lock", what="a side generation")


def prune_sides(home: Home, *, before: float) -> list[str]:
    """Remove sides that nobody asked for since a moment (seconds of the epoch); their names."""
    gone = []
    for folder in sorted(home.sides.glob("*")):
        if folder.is_dir() and folder.stat().st_mtime < before:
            with side_lock(home, folder.name):
                shutil.rmtree(folder)
            gone.append(folder.name)
    return gone
