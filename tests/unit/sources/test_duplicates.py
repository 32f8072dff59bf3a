"""The same content under several names: one document, which goes on while one of them stays."""

from __future__ import annotations

from pathlib import Path

from tests.unit.sources.conftest import Sources


def test_duplicates(sources: Sources) -> None:
    sources.write("b.md", "same")
    sources.take()
    sources.write("a.md", "same")
    sources.write("c.md", "same")
    result = sources.take()
    rows = sources.inventory()
    assert result.details["duplicates"] == 2
    assert result.details["duplicate_files"] == [
        {"source_uri": f"file://inbox/{name}.md", "same_as": "file://inbox/b.md"} for name in "ac"
    ]
    assert rows["a.md"]["duplicate_of"] == rows["b.md"]["doc_id"] == rows["c.md"]["duplicate_of"]
    assert sources.documents("b.md")[0]["aliases"] == ["file://inbox/a.md", "file://inbox/c.md"]
    assert sources.documents("a.md") == []

    # When its own name goes, the document goes on under another one it had.
    doc = sources.documents("b.md")[0]["doc_id"]
    (sources.home.inbox / "b.md").unlink()
    result = sources.take()
    assert (result.details["added"], result.details["renamed"], result.details["removed"]) == (
        0,
        1,
        0,
    )
    (row,) = sources.documents("a.md")
    assert (row["doc_id"], row["status"]) == (doc, "active")
    assert row["aliases"] == ["file://inbox/c.md"]
    assert sources.documents("b.md") == []


def test_a_document_that_becomes_a_copy(sources: Sources) -> None:
    sources.write("a.md", "mine")
    sources.write("b.md", "other")
    sources.take()
    sources.write("a.md", "other")
    sources.take()
    assert [row["status"] for row in sources.documents("a.md")] == ["removed"]
    assert sources.documents("b.md")[0]["aliases"] == ["file://inbox/a.md"]
    sources.write("a.md", "mine")
    sources.take()
    assert [row["status"] for row in sources.documents("a.md")] == ["active"]


def test_a_copy_of_a_changed_document_takes_nothing_from_it(sources: Sources) -> None:
    sources.write("report.md", "one")
    sources.take()
    sources.write("report.md", "two")
    sources.write("backup.md", "two")
    result = sources.take()
    assert (result.computed, result.details["new_version"]) == (1, 1)
    rows = sources.documents("report.md")
    assert [row["status"] for row in rows] == ["superseded", "active"]
    assert rows[1]["aliases"] == ["file://inbox/backup.md"]
    assert sources.documents("backup.md") == []


def test_same_content_in_two_collections_is_two_documents(sources: Sources, tmp_path: Path) -> None:
    sources.write("a.md", "same")
    sources.write("a.md", "same", folder=tmp_path / "docs")
    sources.register(tmp_path / "docs")
    assert sources.take().details["added"] == 2


def test_the_same_record_in_two_corpora_is_two_documents(sources: Sources) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        sources.write(name, '{"_id": "1", "text": "same"}\n')
    details = sources.take().details
    assert (details["added"], details["duplicates"]) == (2, 0)
