"""What a user deletes or forgets leaves, and stays out until it is asked for again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.deletions import forget_source, mark_deleted, mark_purged, mark_restored
from rag_query.library.sources import load_sources, register_path
from tests.unit.sources.conftest import Sources


def test_tombstones(sources: Sources) -> None:
    path = sources.write("a.md", "a")
    corpus = sources.write("c.jsonl", '{"_id": "1", "text": "x"}\n{"_id": "2", "text": "x"}\n')
    sources.take()
    mark_deleted(sources.home, ["file://inbox/a.md", "file://inbox/c.jsonl#2"])
    assert sources.take().details["removed"] == 2
    assert sources.decisions() == {"a.md": "removed", "c.jsonl#1": "skip", "c.jsonl#2": "removed"}
    assert sources.take().details["removed"] == 0
    register_path(sources.home, path)
    register_path(sources.home, corpus)
    assert sources.take().details["added"] == 2


def test_a_corpus_that_is_deleted_takes_its_records_along(sources: Sources) -> None:
    sources.write("c.jsonl", '{"_id": "1", "text": "x"}\n{"_id": "2", "text": "x"}\n')
    sources.take()
    mark_deleted(sources.home, ["file://inbox/c.jsonl"])
    assert sources.take().details["removed"] == 2


def test_what_is_purged_stays_out_under_its_name_and_a_version_may_come_again(
    sources: Sources,
) -> None:
    names = ["file://inbox/a.md", "ver_" + "0" * 24]
    mark_deleted(sources.home, names, hard=True)
    mark_purged(sources.home, names)
    left = load_sources(sources.home)
    assert (list(left.deleted), left.purge) == (["file://inbox/a.md"], {})


def test_a_deleted_document_stays_out_when_its_file_is_moved(sources: Sources) -> None:
    path = sources.write("memo.md", "a memo")
    sources.take()
    doc = sources.documents("memo.md")[0]["doc_id"]
    mark_deleted(sources.home, ["file://inbox/memo.md"])
    sources.take()
    path.rename(sources.home.inbox / "old.md")
    for _ in range(2):
        assert sources.take().details["added"] == 0
        row = sources.inventory()["old.md"]
        assert row["decision"] == "ignored" and "file://inbox/memo.md" in str(row["message"])
    mark_restored(sources.home, ["file://inbox/memo.md"], without_file=["file://inbox/memo.md"])
    sources.take()
    (row,) = sources.documents("memo.md")
    assert (row["doc_id"], row["status"]) == (doc, "active")
    assert row["aliases"] == ["file://inbox/old.md"]


def test_what_is_restored_before_it_was_purged_keeps_its_history(sources: Sources) -> None:
    sources.write("memo.md", "a memo")
    sources.take()
    sources.write("memo.md", "another memo")
    sources.take()
    mark_deleted(sources.home, ["file://inbox/memo.md"], hard=True)
    mark_restored(sources.home, ["file://inbox/memo.md"])
    sources.take()
    assert [v["status"] for v in sources.documents("memo.md")] == ["superseded", "active"]


@pytest.mark.parametrize("by", ["name", "path"])
def test_documents_of_a_forgotten_source_leave_and_keep_their_history(
    sources: Sources, tmp_path: Path, by: str
) -> None:
    docs = tmp_path / "docs"
    sources.write("a.md", "# One", folder=docs)
    sources.write("b.md", "# Other")
    sources.register(docs)
    sources.take()
    mark_restored(sources.home, [], without_file=["file://docs/a.md"])
    forget_source(sources.home, "docs" if by == "name" else str(docs))
    assert sources.take().details["removed"] == 1
    assert sources.decisions() == {"a.md": "removed", "b.md": "skip"}
    assert [v["status"] for v in sources.documents("a.md")] == ["removed"]
    sources.register(docs)
    sources.take()
    assert sources.decisions()["a.md"] == "continue"


def test_what_was_deleted_of_a_forgotten_folder_keeps_nothing_out_of_another_of_its_name(
    sources: Sources, tmp_path: Path
) -> None:
    for parent, text in (("old", "Tides of March."), ("new", "Prices of nets.")):
        (tmp_path / parent / "docs").mkdir(parents=True)
        (tmp_path / parent / "docs" / "a.md").write_text(text)
    sources.register(tmp_path / "old" / "docs")
    sources.take()
    mark_deleted(sources.home, ["file://docs/a.md"])
    forget_source(sources.home, "docs")
    sources.take()
    sources.register(tmp_path / "new" / "docs")
    sources.take()
    assert sources.decisions() == {"a.md": "new_version"}


@pytest.mark.parametrize("name", ["inbox", "nope"])
def test_only_a_source_of_ones_own_is_forgotten(sources: Sources, name: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        forget_source(sources.home, name)
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    assert caught.value.hint
