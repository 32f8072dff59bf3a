"""Whether the file of a table can be read."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rag_query.library.table_files import whole


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
