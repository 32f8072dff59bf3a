"""A renamed or moved file is the same document: id, shard, versions and chunk ids stay."""

from __future__ import annotations

from pathlib import Path

from tests.unit.sources.conftest import Sources


def test_a_moved_file_keeps_its_identity_and_history(sources: Sources) -> None:
    path = sources.write("tea.md", "one")
    sources.take()
    sources.write("tea.md", "two")
    sources.take()
    before = sources.documents("tea.md")
    assert [row["version_no"] for row in before] == [1, 2]

    (sources.home.inbox / "drinks").mkdir()
    path.rename(sources.home.inbox / "drinks" / "green tea.md")
    details = sources.take().details
    assert (details["renamed"], details["added"], details["removed"]) == (1, 0, 0)
    assert details["renamed_documents"] == [
        {
            "source_uri": "file://inbox/drinks/green%20tea.md",
            "renamed_from": "file://inbox/tea.md",
        }
    ]
    after = sources.documents("green tea.md")
    assert sources.documents("tea.md") == []
    for old, new in zip(before, after, strict=True):
        same = ("doc_id", "version_id", "version_no", "status", "created_at", "version_created_at")
        assert [old[name] for name in same] == [new[name] for name in same]
        assert new["source_uri"] == "file://inbox/drinks/green%20tea.md"

    # It stays so: the next run has nothing to do, and a change is its third version.
    assert sources.take().details["unchanged"] == 1
    sources.write("drinks/green tea.md", "three")
    assert sources.take().details["new_version"] == 1
    rows = sources.documents("green tea.md")
    assert [row["version_no"] for row in rows] == [1, 2, 3]
    assert {row["doc_id"] for row in rows} == {before[0]["doc_id"]}


def test_another_file_under_the_old_name_is_another_document(sources: Sources) -> None:
    path = sources.write("a.md", "one")
    sources.take()
    path.rename(sources.home.inbox / "b.md")
    sources.take()
    sources.write("a.md", "something else")
    assert sources.take().details["added"] == 1
    (old,), (new,) = sources.documents("b.md"), sources.documents("a.md")
    assert old["doc_id"] != new["doc_id"]
    assert (old["status"], new["status"]) == ("active", "active")
    assert sources.take().details["unchanged"] == 2
    assert sources.documents("a.md") == [new]


def test_several_files_of_one_content_are_matched_one_to_one(
    sources: Sources, tmp_path: Path
) -> None:
    sources.write("a.md", "same")
    sources.write("x/a.md", "same", folder=tmp_path / "docs")
    sources.register(tmp_path / "docs")
    sources.take()
    before = {sources.documents("a.md")[n]["doc_id"] for n in range(2)}
    (sources.home.inbox / "a.md").rename(sources.home.inbox / "b.md")
    (tmp_path / "docs" / "x").rename(tmp_path / "docs" / "y")
    details = sources.take().details
    assert (details["renamed"], details["added"], details["removed"]) == (2, 0, 0)
    rows = {
        str(row["rel_path"]): row for name in ("a.md", "b.md") for row in sources.documents(name)
    }
    assert {row["doc_id"] for row in rows.values()} == before
    assert {name: row["collection"] for name, row in rows.items()} == {
        "b.md": "inbox",
        "y/a.md": "docs",
    }


def test_a_copy_is_no_rename(sources: Sources) -> None:
    sources.write("a.md", "same")
    sources.take()
    sources.write("b.md", "same")
    details = sources.take().details
    assert (details["renamed"], details["duplicates"], details["removed"]) == (0, 1, 0)


def test_a_file_moved_over_another_document_is_its_new_version(sources: Sources) -> None:
    path = sources.write("a.md", "one")
    sources.write("b.md", "two")
    sources.take()
    (doc,) = {row["doc_id"] for row in sources.documents("b.md")}
    path.rename(sources.home.inbox / "b.md")
    details = sources.take().details
    assert (details["renamed"], details["new_version"], details["removed"]) == (0, 1, 1)
    rows = sources.documents("b.md")
    assert [(row["doc_id"], row["version_no"], row["status"]) for row in rows] == [
        (doc, 1, "superseded"),
        (doc, 2, "active"),
    ]
