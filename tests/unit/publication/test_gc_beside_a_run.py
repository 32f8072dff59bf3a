"""A clean-up while an ingest runs takes nothing that the ingest has just found to be there."""

from __future__ import annotations

import io
import os
import time
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from PIL import Image

from rag_assets.indexes.rows import input_files
from rag_assets.media.content_store import ContentStore
from rag_assets.publication.gc import GRACE, collect
from rag_assets.publication.serving import serve
from rag_assets.sources.spool import Spooler
from rag_query.contracts.tables import LINKS
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.library.tables import TableStore
from tests.library_builder import open_context, write_tables
from tests.small_documents import SmallDoc


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    create_library(found, shards=1)
    return found


def age(*paths: Path) -> None:
    """Make files older than what the clean-up spares."""
    then = time.time() - (GRACE + timedelta(hours=1)).total_seconds()
    for path in paths:
        os.utime(path, (then, then))


def collect_before_a_head_is_written(
    home: Home, monkeypatch: pytest.MonkeyPatch, writer: str
) -> list[int]:
    """How many tables the clean-ups took that ran just before ``writer`` wrote a head."""
    collected: list[int] = []

    def write(path: Path, data: bytes) -> None:
        collected.append(collect(home, load_settings(home)).files.get("tables", 0))
        path.write_bytes(data)

    monkeypatch.setattr(writer, write)
    return collected


def test_an_image_that_is_stored_already_stays_until_its_row_is_written(home: Home) -> None:
    drawn = io.BytesIO()
    Image.new("RGB", (9, 9)).save(drawn, "PNG")
    store = ContentStore(home, thumb_pixels=64, max_pixels=10**6)
    asset_id = store.put(drawn.getvalue()).asset_id
    files = home.media_file(asset_id), home.thumb_file(asset_id)
    age(*files)
    assert not store.put(drawn.getvalue()).is_new
    collect(home, load_settings(home))
    assert all(path.exists() for path in files)
    age(*files)
    collect(home, load_settings(home))
    assert not any(path.exists() for path in files)
    assert store.put(drawn.getvalue()).is_new


def test_bytes_of_a_source_that_are_held_already_stay(home: Home, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("tea")
    spooler = Spooler(home, 10**6)
    raw = home.raw_file(spooler.spool(str(source)).sha256)
    age(raw)
    spooler.spool(str(source))
    collect(home, load_settings(home))
    spooler.make_durable()
    assert raw.read_bytes() == b"tea"


def test_a_table_that_is_again_what_it_was_has_its_file(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(text: str) -> pa.Table:
        row = {
            "doc_id": "d",
            "version_id": "v",
            "kind": "link",
            "text": text,
            "target_uri": "file://r/1",
            "weight": 1.0,
        }
        return pa.Table.from_pylist([row], schema=LINKS)

    store = TableStore(home)
    first = store.write("links", "s00", rows("a")).file
    store.write("links", "s00", rows("b"))
    age(store.path(first))
    collected = collect_before_a_head_is_written(
        home, monkeypatch, "rag_query.library.tables.write_atomic"
    )
    assert store.write("links", "s00", rows("a")).file == first
    assert collected == [0]
    assert store.read("links", "s00")["text"].to_pylist() == ["a"]


def test_a_served_table_that_is_again_what_it_was_has_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = open_context(tmp_path / "served", shards=1)
    write_tables(ctx, [SmallDoc("a.md", "# Tea\n\nGreen tea.")])
    files = input_files(ctx.store, "s00")
    first = serve(ctx.home, ctx.store, "s00", files)
    (ctx.store.path(first).parent / "head.json").unlink()
    age(ctx.store.path(first))
    collected = collect_before_a_head_is_written(
        ctx.home, monkeypatch, "rag_assets.publication.serving.write_atomic"
    )
    assert serve(ctx.home, ctx.store, "s00", files) == first
    assert collected == [0] and ctx.store.path(first).exists()
