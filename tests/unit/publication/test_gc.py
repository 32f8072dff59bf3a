"""A clean-up takes what nothing names, and leaves whatever may still be wanted."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rag_assets.indexes.heads import Bm25Head, save_bm25_head
from rag_assets.publication.gc import collect, collect_all_but_current
from rag_query.contracts.tables import ALL, TABLES
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.manifests import pin, pins, snapshot_numbers
from rag_query.library.settings import MAX_DAYS, MAX_HOURS, load_settings, update_settings
from rag_query.library.tables import TableStore
from tests.library_builder import build_library
from tests.small_documents import SmallDoc
from tests.unit.publication.made_snapshots import NOW, old_file, publish


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    create_library(found, shards=1)
    return found


def write(home: Home, table: str, rows: list[dict[str, Any]]) -> None:
    """Rows of which only what the clean-up looks at is given."""
    schema = TABLES[table]
    blank = {field.name: _blank(field.type) for field in schema if not field.nullable}
    made = pa.Table.from_pylist([blank | row for row in rows], schema)
    TableStore(home).write(table, ALL if table == "inventory" else "s00", made)


def _blank(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return []
    if pa.types.is_timestamp(kind):
        return NOW
    return "" if pa.types.is_string(kind) else pa.scalar(0).cast(kind).as_py()


def generations(home: Home) -> list[int]:
    return sorted(int(path.name[1:]) for path in home.bm25.glob("g*"))


def test_snapshots_stay_that_are_published_pinned_new_or_young(home: Home) -> None:
    settings = load_settings(home).model_copy(update={"keep_snapshots": 2, "retention_hours": 24})
    for number in range(1, 8):
        publish(home, number, age=timedelta(hours=23 if number == 4 else 25))
    home.current.write_text("2")
    pin(home, "evaluation", 3)
    dry = collect(home, settings, dry_run=True, now=NOW)
    assert snapshot_numbers(home) == generations(home) == [1, 2, 3, 4, 5, 6, 7]
    done = collect(home, settings, now=NOW)
    assert snapshot_numbers(home) == generations(home) == [2, 3, 4, 6, 7]
    assert (done.kept, done.snapshots) == (dry.kept, dry.snapshots) == ([2, 3, 4, 6, 7], [1, 5])
    assert done.files == dry.files == {"bm25": 2}


def test_what_is_kept_for_as_long_as_can_be_said_is_kept(home: Home) -> None:
    longest = {"retention_hours": MAX_HOURS, "undelete_hours": MAX_HOURS}
    settings = update_settings(home, keep_snapshots=1, conversation_days=MAX_DAYS, **longest)
    for number in (1, 2, 3):
        publish(home, number, age=timedelta(days=36_500))
    home.current.write_text("3")
    removed = {"status": "removed", "removed_at": NOW, "raw_sha256": "1" * 64}
    write(home, "documents", [removed])
    old_file(home.raw_file("1" * 64))
    done = collect(home, settings)
    assert (done.snapshots, done.files) == ([], {})


def test_a_hard_deletion_leaves_the_published_snapshot_alone(home: Home) -> None:
    for number in (1, 2, 3):
        publish(home, number, age=timedelta())
        pin(home, f"pin-{number}", number)
    home.current.write_text("2")
    fresh = home.raw_file("1" * 64)
    fresh.parent.mkdir(parents=True)
    fresh.touch()
    # Written while the clock ran ahead.
    early = [home.raw_file("2" * 64), home.conversations / ".tmp-ses_1"]
    for path in early:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (4e9, 4e9))
    done = collect_all_but_current(home, load_settings(home))
    assert (done.kept, done.snapshots) == ([2], [1, 3])
    assert snapshot_numbers(home) == generations(home) == [2]
    assert pins(home) == {"pin-2": 2}
    assert not any(path.exists() for path in (fresh, *early))


def test_what_a_run_has_made_and_not_published_yet_stays(home: Home) -> None:
    publish(home, 1, age=timedelta())
    home.current.write_text("1")
    for number in (2, 3):
        old_file(home.bm25 / f"g{number:06d}" / "meta.json")
    head = Bm25Head(generation="g000002", schema_version=1, analysis_profile_id="a", shards={})
    save_bm25_head(home, head)
    write(home, "media", [{"asset_id": "a" * 64}])
    for path in home.tables.glob("*/*/*"):
        os.utime(path, (0, 0))
    replaced = old_file(home.tables / "media" / "s00" / "before.parquet")
    collect(home, load_settings(home), now=NOW)
    assert generations(home) == [1, 2]
    assert TableStore(home).read("media", "s00").num_rows == 1
    assert not replaced.exists()


def test_a_conversation_that_nobody_goes_on_with_keeps_no_snapshot(home: Home) -> None:
    settings = load_settings(home).model_copy(update={"keep_snapshots": 1, "retention_hours": 0})
    for number in (1, 2):
        publish(home, number, age=timedelta(hours=1))
    home.current.write_text("2")
    pin(home, "ses_1-1", 1)
    later = NOW + timedelta(days=settings.conversation_days + 1)
    assert collect(home, settings, dry_run=True, now=later).kept == [1, 2]
    assert pins(home) == {"ses_1-1": 1}
    assert collect(home, settings, now=later).kept == [2]


def test_bytes_stay_while_a_document_has_them_or_can_come_back(home: Home) -> None:
    settings = load_settings(home)
    long_ago = NOW - timedelta(hours=settings.undelete_hours)
    documents = [
        {"raw_sha256": "1" * 64, "status": "active"},
        {"raw_sha256": "2" * 64, "status": "superseded"},
        {"raw_sha256": "3" * 64, "status": "removed", "removed_at": long_ago + timedelta(hours=1)},
        {"raw_sha256": "4" * 64, "status": "removed", "removed_at": long_ago - timedelta(hours=1)},
    ]
    inventory = [
        {"raw_sha256": "5" * 64, "decision": "skip"},
        {"raw_sha256": "6" * 64, "decision": "failed"},
        {"raw_sha256": "7" * 64, "decision": "removed"},
    ]
    write(home, "documents", documents)
    write(home, "inventory", inventory)
    files = {digit: old_file(home.raw_file(digit * 64)) for digit in "12345678"}
    dry = collect(home, settings, dry_run=True, now=NOW)
    assert all(path.exists() for path in files.values())
    done = collect(home, settings, now=NOW)
    assert "".join(digit for digit, path in files.items() if path.exists()) == "12356"
    assert done.files == dry.files == {"raw": 3}
    assert done.bytes == dry.bytes == 3


def test_a_picture_and_what_was_read_from_it_or_said_of_it_stay(home: Home) -> None:
    write(home, "media", [{"asset_id": "a" * 64}, {"asset_id": None}])
    write(home, "ocr", [{"image_sha256": "b" * 64}])
    write(home, "captions", [{"cache_key": "c" * 64}])
    write(home, "summaries", [{"cache_key": "d" * 64}])
    named = [old_file(home.media_file("a" * 64)), old_file(home.thumb_file("a" * 64))]
    named += [old_file(home.sidecar_cache / "k" / "p" / "x" / f"{d * 64}.json") for d in "bcd"]
    lost = [old_file(home.media_file("e" * 64)), old_file(home.thumb_file("e" * 64))]
    lost += [old_file(home.sidecar_cache / "k" / "p" / "x" / f"{'f' * 64}.json")]
    done = collect(home, load_settings(home), now=NOW)
    assert all(path.exists() for path in named)
    assert not any(path.exists() for path in lost)
    assert done.files == {"media": 2, "sidecars": 1}


def test_what_another_process_writes_beside_a_run_is_left_for_a_moment(home: Home) -> None:
    fresh, left = (home.conversations / f".tmp-{name}" for name in "ab")
    for path in (fresh, left):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    hidden = old_file(home.raw / "11" / ".tmp-x")
    os.utime(left, (0, 0))
    done = collect(home, load_settings(home))
    assert fresh.exists() and not left.exists() and not hidden.exists()
    assert done.files == {"temporary": 2}


def test_a_full_disk_keeps_nothing_from_going_that_is_only_unlinked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RuntimeError("lance error: LanceError(IO): No space left on device (os error 28)")

    monkeypatch.setattr("rag_assets.publication.gc._Collector._lance", full)
    raw = old_file(home.raw_file("8" * 64))
    done = collect(home, load_settings(home), now=NOW)
    assert not raw.exists() and done.files == {"raw": 1}
    assert ["excerpta gc" in warning for warning in done.warnings] == [True]


def test_a_hard_deletion_is_not_done_while_the_index_cannot_be_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    home = build_library(tmp_path / "library", [SmallDoc("a.md", "# Tea\n\nGreen.")], shards=1)
    monkeypatch.setattr("rag_assets.publication.gc._Collector._lance", full)
    with pytest.raises(OSError, match="No space left"):
        collect_all_but_current(home, load_settings(home))


def test_a_dry_run_on_a_disk_that_only_reads_takes_no_lock(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Home) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("rag_assets.publication.gc.publication_lock", refused)
    old_file(home.raw_file("8" * 64))
    assert collect(home, load_settings(home), dry_run=True, now=NOW).files == {"raw": 1}
    with pytest.raises(OSError, match="Read-only"):
        collect(home, load_settings(home), now=NOW)
