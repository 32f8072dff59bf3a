"""Errors with a stable code, a message a person can act on, and details.

Every failure that can reach a user is an :class:`ExcerptaError`. Its ``code`` never
changes once published; ``hint`` says what to do next; ``details`` is JSON-serialisable
and holds no absolute path. :func:`classify` is the one place that decides whether a
failure is worth retrying.
"""

from __future__ import annotations

import errno
import os
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

#: How SQLite, LanceDB and tantivy report a full disk: only in the text of their own exceptions.
_DISK_FULL = ("database or disk is full", "No space left on device")
#: And too many open files.
_TOO_MANY_FILES = "Too many open files"
#: In the reasons ``shutil.copytree`` gathers, which are text.
_ERRNO = re.compile(r"\[Errno (\d+)\]")


class ErrorCode(StrEnum):
    """Stable codes. Documents carry the first group in ``code``; calls return any of them."""

    # one document
    EMPTY_FILE = "EMPTY_FILE"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    NOT_UTF8 = "NOT_UTF8"
    BINARY_CONTENT = "BINARY_CONTENT"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    FILE_UNREADABLE = "FILE_UNREADABLE"
    FILE_CHANGED = "FILE_CHANGED"
    FILE_MISSING = "FILE_MISSING"
    SYMLINK_LOOP = "SYMLINK_LOOP"
    BAD_RECORD = "BAD_RECORD"
    PDF_CORRUPT = "PDF_CORRUPT"
    PDF_ENCRYPTED = "PDF_ENCRYPTED"
    PDF_NO_PAGES = "PDF_NO_PAGES"
    PDF_TOO_MANY_PAGES = "PDF_TOO_MANY_PAGES"
    PARSER_TIMEOUT = "PARSER_TIMEOUT"
    PARSER_MEMORY = "PARSER_MEMORY"
    PARSER_CRASHED = "PARSER_CRASHED"
    PARSE_FAILED = "PARSE_FAILED"
    NO_TEXT = "NO_TEXT"
    EMBED_FAILED = "EMBED_FAILED"
    REMOTE_REFUSED = "REMOTE_REFUSED"
    REMOTE_UNAVAILABLE = "REMOTE_UNAVAILABLE"
    REMOTE_NOT_FETCHED = "REMOTE_NOT_FETCHED"
    # the library
    LIBRARY_NOT_FOUND = "LIBRARY_NOT_FOUND"
    LIBRARY_EXISTS = "LIBRARY_EXISTS"
    LIBRARY_INCOMPATIBLE = "LIBRARY_INCOMPATIBLE"
    NOT_PUBLISHED = "NOT_PUBLISHED"
    SNAPSHOT_NOT_FOUND = "SNAPSHOT_NOT_FOUND"
    SNAPSHOT_DAMAGED = "SNAPSHOT_DAMAGED"
    PUBLISH_BLOCKED = "PUBLISH_BLOCKED"
    BUSY = "BUSY"
    DISK_FULL = "DISK_FULL"
    READ_ONLY = "READ_ONLY"
    RUN_FAILED = "RUN_FAILED"
    # a call
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    INVALID_PLAN = "INVALID_PLAN"
    UNSUPPORTED_VERSION = "UNSUPPORTED_VERSION"
    INVALID_FILTER = "INVALID_FILTER"
    PATH_NOT_ALLOWED = "PATH_NOT_ALLOWED"
    PATH_NOT_FOUND = "PATH_NOT_FOUND"
    DOCUMENT_NOT_FOUND = "DOCUMENT_NOT_FOUND"
    CHUNK_NOT_FOUND = "CHUNK_NOT_FOUND"
    ASSET_NOT_FOUND = "ASSET_NOT_FOUND"
    JOB_NOT_FOUND = "JOB_NOT_FOUND"
    TRACE_NOT_FOUND = "TRACE_NOT_FOUND"
    OUTPUT_LOST = "OUTPUT_LOST"
    # a conversation
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    SESSION_OF_OTHER_LIBRARY = "SESSION_OF_OTHER_LIBRARY"
    SESSION_DAMAGED = "SESSION_DAMAGED"
    LOCK_STATE = "LOCK_STATE"
    # evaluation
    DATASET_NOT_FOUND = "DATASET_NOT_FOUND"
    INVALID_DATASET = "INVALID_DATASET"
    EVAL_RUN_NOT_FOUND = "EVAL_RUN_NOT_FOUND"
    INVALID_GATES = "INVALID_GATES"
    JUDGE_FAILED = "JUDGE_FAILED"
    EXTRA_MISSING = "EXTRA_MISSING"
    # the HTTP server
    INSECURE_ADDRESS = "INSECURE_ADDRESS"
    ADDRESS_IN_USE = "ADDRESS_IN_USE"
    HOST_NOT_ALLOWED = "HOST_NOT_ALLOWED"
    UNAUTHORIZED = "UNAUTHORIZED"
    RATE_LIMITED = "RATE_LIMITED"
    TOO_MANY_SESSIONS = "TOO_MANY_SESSIONS"
    # providers and strategies
    INVALID_STRATEGY = "INVALID_STRATEGY"
    UNKNOWN_PROVIDER = "UNKNOWN_PROVIDER"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    EMBEDDER_MISMATCH = "EMBEDDER_MISMATCH"
    DENSE_FAILED = "DENSE_FAILED"
    SPARSE_FAILED = "SPARSE_FAILED"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    CANCELED = "CANCELED"
    LLM_NOT_CONFIGURED = "LLM_NOT_CONFIGURED"
    LLM_MISCONFIGURED = "LLM_MISCONFIGURED"
    LLM_UNAVAILABLE = "LLM_UNAVAILABLE"
    LLM_RATE_LIMITED = "LLM_RATE_LIMITED"
    LLM_TIMEOUT = "LLM_TIMEOUT"
    LLM_REFUSED = "LLM_REFUSED"
    LLM_BAD_OUTPUT = "LLM_BAD_OUTPUT"
    INTERNAL = "INTERNAL"


class ExcerptaError(Exception):
    """A failure with a stable code.

    Args:
        code: one of :class:`ErrorCode`.
        message: one sentence, for a person.
        hint: what to do next; empty when there is nothing to do.
        details: JSON-serialisable facts; no absolute paths.
        transient: whether the same call may succeed later without any change.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str = "",
        details: dict[str, Any] | None = None,
        transient: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details or {}
        self.transient = transient

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return f"{text} {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.code, self.message, self.hint, self.details, self.transient))

    def to_dict(self) -> dict[str, Any]:
        """The ``error`` member of a response envelope (DEV_SPEC 3.3.4)."""
        details = dict(self.details)
        if self.hint:
            details["hint"] = self.hint
        return {"code": str(self.code), "message": self.message, "details": details}


def _rebuild(
    code: ErrorCode, message: str, hint: str, details: dict[str, Any], transient: bool
) -> ExcerptaError:
    return ExcerptaError(code, message, hint=hint, details=details, transient=transient)


def classify(exc: BaseException, *, read: str = "") -> ExcerptaError:
    """Turn any exception into an :class:`ExcerptaError`, permanent or transient.

    This is the one classifier of the project (DESIGN 6): operating-system errors are
    mapped by ``errno``; an :class:`ExcerptaError` is returned unchanged; what a storage library
    says of a full disk is ``DISK_FULL``, of a shortage what :func:`shortage_of` says; everything
    else is ``INTERNAL`` and permanent.

    Args:
        read: what a caller that only reads had in hand, ``"file"`` or ``"folder"``; any other
            may have been writing.
    """
    if isinstance(exc, ExcerptaError):
        return exc
    if (shortage := shortage_of(exc)) is not None:
        return shortage
    if names_a_full_disk(str(exc)):
        return disk_full()
    if isinstance(exc, OSError):
        return _of_system(exc, read)
    return ExcerptaError(ErrorCode.INTERNAL, f"{type(exc).__name__}: {exc}")


def _of_system(exc: OSError, read: str) -> ExcerptaError:
    number = _number_of(exc)
    what = read or "file"
    if number in (errno.ENOSPC, errno.EDQUOT):
        return disk_full()
    if number == errno.EROFS:
        return _read_only("Nothing can be written: the file system is read-only.")
    if number in (errno.EACCES, errno.EPERM):
        if not read and _was_written(exc):
            return _read_only(
                "Nothing can be written there: whoever runs this has no permission to."
            )
        return ExcerptaError(
            ErrorCode.FILE_UNREADABLE,
            f"The {what} may not be read.",
            hint="Grant read permission and ingest again.",
        )
    # What should be its folder may have become a file.
    if number == errno.ENOENT or (read and number == errno.ENOTDIR):
        return ExcerptaError(ErrorCode.FILE_MISSING, f"The {what} is no longer there.")
    if number == errno.ELOOP:
        return ExcerptaError(ErrorCode.SYMLINK_LOOP, "The path is a loop of symbolic links.")
    if number == errno.ENAMETOOLONG:
        return ExcerptaError(
            ErrorCode.FILE_UNREADABLE, "The path is longer than this system allows."
        )
    if number in (errno.EAGAIN, errno.EBUSY, errno.ETIMEDOUT, errno.EIO):
        return ExcerptaError(
            ErrorCode.FILE_UNREADABLE,
            f"The {what} could not be read: {os.strerror(number)}.",
            transient=True,
        )
    # Its own text names the file by its whole path.
    return ExcerptaError(ErrorCode.INTERNAL, f"{type(exc).__name__}: {exc.strerror or exc}")


def _read_only(message: str) -> ExcerptaError:
    hint = "Make the library's folder writable and run the command again."
    return ExcerptaError(ErrorCode.READ_ONLY, message, hint=hint)


def shortage_of(exc: BaseException) -> ExcerptaError | None:
    """What is said where the system had no memory left to give, or no more open files; None for
    any other failure. Such a one says nothing of the file in hand."""
    number = exc.errno if isinstance(exc, OSError) else None
    if isinstance(exc, MemoryError) or number == errno.ENOMEM:
        return ExcerptaError(ErrorCode.PARSER_MEMORY, "The work ran out of memory.", transient=True)
    if number in (errno.EMFILE, errno.ENFILE) or _TOO_MANY_FILES in str(exc):
        return ExcerptaError(
            ErrorCode.INTERNAL,
            "The system allows no more open files.",
            hint="Raise its limit (`ulimit -n 4096`) and run the command again.",
        )
    return None


def names_a_full_disk(text: str) -> bool:
    """Whether a message or a log is of a full disk."""
    return any(said in text for said in _DISK_FULL)


def disk_full() -> ExcerptaError:
    """``DISK_FULL``, with what to do."""
    return ExcerptaError(
        ErrorCode.DISK_FULL,
        "The disk is full.",
        hint="Free space and run the command again; nothing published was changed. `excerpta gc` "
        "removes what nothing needs any more, and what a failed run wrote an hour after it.",
        transient=True,
    )


def _was_written(exc: OSError) -> bool:
    """Whether permission was refused to write, and not to read: the path may be read, or it does
    not exist and its folder may be looked into."""
    path = exc.filename
    if not isinstance(path, str | os.PathLike):
        return False
    if os.path.lexists(path):
        return os.access(path, os.R_OK)
    return os.access(Path(path).parent, os.R_OK | os.X_OK)


def _number_of(exc: OSError) -> int:
    """Its ``errno``, or that of the first file a copied tree failed at; 0 when neither is known."""
    if exc.errno:
        return exc.errno
    found = _ERRNO.search(str(exc))
    return int(found[1]) if found else 0
