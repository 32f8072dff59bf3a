"""Which files are seen: names of every kind, links, folders within folders, what is ignored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag_query.library.create import create_library
from rag_query.library.home import Home
from tests.unit.sources.conftest import Sources


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
        "broken.md": ("ignored", "FILE_MISSING"),
        "out.md": ("ignored", "PATH_NOT_ALLOWED"),
    }
    assert str(sources.inventory()["broken.md"]["message"]).startswith("The link leads to nothing.")


def test_a_pipe_does_not_hang_and_is_named(sources: Sources) -> None:
    sources.write("was.md", "# A file")
    sources.take()
    (sources.home.inbox / "was.md").unlink()
    for name in ("pipe.md", "was.md", "pipe"):
        os.mkfifo(sources.home.inbox / name)
    sources.take()
    rows = sources.inventory()
    assert rows["was.md"]["decision"] == "removed"
    for name in ("pipe.md", "pipe"):
        assert (rows[name]["decision"], rows[name]["code"]) == ("ignored", "UNSUPPORTED_TYPE")
        assert rows[name]["message"] == "This is a named pipe; nothing is read from it."


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


def test_emptied_root_keeps_its_documents(sources: Sources, tmp_path: Path) -> None:
    """As the folder that a disk was mounted on; one in which anything is left was not unmounted."""
    docs = tmp_path / "docs"
    mounted = sources.write("manuals/pump.md", "# Pump", folder=docs)
    sources.register(docs)
    sources.take()
    away = tmp_path / "away"
    docs.rename(away)
    docs.mkdir()
    result = sources.take()
    assert sources.decisions() == {"manuals/pump.md": "skip"}
    assert result.details["warnings"] == [
        "The folder of 'docs' is empty (is it mounted?); its documents are kept. "
        "`excerpta sources --forget 'docs'` drops it."
    ]
    docs.rmdir()
    away.rename(docs)
    assert sources.take().details["unchanged"] == 1
    mounted.unlink()
    result = sources.take()
    assert sources.decisions() == {"manuals/pump.md": "removed"}
    mounted.parent.rmdir()
    assert sources.take().details["warnings"] == result.details["warnings"] == []


def test_a_folder_that_a_disk_was_mounted_on_keeps_its_documents(sources: Sources) -> None:
    """It is as it was before the documents were seen; one they were removed from is not."""
    inbox = sources.home.inbox
    point, disk = inbox / ".point", inbox / ".disk"
    point.mkdir()
    mounted = sources.write("pumps/valve.md", "# Valve", folder=disk)
    sources.write("a.md", "# A")
    (inbox / "manuals").symlink_to(disk)
    sources.take()
    (inbox / "manuals").unlink()
    (inbox / "manuals").symlink_to(point)
    kept = {"a.md": "skip", "manuals/pumps/valve.md": "skip"}
    for _ in range(2):
        result = sources.take()
        assert sources.decisions() == kept
        assert result.details["warnings"] == [
            "The folder 'manuals' in 'inbox' is empty (is it mounted?); its documents are kept. "
            "Remove the folder and ingest again to drop them."
        ]
    (inbox / "manuals").unlink()
    (inbox / "manuals").symlink_to(disk)
    assert sources.take().details["unchanged"] == 2
    mounted.unlink()
    assert sources.take().details["warnings"] == []
    assert sources.decisions() == kept | {"manuals/pumps/valve.md": "removed"}


def test_links_that_lead_to_nothing_keep_the_documents_they_led_to(sources: Sources) -> None:
    inbox = sources.home.inbox
    disk = inbox / ".disk"
    for name in ("fan.md", "manuals/pump.md"):
        sources.write(name, f"# {name}", folder=disk)
    (inbox / "fan.md").symlink_to(disk / "fan.md")
    (inbox / "manuals").symlink_to(disk / "manuals")
    sources.take()
    disk.rename(inbox / ".away")
    sources.take()
    rows = {name: (row["decision"], row["code"]) for name, row in sources.inventory().items()}
    assert rows == {
        "fan.md": ("failed", "FILE_MISSING"),
        "manuals": ("ignored", "FILE_MISSING"),
        "manuals/pump.md": ("skip", None),
    }
    for name in ("fan.md", "manuals"):
        (inbox / name).unlink()
    sources.take()
    assert set(sources.decisions().values()) == {"removed"}


def test_what_is_moved_out_of_a_root_is_the_same_document(sources: Sources, tmp_path: Path) -> None:
    """Though nothing at all is left in the folder where it stood."""
    drafts, final = tmp_path / "drafts", tmp_path / "final"
    draft = sources.write("pump.md", "# Pump", folder=drafts)
    lost = sources.write("fan.md", "# Fan", folder=drafts)
    sources.write("gear.md", "# Gear", folder=final)
    sources.register(drafts)
    sources.register(final)
    sources.take()
    document = sources.inventory()["pump.md"]["doc_id"]
    draft.rename(final / "pump.md")
    lost.unlink()
    assert sources.take().details["renamed"] == 1
    moved = sources.inventory()["pump.md"]
    assert (moved["root"], moved["doc_id"]) == ("final", document)
    assert sources.decisions()["fan.md"] == "skip"


def test_emptied_inbox_loses_its_documents(sources: Sources) -> None:
    path = sources.write("a.md", "a")
    sources.take()
    path.unlink()
    assert sources.take().details["warnings"] == []
    assert sources.decisions() == {"a.md": "removed"}


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
    assert sources.inventory()["sub"]["message"] == (
        "The folder may not be read. Grant read permission and ingest again."
    )


def test_what_another_library_keeps_is_not_read(sources: Sources, tmp_path: Path) -> None:
    other = Home(tmp_path / "docs" / "data")
    create_library(other)
    (other.raw / "ab").mkdir()
    sources.write("ab12.md", "# Raw", folder=other.raw / "ab")
    sources.write("a.md", "# One", folder=other.inbox)
    sources.register(tmp_path / "docs")
    sources.take()
    assert sources.decisions() == {"data/inbox/a.md": "continue"}
