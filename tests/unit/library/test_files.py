"""One writer at a time."""

import logging
from contextlib import ExitStack
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library import files
from rag_query.library.files import exclusive


def test_a_busy_library_says_so(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    with exclusive(lock), pytest.raises(ExcerptaError) as busy, exclusive(lock, timeout_s=0.1):
        pass
    assert busy.value.code == ErrorCode.BUSY


def test_a_long_wait_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TOLD_AFTER_S", 0.0)
    told = []
    with ExitStack() as held:
        held.enter_context(exclusive(tmp_path / "x.lock"))

        def comes_free(record: logging.LogRecord) -> bool:
            told.append(record.getMessage())
            held.close()
            return True

        monkeypatch.setattr(files.waits, "filters", [comes_free])
        with exclusive(tmp_path / "x.lock", what="the snapshots"):
            pass
    assert told == ["Waits for another process, which is writing to the snapshots."]
