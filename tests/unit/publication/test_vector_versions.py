"""Versions of the vector index go when nothing needs them, whatever the clock said meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag_assets.publication.vector_versions import keep_only, prune
from rag_query.library.home import Home
from rag_query.library.lance import connect, version_file

DAY_S = 86_400


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def made_at(home: Home, table: Any, version: int, *, days: int) -> None:
    """As if the clock had run so many days ahead, or behind, when the version was made."""
    (moment,) = (v["timestamp"] for v in table.list_versions() if v["version"] == version)
    seconds = int(moment.timestamp())
    path = version_file(home, table.name, version)
    before = path.read_bytes()
    after = before.replace(b"\x08" + _varint(seconds), b"\x08" + _varint(seconds + days * DAY_S))
    assert len(after) == len(before) and after != before
    path.write_bytes(after)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def make(home: Home, texts: int, *days: int) -> Any:
    """A table with so many versions of one text each, made so many ``days`` from now."""
    table = connect(home.lance).create_table("t", [{"text": "text-1-of-the-table"}])
    for number in range(2, texts + 1):
        table.add([{"text": f"text-{number}-of-the-table"}], mode="overwrite")
    for version, ahead in enumerate(days, 1):
        if ahead:
            made_at(home, table, version, days=ahead)
    return connect(home.lance).open_table("t")


def versions(home: Home) -> list[int]:
    return [v["version"] for v in connect(home.lance).open_table("t").list_versions()]


def texts(home: Home) -> list[int]:
    """Which texts some file of the table still says."""
    files = [path.read_bytes() for path in home.lance.rglob("*") if path.is_file()]
    return [n for n in range(1, 10) if any(f"text-{n}-of-the-table".encode() in f for f in files)]


def test_what_is_deleted_for_good_goes_though_the_clock_ran_ahead_when_it_came(home: Home) -> None:
    table = make(home, 3, 30, 30, 0)
    table.tags.create("snap-1", 1)
    assert keep_only(home, table, tags=(), keep=[3]) == 2
    assert versions(home) == [3] and texts(home) == [3]


def test_a_needed_version_stays_beside_a_deletion_for_good(home: Home) -> None:
    table = make(home, 4)
    table.tags.create("snap-2", 2)
    assert keep_only(home, table, tags=["snap-2"], keep=[2]) == 2
    assert versions(home) == [2, 4] and texts(home) == [2, 4]


@pytest.mark.parametrize("dry_run", [True, False])
def test_older_versions_are_pruned_and_counted(home: Home, dry_run: bool) -> None:
    table = make(home, 4, -3, -3, -2, -1)
    table.tags.create("snap-1", 1)
    assert prune(table, ["snap-3"], [3], dry_run=dry_run) == 2
    assert versions(home) == ([1, 2, 3, 4] if dry_run else [3, 4])


@pytest.mark.parametrize("days", [(30, 30, 30), (-3, 30, -1), (-3, -3, 30)])
def test_what_the_clock_has_not_come_to_stays_and_is_not_counted(
    home: Home, days: tuple[int, int, int]
) -> None:
    table = make(home, 3, *days)
    would = prune(table, [], [3], dry_run=True)
    assert prune(table, [], [3], dry_run=False) == would == 3 - len(versions(home))
    assert versions(home) == ([2, 3] if days[-1] < 0 else [1, 2, 3])


def test_a_snapshot_published_with_the_clock_behind_keeps_its_version(home: Home) -> None:
    table = make(home, 4, -500, -2, -400, 0)
    table.tags.create("snap-3", 3)
    assert prune(table, ["snap-3"], [4], dry_run=False) == 1
    assert versions(home) == [2, 3, 4]
