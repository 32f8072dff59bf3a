"""Whether the file of a table can be read."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rag_query.contracts.errors import ExcerptaError
from rag_query.library.table_files import reading, whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": [1, 2]}), found)
    return found


def test_a_file_that_is_gone_cut_or_something_else_is_not_whole(path: Path) -> None:
    assert whole(path)
    content = path.read_bytes()
    for damaged in (content[:-3], b"", b"garbage " * 20):
        path.write_bytes(damaged)
        assert not whole(path)
    path.unlink()
    assert not whole(path)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES, errno.EIO])
def test_a_file_that_may_not_be_read_just_now_is_not_taken_for_damaged(
    path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(pq, "read_metadata", refuse)
    with pytest.raises(OSError, match="refused"):
        whole(path)


def test_want_of_memory_says_nothing_of_a_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(_: Path) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(pq, "read_metadata", exhausted)
    with pytest.raises(MemoryError):
        whole(path)
    with pytest.raises(MemoryError), reading("tables/chunks/s00/rows.parquet"):
        pq.read_metadata(path)


def test_a_file_that_may_not_be_read_is_named() -> None:
    with pytest.raises(ExcerptaError) as caught, reading("tables/chunks/s00/rows.parquet"):
        raise OSError(errno.EACCES, "Failed to open local file '/home/of/somebody'")
    assert caught.value.code == "FILE_UNREADABLE"
    assert "tables/chunks/s00/rows.parquet may not be read" in caught.value.message
