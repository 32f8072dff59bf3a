"""The LanceDB database: opening it, and where it keeps what, for writer and readers alike."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from rag_query.library.home import Home


def connect(folder: Path) -> Any:
    """A ``lancedb.DBConnection``; importing lancedb takes about a second the first time."""
    return _lancedb().connect(folder)


def import_ahead() -> None:
    """Import lancedb in the background, while the caller waits for something else."""
    threading.Thread(target=_lancedb, name="import-lancedb", daemon=True).start()


def _lancedb() -> Any:
    # Its Rust side writes warnings about normal things (a table is created) to stderr.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb

    return lancedb


def sql_text(value: str) -> str:
    """A text as a literal of a predicate."""
    return "'" + value.replace("'", "''") + "'"


def version_file(home: Home, table: str, version: int) -> Path:
    """A version's manifest: its absence is a cheap sign of a lost table or version."""
    return home.lance / f"{table}.lance" / "_versions" / f"{2**64 - 1 - version}.manifest"


def tag_file(home: Home, table: str, tag: str) -> Path:
    """A tag, which keeps its version from being pruned."""
    return home.lance / f"{table}.lance" / "_refs" / "tags" / f"{tag}.json"
