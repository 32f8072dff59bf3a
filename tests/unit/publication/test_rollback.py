"""Going back to a snapshot, and what readers of the library see of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from rag_assets.publication.rollback import rollback
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.manifests import current_number, snapshot_numbers
from rag_query.library.snapshot import Library
from tests.unit.publication.made_snapshots import publish


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    create_library(found, shards=1)
    for number in (3, 4, 9, 10):
        publish(found, number, age=timedelta())
    found.current.write_text("10")
    return found


def test_each_rollback_goes_one_snapshot_further_back(home: Home) -> None:
    assert [rollback(home).number for _ in range(3)] == [9, 4, 3]
    with pytest.raises(ExcerptaError) as caught:
        rollback(home)
    assert caught.value.code is ErrorCode.SNAPSHOT_NOT_FOUND
    assert current_number(home) == 3
    assert rollback(home, 10).number == current_number(home) == 10


def test_a_rollback_never_goes_forward_from_a_published_snapshot_that_is_gone(home: Home) -> None:
    rollback(home, 9)
    home.snapshot_file(9).unlink()
    assert rollback(home).number == 4


def test_nothing_before_a_published_snapshot_that_is_gone_leaves_the_newest(home: Home) -> None:
    rollback(home, 3)
    home.snapshot_file(3).unlink()
    assert rollback(home).number == 10


def test_older_snapshots_that_cannot_be_read_are_told_and_none_is_taken(home: Home) -> None:
    rollback(home, 9)
    home.snapshot_file(9).unlink()
    for number in (3, 4):
        home.snapshot_file(number).write_text("{")
    with pytest.raises(ExcerptaError, match="before 9 that can be read") as caught:
        rollback(home)
    assert "name one of them" in caught.value.hint
    assert current_number(home) == 9


def test_a_library_that_was_never_published_has_nothing_to_go_back_to(home: Home) -> None:
    home.current.unlink()
    for number in snapshot_numbers(home):
        home.snapshot_file(number).unlink()
    with pytest.raises(ExcerptaError) as caught:
        rollback(home)
    assert caught.value.code is ErrorCode.NOT_PUBLISHED


def test_a_reader_keeps_what_it_has_opened_until_another_snapshot_is_published(home: Home) -> None:
    library = Library.open(home)
    first = library.snapshot()
    rollback(home, 10)
    assert library.snapshot() is first
    rollback(home)
    second = library.snapshot()
    assert (first.number, second.number) == (10, 9)
    assert library.snapshot() is second


def test_a_published_snapshot_that_is_gone_is_damage(home: Home) -> None:
    home.snapshot_file(10).unlink()
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot()
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED
