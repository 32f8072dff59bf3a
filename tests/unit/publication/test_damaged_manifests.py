"""A manifest or a ``CURRENT`` that cannot be read stops nobody for longer than it must."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_assets.publication import purge
from rag_assets.publication.gc import GRACE, collect, collect_all_but_current
from rag_assets.publication.publish import publish
from rag_assets.publication.rollback import rollback
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.deletions import mark_deleted
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.manifests import (
    current_number,
    load_manifest,
    missing_parts,
    nothing_published,
    pin,
    published_manifest,
    snapshot_numbers,
)
from rag_query.library.settings import load_settings, update_settings
from rag_query.library.snapshot import Library
from tests.library_builder import build_library, open_context, run_indexes, write_tables
from tests.small_documents import SmallDoc

DOCUMENTS = [SmallDoc(f"{n}.md", f"# D{n}\n\nUnique{n} tea.") for n in range(3)]
LATER = 2 * GRACE


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Snapshots 1, 2 and 3; of 3, 2 and 1 documents. Only to be copied."""
    path = tmp_path_factory.mktemp("made") / "home"
    for left in (3, 2, 1):
        home = build_library(path, DOCUMENTS[:left], shards=1)
    return home


@pytest.fixture
def home(made: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(made.root, tmp_path / "home"))


def damage(home: Home, number: int) -> None:
    home.snapshot_file(number).write_text("{")


def refused(home: Home) -> ExcerptaError:
    with pytest.raises(ExcerptaError) as caught:
        collect(home, load_settings(home), now=datetime.now(UTC) + LATER)
    return caught.value


def test_a_clean_up_removes_an_old_manifest_that_cannot_be_read_and_names_it(home: Home) -> None:
    damage(home, 1)
    settings = update_settings(home, keep_snapshots=2, retention_hours=1)
    dry = collect(home, settings, dry_run=True, now=datetime.now(UTC) + LATER)
    assert (dry.damaged, snapshot_numbers(home)) == ([1], [1, 2, 3])
    done = collect(home, settings, now=datetime.now(UTC) + LATER)
    assert (done.damaged, done.snapshots, done.kept) == ([1], [1], [2, 3])
    for number in (2, 3):
        assert missing_parts(home, load_manifest(home, number)) == []
    (table,) = (path.stem for path in home.lance.glob("*.lance"))
    assert set(connect(home.lance).open_table(table).tags.list()) == {"snap-2", "snap-3"}


@pytest.mark.parametrize("held_by", ["CURRENT", "a pin"])
def test_a_clean_up_refuses_to_guess_what_a_held_snapshot_needs(home: Home, held_by: str) -> None:
    if held_by == "CURRENT":
        rollback(home, 2)
    else:
        pin(home, "evaluation", 2)
    damage(home, 2)
    error = refused(home)
    assert error.code is ErrorCode.SNAPSHOT_DAMAGED
    assert ("excerpta rollback" in error.hint) == (held_by == "CURRENT")
    assert ("snapshots/2.json" in error.hint) == (held_by == "a pin")
    assert snapshot_numbers(home) == [1, 2, 3]


@pytest.mark.parametrize(
    "retention", [{"keep_snapshots": 2, "retention_hours": 0}, {"keep_snapshots": 1}]
)
def test_a_manifest_that_is_put_back_in_time_brings_back_its_whole_snapshot(
    home: Home, retention: dict[str, float]
) -> None:
    update_settings(home, **retention)
    written = home.snapshot_file(2).read_bytes()
    damage(home, 2)
    error = refused(home)
    assert "snapshots/2.json back" in error.hint and "for good" in error.hint
    home.snapshot_file(2).write_bytes(written)
    collect(home, load_settings(home), now=datetime.now(UTC) + LATER)
    assert missing_parts(home, load_manifest(home, 2)) == []
    assert rollback(home).number == 2


def test_a_clean_up_waits_for_a_lost_manifest_of_what_is_published(home: Home) -> None:
    update_settings(home, keep_snapshots=1, retention_hours=0)
    rollback(home, 2)
    written = home.snapshot_file(2).read_bytes()
    home.snapshot_file(2).unlink()
    error = refused(home)
    assert error.code is ErrorCode.SNAPSHOT_DAMAGED
    assert "snapshots/2.json" in error.message and "excerpta rollback" in error.hint
    home.snapshot_file(2).write_bytes(written)
    assert missing_parts(home, load_manifest(home, 2)) == []
    home.snapshot_file(2).unlink()
    rollback(home)
    collect(home, load_settings(home), now=datetime.now(UTC) + LATER)
    assert snapshot_numbers(home) == [1, 3]


def test_a_clean_up_keeps_every_snapshot_while_none_is_known_to_be_current(home: Home) -> None:
    update_settings(home, keep_snapshots=1, retention_hours=0)
    home.current.unlink()
    done = collect(home, load_settings(home), now=datetime.now(UTC) + LATER)
    assert (done.kept, done.snapshots) == ([1, 2, 3], [])
    with pytest.raises(ExcerptaError):
        collect_all_but_current(home, load_settings(home))
    damage(home, 1)
    assert "snapshots/1.json" in refused(home).hint
    assert snapshot_numbers(home) == [1, 2, 3]


def test_a_hard_deletion_ends_beside_an_old_manifest_that_cannot_be_read(home: Home) -> None:
    ctx = open_context(home.root)
    (shard,) = ctx.settings.shard_names
    gone = [document.source_uri for document in DOCUMENTS[1:]]
    mark_deleted(home, gone, hard=True)
    rows = ctx.store.read("documents", shard)
    ctx.store.write(
        "documents", shard, rows.filter([uri not in gone for uri in rows["source_uri"].to_pylist()])
    )
    run_indexes(ctx)
    names = purge.prepare(ctx)
    assert names and publish(ctx).number == 4
    damage(home, 1)
    pin(home, "ses_1-2", 2)
    assert purge.finish(ctx, names) == len(names)
    assert snapshot_numbers(home) == [4]
    assert missing_parts(home, load_manifest(home, 4)) == []
    (table,) = (path.stem for path in home.lance.glob("*.lance"))
    assert set(connect(home.lance).open_table(table).tags.list()) == {"snap-4"}


def test_only_the_current_manifest_is_to_be_rolled_back_from(home: Home) -> None:
    damage(home, 1)
    damage(home, 3)
    for number, said in ((1, "Put snapshots/1.json back"), (3, "excerpta rollback")):
        with pytest.raises(ExcerptaError) as caught:
            load_manifest(home, number)
        assert said in caught.value.hint


@pytest.mark.parametrize("current", [None, "", "xx", "99\n"])
def test_a_rollback_takes_the_newest_snapshot_that_can_be_read_when_current_names_none(
    home: Home, current: str | None
) -> None:
    damage(home, 3)
    home.current.unlink() if current is None else home.current.write_text(current)
    assert rollback(home).number == 2
    assert current_number(home) == 2


def test_a_rollback_passes_over_a_manifest_that_cannot_be_read(home: Home) -> None:
    damage(home, 2)
    assert rollback(home).number == 1


def test_a_current_that_is_a_folder_is_said_to_be_one(home: Home) -> None:
    home.current.unlink()
    home.current.mkdir()
    for call in (lambda: rollback(home, 2), lambda: publish(open_context(home.root))):
        with pytest.raises(ExcerptaError) as caught:
            call()
        assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED
        assert "folder" in caught.value.message and "Remove" in caught.value.hint
    assert snapshot_numbers(home) == [1, 2, 3]
    home.current.rmdir()
    assert rollback(home).number == 3


def test_a_lost_current_names_the_snapshots_that_are_there(home: Home) -> None:
    assert published_manifest(home) == load_manifest(home, 3)
    home.current.unlink()
    assert published_manifest(home) is None
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot()
    assert caught.value.message == nothing_published(home).message
    assert caught.value.code is ErrorCode.NOT_PUBLISHED and "1, 2, 3" in caught.value.message


@pytest.mark.parametrize("lost", ["CURRENT", "its number", "the manifest"])
def test_the_next_ingest_publishes_what_can_no_longer_be_read(home: Home, lost: str) -> None:
    if lost == "CURRENT":
        home.current.unlink()
    elif lost == "its number":
        home.current.write_text("xx")
    else:
        damage(home, 3)
    ctx = open_context(home.root)
    write_tables(ctx, DOCUMENTS[:1])
    done = publish(ctx)
    assert (done.number, done.changed, done.since) == (4, True, None)
    assert Library.open(home).snapshot().catalog.status_counts()["active"] == 1


@pytest.mark.parametrize("named_by", ["CURRENT", "a pin"])
def test_a_running_server_sees_what_is_published_after_a_manifest_was_lost(
    home: Home, named_by: str
) -> None:
    library = Library.open(home)
    assert library.snapshot().catalog.status_counts()["active"] == 1
    if named_by == "a pin":
        pin(home, "ses_1-3", 3)
        home.current.unlink()
    home.snapshot_file(3).unlink()
    ctx = open_context(home.root)
    write_tables(ctx, DOCUMENTS[:2])
    run_indexes(ctx)
    assert publish(ctx).number == 4
    assert library.snapshot().catalog.status_counts()["active"] == 2


def test_a_snapshot_replaced_while_it_was_looked_up_is_no_damage(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter([2, 3])
    monkeypatch.setattr("rag_query.library.manifests.current_number", lambda _: next(numbers, 3))
    home.snapshot_file(2).unlink()
    found = published_manifest(home)
    assert found is not None and found.number == 3
