"""An error of the system has one code, however it was raised."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from rag_query.contracts.errors import classify


@pytest.mark.parametrize(
    ("number", "code", "transient"),
    [
        (errno.ENOSPC, "DISK_FULL", True),
        (errno.EROFS, "READ_ONLY", False),
        (errno.EACCES, "FILE_UNREADABLE", False),
        (errno.ENOENT, "FILE_MISSING", False),
        (errno.EIO, "FILE_UNREADABLE", True),
        (errno.ENAMETOOLONG, "FILE_UNREADABLE", False),
    ],
)
def test_an_error_of_the_system_and_of_a_copied_tree_say_the_same(
    number: int, code: str, transient: bool
) -> None:
    reason = OSError(number, os.strerror(number), "/home/of/somebody")
    copied = shutil.Error([("/from/a", "/to/a", str(reason))])
    for exc in (reason, copied):
        error = classify(exc)
        assert (error.code, error.transient) == (code, transient)
        assert "somebody" not in error.message


def test_a_real_tree_that_cannot_be_copied(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "gone").symlink_to(tmp_path / "nowhere")
    with pytest.raises(shutil.Error) as caught:
        shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert classify(caught.value).code == "FILE_MISSING"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (RuntimeError, "lance error: IO: No space left on device (os error 28)"),
        (ValueError, "No space left on device"),
        (sqlite3.OperationalError, "database or disk is full"),
    ],
)
def test_a_full_disk_is_named_whichever_library_met_it(kind: type[Exception], text: str) -> None:
    error = classify(kind(text))
    assert (error.code, error.transient) == ("DISK_FULL", True)
    assert classify(kind("another schema")).code == "INTERNAL"


@pytest.mark.parametrize(
    "exc",
    [
        OSError(errno.EMFILE, os.strerror(errno.EMFILE), "/home/of/somebody"),
        RuntimeError('IO Error: Cannot open file "/home/of/somebody": Too many open files'),
    ],
)
def test_too_many_open_files_are_told_with_the_limit_to_raise(exc: Exception) -> None:
    error = classify(exc)
    assert "open files" in error.message and "ulimit -n" in error.hint
    assert "somebody" not in error.message


@pytest.mark.parametrize("exc", [MemoryError(), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))])
def test_want_of_memory_is_told_as_that(exc: Exception) -> None:
    assert classify(exc).code == "PARSER_MEMORY"


def test_a_place_that_may_be_read_and_not_written_is_told_from_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").touch()
    for allowed, code in ((os.R_OK | os.X_OK, "READ_ONLY"), (0, "FILE_UNREADABLE")):
        # root may do everything
        monkeypatch.setattr(os, "access", lambda _, asked, allowed=allowed: asked & ~allowed == 0)
        for name in ("there", "new"):
            refused = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / name))
            assert classify(refused).code == code


def test_what_was_only_read_is_never_told_as_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    refused = PermissionError(errno.EPERM, "Operation not permitted", str(tmp_path))
    error = classify(refused, read="folder")
    assert error.code == "FILE_UNREADABLE" and error.message == "The folder may not be read."
