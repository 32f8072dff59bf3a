"""Makes Dagster's SQLite records cheap to write in this process.

Dagster opens and closes a connection for every event, about 800 in a run of all assets. With
SQLite's defaults each commit waits for the disk, and so does each close, because it is the last
one and folds the write-ahead log into the database: seconds of waiting on an ordinary disk. Here
commits do not wait (``synchronous=NORMAL``: after a power failure the last events may be missing,
the database is intact), and one idle connection keeps each database open.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import sqlalchemy
from sqlalchemy.engine import Engine


@contextlib.contextmanager
def quick_event_log() -> Iterator[None]:
    """In force for every SQLite connection that SQLAlchemy opens within the block."""
    keepers: dict[str, sqlite3.Connection] = {}

    def on_connect(connection: Any, _record: object) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        connection.execute("PRAGMA synchronous=NORMAL")
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        if not path or path in keepers:
            return
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            return  # being created; its next connection is kept
        keeper = sqlite3.connect(path, check_same_thread=False)
        keeper.execute("SELECT count(*) FROM sqlite_master").fetchone()
        keepers[path] = keeper

    sqlalchemy.event.listen(Engine, "connect", on_connect)
    try:
        yield
    finally:
        sqlalchemy.event.remove(Engine, "connect", on_connect)
        for keeper in keepers.values():
            keeper.close()
