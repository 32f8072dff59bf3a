"""What becomes of a file: each decision, and each kind of bad input."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag_assets.sources import spool
from rag_query.library.sources import register_path
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


def test_a_file_that_goes_while_files_are_read_never_failed(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources.write("known.md", "# Known")
    sources.take()
    sources.write("known.md", "# Changed, and gone")
    sources.write("new.md", "# New, and gone")
    sources.write("stays.md", "# Stays")
    real = os.open

    def gone(path: str, *rest: int, **more: int) -> int:
        if str(path).endswith(("known.md", "new.md")):
            raise FileNotFoundError(2, "gone", path)
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", gone)
    assert sources.take().details["failed"] == 0
    assert sources.decisions() == {"known.md": "removed", "stays.md": "continue"}


def test_what_failed_says_what_to_do(sources: Sources) -> None:
    sources.write("empty.md", "")
    sources.write("c.jsonl", '{"_id": "1", "text": "x"}\nnot json\n')
    sources.take()
    told = {row["code"]: str(row["message"]) for row in sources.inventory().values()}
    assert "Put text into it" in told["EMPTY_FILE"]
    assert "Mend this line of the file or remove it" in told["BAD_RECORD"]


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
