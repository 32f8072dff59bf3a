"""What becomes of a file: each decision, and each kind of bad input."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from rag_assets.sources import spool
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.deletions import forget_source, mark_deleted, mark_restored
from rag_query.library.home import Home
from rag_query.library.settings import create_library, register_path
from tests.unit.sources.conftest import Sources


def test_new_unchanged_changed_removed_and_back(sources: Sources) -> None:
    path = sources.write("a.md", "# One")
    sources.write("b.md", "# Other")
    first = sources.take()
    assert sources.decisions() == {"a.md": "continue", "b.md": "continue"}
    raw = sources.inventory()["a.md"]["raw_sha256"]
    assert sources.home.raw_file(str(raw)).read_text() == "# One"

    again = sources.take()
    assert sources.decisions() == {"a.md": "skip", "b.md": "skip"}
    assert again.data_version == first.data_version
    assert not sources.take().written

    sources.write("a.md", "# Two")
    assert sources.take().details["new_version"] == 1
    path.unlink()
    assert sources.take().details["removed"] == 1
    assert sources.take().details["removed"] == 0
    assert sources.decisions()["a.md"] == "removed"
    sources.write("a.md", "# Two")
    sources.take()
    assert sources.decisions()["a.md"] == "continue"


def test_untouched_file_is_not_read(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    sources.write("a.md", "# One")
    sources.write("c.jsonl", '{"_id": "1", "text": "x"}\n')
    sources.take()

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(spool.Spooler, "spool", refuse)
    assert sources.take().details["unchanged"] == 2


def test_a_file_written_just_now_is_read_again(sources: Sources) -> None:
    path = sources.home.inbox / "a.md"
    path.write_text("# One")
    sources.take()
    path.write_text("# Two")  # same size, perhaps the same clock tick
    assert sources.take().details["new_version"] == 1


def test_touch_without_change_is_skip(sources: Sources) -> None:
    path = sources.write("a.md", "# One")
    sources.take()
    os.utime(path, (1, 1))
    assert sources.take().details["unchanged"] == 1


def test_lost_raw_copy_is_made_again(sources: Sources) -> None:
    sources.write("a.md", "# One")
    sources.take()
    raw = sources.home.raw_file(str(sources.inventory()["a.md"]["raw_sha256"]))
    raw.unlink()
    sources.take()
    assert raw.exists()


@pytest.mark.parametrize("block", [8, spool.BLOCK_BYTES])
def test_a_raw_copy_that_a_power_cut_emptied_is_made_again(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(spool, "BLOCK_BYTES", block)
    sources.write("a.md", "# One and more")
    raw = sources.home.raw_file(sha256(b"# One and more").hexdigest())
    raw.parent.mkdir(parents=True)
    raw.touch()
    sources.take()
    assert raw.read_text() == "# One and more"


def test_empty_too_large_and_unknown_type(sources: Sources) -> None:
    sources.limit(100)
    sources.write("empty.md", "")
    sources.write("large.md", "x" * 101)
    sources.write("image.png", b"\x89PNG")
    sources.take()
    rows = sources.inventory()
    assert [
        (rows[n]["decision"], rows[n]["code"]) for n in ("empty.md", "large.md", "image.png")
    ] == [
        ("failed", "EMPTY_FILE"),
        ("failed", "FILE_TOO_LARGE"),
        ("ignored", "UNSUPPORTED_TYPE"),
    ]
    assert [row["status"] for row in sources.documents("empty.md")] == ["failed"]
    assert sources.documents("image.png") == []


def test_an_explicit_file_of_unknown_type_fails(sources: Sources, tmp_path: Path) -> None:
    sources.register(sources.write("a.docx", "x", folder=tmp_path / "docs"))
    result = sources.take()
    assert result.details["failed_documents"] == [
        {
            "source_uri": "file://docs/a.docx",
            "code": "UNSUPPORTED_TYPE",
            "message": "Files of type '.docx' are not supported; supported are .htm, .html, "
            ".jsonl, .markdown, .md, .mdx, .pdf, .text, .txt.",
        }
    ]


def test_an_explicit_file_that_is_gone(sources: Sources, tmp_path: Path) -> None:
    path = sources.write("a.md", "x", folder=tmp_path / "docs")
    never = sources.write("b.md", "y", folder=tmp_path / "docs")
    sources.register(path)
    sources.take()
    sources.register(never)
    path.unlink()
    never.unlink()
    sources.take()
    rows = sources.inventory()
    assert rows["a.md"]["decision"] == "removed"
    assert (rows["b.md"]["decision"], rows["b.md"]["code"]) == ("failed", "FILE_MISSING")


def test_unreadable_file_keeps_what_is_known(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources.write("a.md", "# One")
    sources.take()
    sources.write("a.md", "# Changed")
    real = os.open

    def denied(path: str, *rest: int, **more: int) -> int:
        if str(path).endswith("a.md"):
            raise PermissionError(13, "denied")
        return real(path, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)  # root may read everything
        sources.take()
    assert sources.inventory()["a.md"]["code"] == "FILE_UNREADABLE"
    (row,) = sources.documents("a.md")
    assert (row["status"], row["code"], row["is_latest"]) == ("active", "FILE_UNREADABLE", True)
    sources.take()
    assert [row["status"] for row in sources.documents("a.md")] == ["superseded", "active"]
    assert sources.documents("a.md")[-1]["code"] is None


def test_file_written_to_while_read(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sources.write("a.md", "# One")
    real = spool._read_block

    def growing(source: object) -> bytes:
        block = real(source)  # type: ignore[arg-type]
        with path.open("a") as file:
            file.write("more")
        return block

    with monkeypatch.context() as patch:
        patch.setattr(spool, "_read_block", growing)
        sources.take()
    assert sources.inventory()["a.md"]["code"] == "FILE_CHANGED"
    assert list(sources.home.raw.rglob(".tmp-*")) == []
    sources.take()
    assert sources.decisions()["a.md"] == "continue"


def test_file_removed_between_listing_and_reading(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sources.write("a.md", "# One")
    real = spool.Spooler.spool

    def vanish(self: spool.Spooler, name: str) -> spool.Spooled:
        path.unlink()
        return real(self, name)

    monkeypatch.setattr(spool.Spooler, "spool", vanish)
    sources.take()
    assert sources.inventory()["a.md"]["code"] == "FILE_MISSING"


def test_large_files_are_streamed(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "BLOCK_BYTES", 1000)
    sources.write("a.txt", "0123456789" * 1000)
    sources.take()
    row = sources.inventory()["a.txt"]
    assert row["file_bytes"] == 10_000
    assert sources.home.raw_file(str(row["raw_sha256"])).stat().st_size == 10_000
    sources.limit(5_000)
    sources.write("b.txt", "x" * 10_000)
    sources.take()
    assert sources.inventory()["b.txt"]["code"] == "FILE_TOO_LARGE"


def test_names_of_every_kind(sources: Sources) -> None:
    names = ["📗 emoji.md", 'it\'s "quoted".md', "line\nbreak.md", "中文 文档.md", "a#b?c%d.md"]
    for number, name in enumerate(names):
        sources.write(name, f"text {number}")
    raw = os.fsencode(str(sources.home.inbox)) + b"/latin\xe9.md"
    Path(os.fsdecode(raw)).write_text("not UTF-8")
    sources.take()
    assert sources.take().details["unchanged"] == len(names) + 1
    uris = {str(row["source_uri"]) for row in sources.inventory().values()}
    assert len(uris) == len(names) + 1
    assert "file://inbox/📗%20emoji.md" in uris
    assert "file://inbox/latin%E9.md" in uris


def test_hidden_ignored_and_own_folder(sources: Sources, tmp_path: Path) -> None:
    docs = tmp_path  # the library's own folder lies inside the root
    for name in ("keep.md", ".hidden.md", ".git/x.md", "build/x.md", "sub/tmp-1.md", "sub/y.md"):
        sources.write(name, name, folder=docs)
    sources.write("sub/deep/tmp-keep.md", "k", folder=docs)
    sources.write(".excerptaignore", "build/\ntmp-*\n", folder=docs)
    sources.write("sub/deep/.excerptaignore", "!tmp-keep.md\n", folder=docs)
    sources.register(docs)
    sources.take()
    assert set(sources.inventory()) == {"keep.md", "sub/y.md", "sub/deep/tmp-keep.md"}
    sources.write(".excerptaignore", "build/\ntmp-*\nsub/y.md\n", folder=docs)
    sources.take()
    assert sources.decisions()["sub/y.md"] == "removed"


def test_symlinks(sources: Sources, tmp_path: Path) -> None:
    inbox = sources.home.inbox
    sources.write("real/a.md", "# A")
    outside = sources.write("secret.md", "# S", folder=tmp_path / "outside")
    (inbox / "real" / "up").symlink_to(inbox)
    (inbox / "self.md").symlink_to(inbox / "self.md")
    (inbox / "broken.md").symlink_to(inbox / "nowhere.md")
    (inbox / "again").symlink_to(inbox / "real")
    (inbox / "link.md").symlink_to(inbox / "real" / "a.md")
    (inbox / "out.md").symlink_to(outside)
    sources.take()
    rows = {name: (row["decision"], row["code"]) for name, row in sources.inventory().items()}
    assert rows == {
        "real/a.md": ("skip", None),
        "link.md": ("continue", None),
        "real/up": ("ignored", "SYMLINK_LOOP"),
        "self.md": ("ignored", "SYMLINK_LOOP"),
        "broken.md": ("failed", "FILE_MISSING"),
        "out.md": ("ignored", "PATH_NOT_ALLOWED"),
    }


def test_a_pipe_does_not_hang(sources: Sources) -> None:
    os.mkfifo(sources.home.inbox / "pipe.md")
    sources.take()
    assert sources.inventory() == {}


def test_nested_roots_belong_to_the_inner(sources: Sources, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    sources.write("a.md", "a", folder=outer)
    sources.write("inner/b.md", "b", folder=outer)
    sources.register(outer / "inner", "special")
    sources.register(outer)
    single = sources.write("lone/c.md", "c", folder=tmp_path / "second")
    sources.register(single, "lone")
    sources.write("lone/d.md", "d", folder=tmp_path / "second")
    sources.register(tmp_path / "second")
    sources.take()
    collections = {name: row["collection"] for name, row in sources.inventory().items()}
    assert collections == {
        "a.md": "outer",
        "b.md": "special",
        "c.md": "lone",
        "lone/d.md": "second",
    }


def test_missing_root_keeps_its_documents(sources: Sources, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    sources.write("a.md", "a", folder=docs)
    sources.register(docs)
    sources.take()
    docs.rename(tmp_path / "elsewhere")
    result = sources.take()
    assert sources.decisions()["a.md"] == "skip"
    assert result.details["warnings"] == [
        "The folder of 'docs' cannot be found; its documents are kept. "
        "`excerpta sources --forget 'docs'` drops it."
    ]


def test_what_another_library_keeps_is_not_read(sources: Sources, tmp_path: Path) -> None:
    other = Home(tmp_path / "docs" / "data")
    create_library(other)
    (other.raw / "ab").mkdir()
    sources.write("ab12.md", "# Raw", folder=other.raw / "ab")
    sources.write("a.md", "# One", folder=other.inbox)
    sources.register(tmp_path / "docs")
    sources.take()
    assert sources.decisions() == {"data/inbox/a.md": "continue"}


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


@pytest.mark.parametrize("name", ["inbox", "nope"])
def test_only_a_source_of_ones_own_is_forgotten(sources: Sources, name: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        forget_source(sources.home, name)
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    assert caught.value.hint


def test_unreadable_folder_keeps_its_documents(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources.write("sub/a.md", "a")
    sources.take()
    real = os.scandir

    def denied(path: str) -> object:
        if str(path).endswith("sub"):
            raise PermissionError(13, "denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", denied)
    sources.take()
    assert sources.decisions() == {"sub/a.md": "skip", "sub": "failed"}


def test_duplicates(sources: Sources) -> None:
    sources.write("b.md", "same")
    sources.take()
    sources.write("a.md", "same")
    sources.write("c.md", "same")
    result = sources.take()
    rows = sources.inventory()
    assert result.details["duplicates"] == 2
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
    assert sources.take().details["new_version"] == 1
    rows = sources.documents("report.md")
    assert [row["status"] for row in rows] == ["superseded", "active"]
    assert rows[1]["aliases"] == ["file://inbox/backup.md"]
    assert sources.documents("backup.md") == []


def test_same_content_in_two_collections_is_two_documents(sources: Sources, tmp_path: Path) -> None:
    sources.write("a.md", "same")
    sources.write("a.md", "same", folder=tmp_path / "docs")
    sources.register(tmp_path / "docs")
    assert sources.take().details["added"] == 2


def test_what_failed_says_what_to_do(sources: Sources) -> None:
    sources.write("empty.md", "")
    sources.write("c.jsonl", '{"_id": "1", "text": "x"}\nnot json\n')
    sources.take()
    told = {row["code"]: str(row["message"]) for row in sources.inventory().values()}
    assert "Put text into it" in told["EMPTY_FILE"]
    assert "Mend this line" in told["BAD_RECORD"]


def test_a_tag_given_to_one_file_leaves_its_neighbours_alone(sources: Sources) -> None:
    folder = sources.home.root.parent / "two"
    paths = [sources.write(name, f"# {name}", folder=folder) for name in ("a.md", "b.md")]
    sources.register(folder)
    sources.take()
    before = sources.documents("b.md")
    register_path(sources.home, paths[0], tags=["x"])
    sources.take()
    assert sources.inventory()["a.md"]["tags"] == ["x"]
    assert sources.documents("a.md")[0]["tags"] == ["x"]
    assert sources.documents("b.md") == before
    # New files beside it have none, a new version of it keeps its own.
    sources.write("a.md", "# changed", folder=folder)
    sources.write("c.md", "# c", folder=folder)
    sources.take()
    rows = sources.inventory()
    assert [rows[name]["tags"] for name in ("a.md", "b.md", "c.md")] == [["x"], [], []]


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


def test_records(sources: Sources) -> None:
    lines = [
        '\ufeff{"_id": "1", "title": "T", "text": "one"}',
        "",
        "not json",
        '{"_id": 7, "text": "seven"}\r',
        '{"_id": "1", "text": "again"}',
        '{"text": "no id"}',
        '{"_id": "x"}',
        '["list"]',
        '{"_id": "\\ud800", "text": "surrogate"}',
        '{"_id": "last", "text": "one"}',
    ]
    sources.write("c.jsonl", "\n".join(lines))
    sources.take()
    rows = sources.inventory()
    good = [name for name, row in rows.items() if row["decision"] == "continue"]
    assert good == ["c.jsonl#1", "c.jsonl#7", "c.jsonl#last"]
    bad = {name: row["message"] for name, row in rows.items() if row["decision"] == "failed"}
    assert {row["code"] for row in rows.values()} == {None, "BAD_RECORD"}
    assert str(bad["c.jsonl#line 5"]).startswith(
        "Line 5: the _id '1' stands on an earlier line already. "
    )
    assert len(bad) == 6
    seven = rows["c.jsonl#7"]
    raw = sources.home.raw_file(str(seven["raw_sha256"])).read_bytes()
    begin, length = int(str(seven["raw_offset"])), int(str(seven["raw_length"]))
    assert raw[begin : begin + length] == b'{"_id": 7, "text": "seven"}'
    (document,) = sources.documents("7")
    assert (document["external_id"], document["format"]) == ("7", "record")
    assert sources.take().details["failed"] == 6


def test_a_changed_corpus_changes_only_its_changed_records(sources: Sources) -> None:
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"}\n')
    sources.take()
    sources.write(
        "c.jsonl",
        '{"_id": "0", "text": "z"}\n{"_id": "1", "text": "a"}\n{"_id": "2", "text": "B"}\n',
    )
    sources.take()
    assert sources.decisions() == {
        "c.jsonl#0": "continue",
        "c.jsonl#1": "skip",
        "c.jsonl#2": "new_version",
    }


def test_a_corpus_that_cannot_be_read_keeps_its_records(sources: Sources) -> None:
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n')
    sources.take()
    sources.write("c.jsonl", "")
    sources.take()
    assert sources.decisions() == {"c.jsonl": "failed", "c.jsonl#1": "skip"}
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n')
    sources.take()
    assert sources.decisions() == {"c.jsonl#1": "skip"}


def test_a_corpus_beside_a_large_folder_is_not_read_again(sources: Sources) -> None:
    lines = [f'{{"_id": "{n}", "title": "t", "text": "text {n}"}}' for n in range(5183)]
    sources.write("c.jsonl", "\n".join(lines))
    sources.take()
    for number in range(2000):
        sources.write(f"d{number % 20}/f{number}.md", f"text {number}")
    sources.take()
    assert sources.take().details["unchanged"] == 7183
