"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Told that a process waits for another, as a warning, and as information that it goes on. A
#: command shows the first, and a run's status both.
waits = logging.getLogger(f"{__name__}.waits")
#: Shortest wait that is logged.
TOLD_AFTER_S = 2.0


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader or a crash sees the old file or the new one.

    The bytes and the directory entry are on disk when this returns. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(path)
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_json(path: Path, value: Any) -> None:
    """:func:`write_atomic` of indented JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    write_atomic(path, (text + "\n").encode())


def temporary_beside(path: Path) -> Path:
    """A fresh name in the same folder; ``.tmp-`` names are what the garbage collector sweeps."""
    return path.with_name(f".tmp-{uuid.uuid4().hex}-{path.name[:80]}")


def temporary_below(folder: Path) -> Iterator[Path]:
    """Files of :func:`temporary_beside` that are in a folder or below it."""
    return folder.glob("**/.tmp-*")


def renew(path: Path) -> bool:
    """Set a file's time to now, as if it had just been written.

    For callers that reuse an existing file instead of writing it: the garbage collector spares
    young files, and nothing may refer to this one yet.

    Returns:
        False when the file is not there or belongs to another user, so that it has to be written.
    """
    try:
        os.utime(path)
    except (FileNotFoundError, PermissionError):
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` durable."""
    sync_file(folder)


def sync_file(path: Path) -> None:
    """Have what was written to a file on disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def exclusive(
    path: Path,
    *,
    timeout_s: float | None = None,
    what: str | None = "this library",
    shared: bool = False,
) -> Iterator[None]:
    """Hold an advisory lock; released by the kernel when the process dies.

    Args:
        timeout_s: how long to wait; ``None`` waits for ever, ``0`` never waits.
        what: that the lock guards, for who waits; ``None``: a wait is not told of.
        shared: with others that share it.

    Raises:
        ExcerptaError: ``BUSY`` when another process holds it for longer than ``timeout_s``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with path.open("a+") as file:
        while True:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if deadline is None:
                    _wait(file, kind, what)
                    break
                if time.monotonic() >= deadline:
                    raise ExcerptaError(
                        ErrorCode.BUSY,
                        f"Another process is writing to {what}.",
                        hint="Wait for it to finish, then try again.",
                        transient=True,
                    ) from None
                time.sleep(0.05)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def _wait(file: IO[str], kind: int, what: str | None) -> None:
    """Take a lock whenever it comes free, and say so where that takes long."""
    told = threading.Event()

    def tell() -> None:
        told.set()
        waits.warning("Waits for another process, which is writing to %s.", what)

    teller = threading.Timer(TOLD_AFTER_S, tell)
    teller.daemon = True
    if what is not None:
        teller.start()
    try:
        fcntl.flock(file, kind)
    finally:
        teller.cancel()
    if told.is_set():
        teller.join()
        waits.info("Goes on.")
