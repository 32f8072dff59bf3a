"""Makes Dagster's SQLite records cheap to write in this process.

Dagster makes an engine and opens and closes a connection for every event, about 800 times in a run
of all assets. With SQLite's defaults each commit waits for the disk, and so does each close,
because it is the last one and folds the write-ahead log into the database: seconds of waiting on an
ordinary disk. Here commits do not wait (``synchronous=NORMAL``: after a power failure the last
events may be missing, the database is intact), and one idle connection keeps each database open.
The event log, which is written most, keeps its engines with their connections and the statements
they have compiled.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import sqlalchemy
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from sqlalchemy.engine import Engine

#: The name under which the event log calls SQLAlchemy to make an engine.
_MAKER = "create_engine"


@contextlib.contextmanager
def quick_event_log() -> Iterator[None]:
    """Makes writing cheap on every SQLite connection that SQLAlchemy opens within the block. A
    block inside another one changes nothing."""
    if getattr(sqlite_event_log, _MAKER) is not sqlalchemy.create_engine:
        yield
        return
    with _connections_kept_open(), _engines_kept():
        yield


@contextlib.contextmanager
def _connections_kept_open() -> Iterator[None]:
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


@contextlib.contextmanager
def _engines_kept() -> Iterator[None]:
    """One engine for each database of the event log, which outlives the event it was made for."""
    engines: dict[str, _KeptEngine] = {}

    def engine_of(url: str, **options: Any) -> _KeptEngine:
        if url not in engines:
            # Without a pool it would open a connection each time.
            del options["poolclass"]
            engines[url] = _KeptEngine(sqlalchemy.create_engine(url, **options))
        return engines[url]

    setattr(sqlite_event_log, _MAKER, engine_of)
    try:
        yield
    finally:
        setattr(sqlite_event_log, _MAKER, sqlalchemy.create_engine)
        for engine in engines.values():
            engine.close()


class _KeptEngine(Engine):
    """An engine that Dagster disposes of after each use, and that stays as it is."""

    def __init__(self, made: Engine) -> None:
        super().__init__(made.pool, made.dialect, made.url)

    def dispose(self, close: bool = True) -> None:
        """Nothing; see :meth:`close`."""

    def close(self) -> None:
        """Close its connections."""
        super().dispose()
