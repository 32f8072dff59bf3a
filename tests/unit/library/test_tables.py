"""Tables on disk, and recomputing only what changed."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.incremental import run_incremental
from rag_query.contracts.tables import LINKS
from rag_query.library.home import Home
from rag_query.library.tables import TableStore, data_version


def _links(versions: Sequence[str], text: str = "t") -> pa.Table:
    rows = [
        {
            "doc_id": "doc",
            "version_id": version,
            "kind": "link",
            "text": f"{text} {number}",
            "target_uri": f"file://r/{number}",
            "weight": 1.0,
        }
        for version in versions
        for number in range(2)
    ]
    return pa.Table.from_pylist(rows, schema=LINKS)


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    return TableStore(Home.resolve(tmp_path))


def test_equal_rows_are_one_file_and_are_not_written_twice(store: TableStore) -> None:
    first = store.write("links", "s00", _links(["a"]), {"a": "1"})
    again = store.write("links", "s00", _links(["a"]), {"a": "1"})
    assert first.changed
    assert not again.changed
    assert first.file == again.file
    assert store.read("links", "s00").equals(_links(["a"]))
    assert store.read("links", "s01").schema.equals(LINKS)


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_slice_has_the_version_of_its_rows(start: int, length: int) -> None:
    table = _links(["a", "b", "c"])
    piece = table.slice(start, length)
    rebuilt = pa.Table.from_pylist(piece.to_pylist(), schema=LINKS)
    assert data_version(piece) == data_version(rebuilt)


def test_only_changed_versions_are_computed_and_lost_ones_dropped(store: TableStore) -> None:
    asked: list[list[str]] = []

    def compute(versions: Sequence[str]) -> pa.Table:
        asked.append(list(versions))
        return _links([v for v in versions if v != "empty"])

    def run(wanted: dict[str, str]) -> tuple[int, int, int, bool]:
        result = run_incremental(store, "links", "s00", wanted, compute)
        return result.computed, result.unchanged, result.dropped, result.written

    assert run({"a": "1", "b": "1", "empty": "1"}) == (3, 0, 0, True)
    assert run({"a": "1", "b": "1", "empty": "1"}) == (0, 3, 0, False)
    assert run({"a": "1", "b": "2", "empty": "1", "c": "1"}) == (2, 2, 0, True)
    assert asked[-1] == ["b", "c"]
    assert run({"c": "1", "empty": "1"}) == (0, 2, 2, True)
    assert set(store.read("links", "s00")["version_id"].to_pylist()) == {"c"}
    assert run({}) == (0, 0, 2, True)
    assert store.read("links", "s00").num_rows == 0


def test_rows_come_in_the_order_of_the_versions_wanted(store: TableStore) -> None:
    run_incremental(store, "links", "s00", {"b": "1"}, _links)
    run_incremental(store, "links", "s00", {"a": "1", "b": "1", "c": "1"}, _links)
    assert store.read("links", "s00")["version_id"].to_pylist() == ["a", "a", "b", "b", "c", "c"]


def test_a_file_of_a_killed_write_is_never_the_head(store: TableStore, tmp_path: Path) -> None:
    store.write("links", "s00", _links(["a"]))
    folder = tmp_path / "tables" / "links" / "s00"
    (folder / ".tmp-0-x.parquet").write_bytes(b"cut")
    assert store.read("links", "s00").num_rows == 2
