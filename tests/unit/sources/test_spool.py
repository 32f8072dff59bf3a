"""Copies of files in ``raw/``: made again when lost, never of a file that changes meanwhile."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from hashlib import sha256
from os import SEEK_END
from pathlib import Path

import pytest

from rag_assets.sources import spool
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from tests.unit.sources.conftest import Sources


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


def test_a_file_that_is_too_large_is_not_copied_to_be_redacted(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "BLOCK_BYTES", 8)
    redacted: list[int] = []
    path = sources.write("a.jsonl", "x" * 100)
    with pytest.raises(ExcerptaError) as raised:
        spool.Spooler(sources.home, 16).spool(
            str(path), lambda copy: redacted.append(copy.seek(0, SEEK_END))
        )
    assert raised.value.code == ErrorCode.FILE_TOO_LARGE
    assert not redacted


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

    def vanish(self: spool.Spooler, name: str, redact: None) -> spool.Spooled:
        path.unlink()
        return real(self, name, redact)

    monkeypatch.setattr(spool.Spooler, "spool", vanish)
    assert sources.take().details["failed"] == 0
    assert sources.inventory() == {}


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)  # a whole path may be too long for a socket


@pytest.mark.parametrize("become", [_folder, _pipe, _socket])
def test_a_file_that_becomes_something_else_after_the_listing_fails_alone(
    sources: Sources, monkeypatch: pytest.MonkeyPatch, become: Callable[[Path], None]
) -> None:
    path = sources.write("a.md", "# One")
    sources.write("b.md", "# Two")
    sources.take()
    sources.write("a.md", "# One and more")
    real = spool.Spooler.spool

    def turn(self: spool.Spooler, name: str, redact: None) -> spool.Spooled:
        path.unlink()
        become(path)
        return real(self, name, redact)

    monkeypatch.setattr(spool.Spooler, "spool", turn)
    opened = sum(1 for _ in Path("/dev/fd").iterdir())
    sources.take()
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == opened
    held = sources.inventory()
    assert (held["a.md"]["decision"], held["a.md"]["code"]) == ("failed", "FILE_CHANGED")
    assert held["a.md"]["version_id"] is not None and held["b.md"]["decision"] == "skip"


def test_a_file_whose_folder_becomes_a_file_is_gone(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sources.write("sub/a.md", "# One")
    real = spool.Spooler.spool

    def turn(self: spool.Spooler, name: str, redact: None) -> spool.Spooled:
        path.unlink()
        path.parent.rmdir()
        path.parent.touch()
        return real(self, name, redact)

    monkeypatch.setattr(spool.Spooler, "spool", turn)
    sources.take()
    assert sources.inventory() == {}


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
