"""What is published, as ``CURRENT`` says it, whatever lies there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.manifests import current_number


def test_the_number_is_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert current_number(home) is None
    home.current.write_text("12\n")
    assert current_number(home) == 12


@pytest.mark.parametrize("held", [b"\xff\xfe", b"", b"-3", b"1_0", b"9" * 5000, "１".encode()])
def test_a_current_without_a_number_is_a_damaged_snapshot(tmp_path: Path, held: bytes) -> None:
    home = Home(tmp_path)
    home.current.write_bytes(held)
    with pytest.raises(ExcerptaError) as caught:
        current_number(home)
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED


def test_a_current_that_cannot_be_read_is_a_damaged_snapshot(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.current.mkdir()
    with pytest.raises(ExcerptaError) as caught:
        current_number(home)
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED
    assert str(tmp_path) not in str(caught.value)
