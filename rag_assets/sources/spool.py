"""Copies a source file into ``raw/`` while hashing it: one pass, little memory (DEV_SPEC 3.1.1)."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.files import renew, sync_file, sync_folder, temporary_beside
from rag_query.library.home import Home

BLOCK_BYTES = 8 * 1024 * 1024
#: Coarsest step of a file's modification time met in practice.
_CLOCK_STEP_NS = 20_000_000
#: Files that are brought to disk at once.
_SYNCS = 16
_SYNCED_AT_ONCE = 4096
_NO_FILE = "The file became a folder or something else that is no file while the sources were read."


@dataclass(frozen=True, slots=True)
class Spooled:
    """A file that now lies in ``raw/``.

    Attributes:
        sha256: of its bytes as they are held; names it in ``raw/``.
        size: in bytes.
        mtime_ns: of the source; None when it was modified so shortly before it was read that
            another change might leave the same time, so that it must be read again next time.
    """

    sha256: str
    size: int
    mtime_ns: int | None


class Spooler:
    """Spools files of at most ``max_bytes``."""

    def __init__(self, home: Home, max_bytes: int) -> None:
        self._home = home
        self._max_bytes = max_bytes
        self._folders: set[Path] = set()
        self._named: set[str] = set()

    def spool(self, path: str, redact: Callable[[BinaryIO], None] | None = None) -> Spooled:
        """Copy one file; nothing is left behind when it fails.

        Args:
            redact: overwrites in an open file, in place, what the library must not hold of it.

        Raises:
            ExcerptaError: ``FILE_TOO_LARGE``; ``FILE_CHANGED`` when the file was written to
                during two readings in a row, or is no file any more; what :func:`classify` makes
                of a source that cannot be read.
            OSError: the library cannot be written to; never because of the source.
        """
        for _ in range(2):
            spooled = self._attempt(path, redact)
            if spooled is not None:
                self._named.add(spooled.sha256)
                return spooled
        raise _changed("The file was being written while it was read.")

    def make_durable(self) -> None:
        """Have everything spooled on disk when this returns: an inventory that names the bytes does
        not read them again, so that a power cut must not lose them.

        Raises:
            OSError: the disk refused.
        """
        named = sorted(self._named)
        with ThreadPoolExecutor(_SYNCS) as pool:
            # Many at once, which the disk writes in one go; not all, as each takes memory.
            for start in range(0, len(named), _SYNCED_AT_ONCE):
                paths = map(self._home.raw_file, named[start : start + _SYNCED_AT_ONCE])
                for _ in pool.map(sync_file, paths):
                    pass
            folders = {self._home.raw_file(sha256).parent for sha256 in named}
            for _ in pool.map(sync_folder, sorted(folders)):
                pass
        self._named.clear()

    def check_size(self, size: int) -> None:
        """Raises ExcerptaError ``FILE_TOO_LARGE``."""
        if size > self._max_bytes:
            raise ExcerptaError(
                ErrorCode.FILE_TOO_LARGE,
                f"The file is larger than the limit of {self._max_bytes:,} bytes.",
                hint="Raise limits.max_file_bytes in library.json, or split the file.",
            )

    def _attempt(self, path: str, redact: Callable[[BinaryIO], None] | None) -> Spooled | None:
        """None when the file changed meanwhile."""
        began_ns = time.time_ns()
        # Opened without blocking: a pipe put in the file's place must not hang the run.
        with _source_faults():
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise _changed(_NO_FILE)
        with os.fdopen(handle, "rb", buffering=0) as source:
            before = os.fstat(handle)
            with self._content(source, redact) as content:
                first = _read_block(content)
                if len(first) < before.st_size:
                    digest, size = self._stream(content, first)
                else:
                    digest, size = hashlib.sha256(first).hexdigest(), len(first)
                    self._keep_small(digest, first)
            after = os.fstat(handle)
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            return None
        if size != after.st_size:
            return None
        settled = after.st_mtime_ns < began_ns - _CLOCK_STEP_NS
        return Spooled(digest, size, after.st_mtime_ns if settled else None)

    @contextlib.contextmanager
    def _content(
        self, source: BinaryIO, redact: Callable[[BinaryIO], None] | None
    ) -> Iterator[BinaryIO]:
        """What is to be held of a file."""
        if redact is None:
            yield source
            return
        # Without a name: a process killed here leaves nothing of it.
        with tempfile.TemporaryFile(dir=self._home.raw) as copy:
            while block := _read_block(source):
                copy.write(block)
                self.check_size(copy.tell())
            redact(copy)
            copy.seek(0)
            yield copy

    def _stream(self, source: BinaryIO, first: bytes) -> tuple[str, int]:
        digest = hashlib.sha256(first)
        size = len(first)
        temporary = temporary_beside(self._home.raw / "spooling")
        try:
            with temporary.open("wb") as target:
                target.write(first)
                while block := _read_block(source):
                    size += len(block)
                    self.check_size(size)
                    digest.update(block)
                    target.write(block)
            self._place(temporary, digest.hexdigest(), size)
        finally:
            temporary.unlink(missing_ok=True)
        return digest.hexdigest(), size

    def _keep_small(self, digest: str, content: bytes) -> None:
        self.check_size(len(content))
        if _holds(self._home.raw_file(digest), len(content)):
            return
        temporary = temporary_beside(self._home.raw / "spooling")
        try:
            temporary.write_bytes(content)
            self._place(temporary, digest, len(content))
        finally:
            temporary.unlink(missing_ok=True)

    def _place(self, temporary: Path, digest: str, size: int) -> None:
        final = self._home.raw_file(digest)
        if _holds(final, size):
            return
        if final.parent not in self._folders:
            final.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(final.parent)
        temporary.replace(final)


def _holds(file: Path, size: int) -> bool:
    """Whether a file is there whole, and then it stays: a power cut can leave one by name and
    without its bytes."""
    return renew(file) and file.stat().st_size == size


def _read_block(source: BinaryIO) -> bytes:
    with _source_faults():
        return source.read(BLOCK_BYTES) or b""


@contextlib.contextmanager
def _source_faults() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno == errno.ENXIO:  # a socket, or a device that is not there
            raise _changed(_NO_FILE) from exc
        raise classify(exc, read="file") from exc


def _changed(message: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.FILE_CHANGED,
        message,
        hint="It is read again by the next ingest.",
        transient=True,
    )
