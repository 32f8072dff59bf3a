"""What is published, as ``CURRENT`` says it, whatever lies there."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import (
    Bm25Part,
    EmbeddingSpace,
    SnapshotManifest,
    TableFile,
    VectorPart,
)
from rag_query.library.home import Home
from rag_query.library.lance import tag_file, version_file
from rag_query.library.manifests import (
    current_number,
    load_manifest,
    missing_parts,
    pin,
    pins,
    snapshot_numbers,
    unpin,
)

SPACE = EmbeddingSpace(
    space_id="s", embedder_id="e", embedder_version="1", text_norm_profile_id="n", dimensions=1
)


def manifest(number: int) -> SnapshotManifest:
    table = TableFile(path="tables/chunks/00.parquet", rows=1, data_version="0")
    vector = VectorPart(
        path="lance",
        table="space",
        version=3,
        tag="s1",
        rows=1,
        space=SPACE,
        probe_text="p",
        probe_vector=[1.0],
    )
    return SnapshotManifest(
        number=number,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        library_id="lib",
        run_id=None,
        shards=["00"],
        strategy_config_id="c",
        strategy={},
        profile_ids={},
        tables={"chunks": {"00": table}},
        vector=vector,
        bm25=Bm25Part(path="bm25/g000001", rows=1, analysis_profile_id="a"),
        counts={},
    )


def publish(home: Home, number: int) -> SnapshotManifest:
    """The manifest, written as publication writes it, and a file for each part it names."""
    made = manifest(number)
    home.snapshots.mkdir(exist_ok=True)
    home.snapshot_file(number).write_text(made.model_dump_json())
    for file in parts(home):
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".parquet":
            pq.write_table(pa.table({"n": [1]}), file)
        else:
            file.touch()
    return made


def parts(home: Home) -> dict[Path, str]:
    """File -> the part of the snapshot that is lost with it."""
    return {
        home.root / "tables/chunks/00.parquet": "chunks/00",
        home.root / "bm25/g000001/meta.json": "bm25",
        version_file(home, "space", 3): "vector",
        tag_file(home, "space", "s1"): "vector",
    }


def test_the_number_is_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert current_number(home) is None
    home.current.write_text("12\n")
    assert current_number(home) == 12


@pytest.mark.parametrize("held", [b"\xff\xfe", b"", b"-3", b"1_0", b"9" * 5000, "１".encode()])
def test_a_current_without_a_number_is_a_damaged_snapshot(tmp_path: Path, held: bytes) -> None:
    home = Home(tmp_path)
    home.current.write_bytes(held)
    with pytest.raises(ExcerptaError) as caught:
        current_number(home)
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED


def test_a_current_that_cannot_be_read_is_a_damaged_snapshot(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.current.mkdir()
    with pytest.raises(ExcerptaError) as caught:
        current_number(home)
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED
    assert str(tmp_path) not in str(caught.value)
    assert "it holds no number" not in str(caught.value)


def test_a_snapshot_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(ExcerptaError) as caught:
        load_manifest(home, 2)
    assert caught.value.code is ErrorCode.SNAPSHOT_NOT_FOUND
    assert caught.value.hint == "Snapshots of this library: none."
    for number in (10, 9, 3):
        publish(home, number)
    (home.snapshots / "draft.json").touch()
    assert snapshot_numbers(home) == [3, 9, 10]
    assert load_manifest(home, 10) == manifest(10)
    with pytest.raises(ExcerptaError) as caught:
        load_manifest(home, 2)
    assert caught.value.hint == "Snapshots of this library: 3, 9, 10."


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("{", ErrorCode.SNAPSHOT_DAMAGED),
        ('{"manifest_version": 1}', ErrorCode.SNAPSHOT_DAMAGED),
        ('{"manifest_version": 2, "shape": "unknown"}', ErrorCode.LIBRARY_INCOMPATIBLE),
    ],
)
def test_a_damaged_manifest_is_told_from_another_programs(
    tmp_path: Path, written: str, code: ErrorCode
) -> None:
    home = Home(tmp_path)
    home.snapshots.mkdir()
    home.snapshot_file(1).write_text(written)
    with pytest.raises(ExcerptaError) as caught:
        load_manifest(home, 1)
    assert caught.value.code is code


@pytest.mark.parametrize("at", range(4))
def test_a_lost_part_of_a_snapshot_is_named(tmp_path: Path, at: int) -> None:
    home = Home(tmp_path)
    made = publish(home, 1)
    assert missing_parts(home, made) == []
    file, part = list(parts(home).items())[at]
    file.unlink()
    assert missing_parts(home, made) == [part]


def test_a_table_that_holds_something_else_is_missing(tmp_path: Path) -> None:
    home = Home(tmp_path)
    made = publish(home, 1)
    (home.root / "tables/chunks/00.parquet").write_bytes(b"PAR1 something else PAR1")
    assert missing_parts(home, made) == ["chunks/00"]


def test_a_snapshot_without_an_index_misses_none(tmp_path: Path) -> None:
    home = Home(tmp_path)
    made = publish(home, 1).model_copy(update={"bm25": None, "vector": None})
    for file, part in parts(home).items():
        if part in ("bm25", "vector"):
            file.unlink()
    assert missing_parts(home, made) == []


def test_a_pin_holds_until_it_is_let_go_of(tmp_path: Path) -> None:
    home = Home(tmp_path)
    publish(home, 1)
    pin(home, "session-1", 1)
    assert pins(home) == {"session-1": 1}
    unpin(home, "session-1")
    unpin(home, "session-1")
    assert pins(home) == {}


@pytest.mark.parametrize(
    ("name", "number", "code"),
    [
        ("../CURRENT", 1, ErrorCode.INVALID_ARGUMENT),
        ("", 1, ErrorCode.INVALID_ARGUMENT),
        ("session-1", 2, ErrorCode.SNAPSHOT_NOT_FOUND),
    ],
)
def test_a_pin_of_no_name_or_no_snapshot_is_refused(
    tmp_path: Path, name: str, number: int, code: ErrorCode
) -> None:
    home = Home(tmp_path)
    publish(home, 1)
    with pytest.raises(ExcerptaError) as caught:
        pin(home, name, number)
    assert caught.value.code is code
    assert pins(home) == {}
