"""Unchanged bytes become another version of their document when, and only when, it is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag_assets.sources.inventory import take_inventory
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.deletions import mark_deleted, mark_restored
from rag_query.library.sources import register_path
from rag_query.text.ids import version_id
from tests.unit.sources.conftest import Sources


def versions(sources: Sources, name: str) -> list[str]:
    """Ids in order of arrival; the last one is that of the document."""
    rows = sources.documents(name)
    assert [row["is_latest"] for row in rows] == [False] * (len(rows) - 1) + [True]
    states = ["superseded"] * (len(rows) - 1) + ["active"]
    assert [row["status"] for row in rows] == states
    assert rows[-1]["version_id"] == sources.inventory()[str(rows[-1]["rel_path"])]["version_id"]
    return [str(row["version_id"]) for row in rows]


def test_the_ids_of_versions_that_are_held_stay_and_further_ones_differ() -> None:
    assert version_id("doc_0", "ab") == "ver_b4aba067933fb6c3a4b195bd"
    assert version_id("doc_0", "ab", 0) == version_id("doc_0", "ab")
    further = {version_id("doc_0", "ab", number) for number in range(3)}
    assert len(further) == 3


def test_an_unchanged_file_is_skipped_and_is_a_new_version_when_asked_for(
    sources: Sources,
) -> None:
    path = sources.write("a.md", "# One")
    sources.write("b.md", "# Other")
    sources.take()
    (first,) = versions(sources, "a.md")
    sources.take()
    assert versions(sources, "a.md") == [first]

    details = sources.take(path, policy="new_version").details
    assert (details["new_version"], details["unchanged"], details["added"]) == (1, 1, 0)
    assert sources.decisions() == {"a.md": "new_version", "b.md": "skip"}
    _, second = versions(sources, "a.md")
    assert second != first
    old, new = sources.documents("a.md")
    assert (old["file_sha256"], old["raw_sha256"]) == (new["file_sha256"], new["raw_sha256"])
    assert str(new["version_created_at"]) > str(old["version_created_at"])
    assert new["created_at"] == old["created_at"]

    # It is not remembered that it was asked for: what there is now is unchanged.
    for _ in range(2):
        assert sources.take().details["unchanged"] == 2
        path.touch()
    assert sources.take().details["new_version"] == 0
    assert versions(sources, "a.md") == [first, second]
    sources.take(path, policy="new_version")
    assert len(set(versions(sources, "a.md"))) == 3


def test_only_the_files_named_are_meant_and_all_when_none_is(
    sources: Sources, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    for name in ("x/a.md", "x/b.md", "xy.md", "new.md"):
        sources.write(name, f"# {name}", folder=folder)
    (folder / "new.md").unlink()
    sources.register(folder)
    sources.take()
    (tmp_path / "link").symlink_to(folder)
    sources.write("new.md", "# new.md", folder=folder)
    sources.take(tmp_path / "link" / "x", folder / "new.md", policy="new_version")
    assert sources.decisions() == {
        "x/a.md": "new_version",
        "x/b.md": "new_version",
        "xy.md": "skip",
        "new.md": "continue",
    }
    assert sources.take(policy="new_version").details["new_version"] == 4
    assert sources.take(policy="skip").details["unchanged"] == 4


def test_paths_that_skip_would_not_heed_are_refused(sources: Sources) -> None:
    path = sources.write("a.md", "# One")
    sources.take()
    with pytest.raises(ExcerptaError, match="policy: new_version") as caught:
        sources.take(path, policy="skip")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_a_path_that_holds_no_document_is_refused(sources: Sources, tmp_path: Path) -> None:
    path = sources.write("a.md", "# One")
    sources.take()
    (tmp_path / "elsewhere.md").write_text("# Elsewhere")
    for stray in (Path("/nowhere"), path.with_name("b.md"), tmp_path / "elsewhere.md"):
        with pytest.raises(ExcerptaError, match=stray.name) as caught:
            sources.take(path, stray, policy="new_version")
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert len(versions(sources, "a.md")) == 1


def test_what_is_there_and_holds_nothing_to_ingest_stops_no_run(
    sources: Sources, tmp_path: Path
) -> None:
    path = sources.write("a.md", "# One")
    gone = sources.write("gone.md", "# Two")
    sources.take()
    mark_deleted(sources.home, [str(sources.inventory()["gone.md"]["source_uri"])])
    empty = path.with_name("empty")
    empty.mkdir()
    hidden = path.with_name(".hidden.md")
    hidden.write_text("# Hidden")
    outside = tmp_path / "outside.md"
    outside.write_text("# Outside")
    link = path.with_name("link.md")
    link.symlink_to(outside)
    sources.take(path, gone, empty, hidden, link, policy="new_version")
    assert len(versions(sources, "a.md")) == 2
    assert [row["status"] for row in sources.documents("gone.md")] == ["removed"]


def test_a_folder_is_named_by_its_links_and_by_itself_at_once(
    sources: Sources, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    sources.write("x/a.md", "# One", folder=folder)
    sources.register(folder)
    sources.take()
    (tmp_path / "link").symlink_to(folder / "x")
    sources.take(tmp_path / "link", folder / "x", policy="new_version")
    assert sources.decisions() == {"x/a.md": "new_version"}


def test_a_registered_folder_may_be_empty(sources: Sources, tmp_path: Path) -> None:
    folder = tmp_path / "parent" / "docs"
    folder.mkdir(parents=True)
    sources.register(folder)
    for path in (folder, folder.parent):
        assert sources.take(path, policy="new_version").details["new_version"] == 0


def test_a_file_named_is_read_although_its_size_and_time_are_as_before(sources: Sources) -> None:
    path = sources.write("a.md", "# One")
    sources.take()
    before = path.stat().st_mtime_ns
    path.write_text("# Two")
    os.utime(path, ns=(before, before))
    sources.take()
    assert len(versions(sources, "a.md")) == 1
    sources.take(path, policy="new_version")
    row = sources.inventory()["a.md"]
    assert sources.home.raw_file(str(row["raw_sha256"])).read_text() == "# Two"
    assert len(versions(sources, "a.md")) == 2


def test_bytes_that_return_are_the_newest_version_there_was_of_them(sources: Sources) -> None:
    path = sources.write("a.md", "A")
    sources.take()
    sources.take(path, policy="new_version")
    first, second = versions(sources, "a.md")
    sources.write("a.md", "B")
    sources.take()
    other = versions(sources, "a.md")[-1]
    sources.write("a.md", "A")
    assert sources.take().details["new_version"] == 1
    assert versions(sources, "a.md") == [first, other, second]

    # Where a new version is asked for, neither returns.
    sources.write("a.md", "B")
    sources.take(path, policy="new_version")
    assert versions(sources, "a.md")[:-1] == [first, other, second]
    assert len(set(versions(sources, "a.md"))) == 4


def test_a_version_that_was_deleted_does_not_return_where_another_can(sources: Sources) -> None:
    path = sources.write("a.md", "A")
    sources.take()
    sources.take(path, policy="new_version")
    first, second = versions(sources, "a.md")
    sources.write("a.md", "B")
    sources.take()
    other = versions(sources, "a.md")[-1]
    mark_deleted(sources.home, [second])
    sources.take()
    sources.write("a.md", "A")
    sources.take()
    states = {row["version_id"]: row["status"] for row in sources.documents("a.md")}
    assert states == {first: "active", second: "removed", other: "superseded"}


def test_an_alias_stands_for_the_document_that_holds_its_content(sources: Sources) -> None:
    path, copy = sources.write("b.md", "same"), sources.write("c.md", "same")
    sources.take()
    sources.take(copy, policy="new_version")
    assert sources.decisions() == {"b.md": "new_version", "c.md": "skip"}
    first, second = versions(sources, "b.md")
    # Also a name that is new, and all of them at once are one document.
    added = sources.write("d.md", "same")
    sources.take(added, policy="new_version")
    sources.take(policy="new_version")
    assert len(versions(sources, "b.md")) == 4
    assert sources.documents("b.md")[-1]["aliases"] == [f"file://inbox/{n}.md" for n in "cd"]
    assert sources.documents("c.md") == sources.documents("d.md") == []

    # The document goes on under another name it had, as the version it is.
    held = versions(sources, "b.md")
    path.unlink()
    assert sources.take().details["renamed"] == 1
    assert versions(sources, "c.md") == held
    assert held[:2] == [first, second]


def test_a_renamed_file_keeps_the_version_and_can_be_a_new_one(sources: Sources) -> None:
    path = sources.write("a.md", "text")
    sources.take()
    sources.take(path, policy="new_version")
    held = versions(sources, "a.md")
    path = path.rename(sources.home.inbox / "b.md")
    assert sources.take().details["renamed"] == 1
    assert versions(sources, "b.md") == held

    path = path.rename(sources.home.inbox / "c.md")
    details = sources.take(path, policy="new_version").details
    assert (details["new_version"], details["renamed"], details["unchanged"]) == (1, 0, 0)
    assert versions(sources, "c.md")[:-1] == held
    assert sources.documents("c.md")[0]["doc_id"] == sources.inventory()["c.md"]["doc_id"]


def test_every_record_of_a_corpus_that_is_named_is_a_new_version(sources: Sources) -> None:
    lines = [f'{{"_id": "{n}", "text": "Text {n}."}}' for n in range(3)]
    path = sources.write("c.jsonl", "\n".join([*lines, "no JSON"]))
    sources.take()
    details = sources.take(path, policy="new_version").details
    assert (details["new_version"], details["failed"]) == (3, 1)
    assert [len(sources.documents(str(n))) for n in range(3)] == [2, 2, 2]

    # One changes: the others stay the versions they are, in another file.
    sources.write("c.jsonl", "\n".join([lines[0], lines[1].replace("Text", "Word"), lines[2]]))
    details = sources.take().details
    assert (details["new_version"], details["unchanged"]) == (1, 2)
    assert [len(sources.documents(str(n))) for n in range(3)] == [2, 3, 2]


def test_a_document_that_was_deleted_comes_back_as_the_version_it_was_or_as_a_new_one(
    sources: Sources,
) -> None:
    path, uri = sources.write("a.md", "text"), "file://inbox/a.md"
    sources.take()
    sources.take(path, policy="new_version")
    held = versions(sources, "a.md")
    mark_deleted(sources.home, [uri])
    # What is deleted is not brought back by a policy for all files.
    assert sources.take(policy="new_version").details["new_version"] == 0
    assert {row["status"] for row in sources.documents("a.md")} == {"removed"}
    mark_restored(sources.home, [uri])
    sources.take()
    assert versions(sources, "a.md") == held

    mark_deleted(sources.home, [uri])
    sources.take()
    register_path(sources.home, path)
    sources.take(path, policy="new_version")
    assert versions(sources, "a.md")[:-1] == held


def test_a_file_that_cannot_be_read_is_no_new_version(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sources.write("a.md", "text")
    sources.take()
    sources.limit(1)
    sources.take(path, policy="new_version")
    (row,) = sources.documents("a.md")
    assert (row["status"], row["code"], row["is_latest"]) == ("active", "FILE_TOO_LARGE", True)


def test_a_run_that_was_killed_after_its_inventory_is_completed_by_the_next(
    sources: Sources,
) -> None:
    path = sources.write("a.md", "text")
    sources.take()
    take_inventory(sources.ctx, policy="new_version", paths=[str(path)])  # and killed
    asked = sources.inventory()["a.md"]["version_id"]
    sources.take()
    assert versions(sources, "a.md")[-1] == asked
    take_inventory(sources.ctx, policy="new_version")  # and killed, and asked for once more
    sources.take(path, policy="new_version")
    assert len(versions(sources, "a.md")) == 3
