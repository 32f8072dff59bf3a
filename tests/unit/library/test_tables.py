"""Tables on disk, and recomputing only what changed."""

import errno
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.incremental import GROUP_BYTES, run_incremental
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.tables import LINKS
from rag_query.library import tables
from rag_query.library.home import Home
from rag_query.library.row_digest import data_version
from rag_query.library.tables import TableStore


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


def test_columns_come_in_the_order_asked_and_go_in_any(store: TableStore) -> None:
    rows = _links(["a"])
    store.write("links", "s00", rows)
    shuffled = rows.select(rows.column_names[::-1])
    assert not store.write("links", "s00", shuffled).changed
    columns = ["weight", "doc_id"]
    assert store.read("links", "s00", columns).column_names == columns
    assert store.read("links", "s01", columns).column_names == columns
    assert store.read("embeddings", "s00").num_rows == 0


@pytest.mark.parametrize("by_pieces", [False, True])
def test_what_equal_rows_were_made_from_is_kept_up_to_date(
    store: TableStore, by_pieces: bool
) -> None:
    def write(text: str, inputs: dict[str, str]) -> bool:
        if not by_pieces:
            return store.write("links", "s00", _links(["a"], text), inputs).changed
        with store.writer("links", "s00") as writer:
            writer.add(_links(["a"], text))
            return writer.finish(inputs).changed

    assert write("t", {"a": "1"})
    for text, inputs, changed in (
        ("t", {"a": "1"}, False),
        ("t", {"a": "2"}, False),
        ("u", {"a": "2"}, True),
    ):
        assert write(text, inputs) is changed
        head = store.head("links", "s00")
        assert head is not None and head.inputs == inputs
        assert store.read("links", "s00").equals(_links(["a"], text))


def test_a_row_group_is_no_larger_than_what_is_read_at_once(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _links([f"v{number}" for number in range(10)])
    monkeypatch.setattr(tables, "_GROUP_BYTES", rows.nbytes // 4)
    with store.writer("links", "s00") as writer:
        for start in range(0, 20, 2):
            writer.add(rows.slice(start, 2))
        file = writer.finish().file
    groups = pq.read_metadata(store.path(file)).num_row_groups
    assert 4 <= groups < 10
    assert store.read("links", "s00").equals(rows)


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


def test_versions_are_computed_in_groups_of_neighbours_by_size(store: TableStore) -> None:
    asked: list[list[str]] = []

    def compute(versions: Sequence[str]) -> pa.Table:
        asked.append(list(versions))
        return _links([v for v in versions if v != "empty"])

    sizes = {"a": 1, "b": GROUP_BYTES, "c": 1, "empty": 1, "d": GROUP_BYTES * 2}
    wanted = dict.fromkeys(["a", "b", "c", "empty", "d"], "1")
    run_incremental(store, "links", "s00", wanted, compute, sizes=sizes)
    assert asked == [["a"], ["b"], ["c", "empty"], ["d"]]
    assert store.read("links", "s00").equals(_links(["a", "b", "c", "d"]))
    whole = run_incremental(store, "links", "s01", wanted, lambda _: _links(["a", "b", "c", "d"]))
    assert store.heads("links")["s00"].data_version == whole.data_version

    asked.clear()
    wanted = {"d": "1", "new": "1", "b": "2", "a": "1"}
    result = run_incremental(store, "links", "s00", wanted, compute, sizes=sizes)
    assert (result.computed, result.unchanged, result.dropped) == (2, 2, 2)
    assert asked == [["new"], ["b"]]
    assert store.read("links", "s00")["version_id"].unique().to_pylist() == list(wanted)


def test_some_versions_are_read_from_many_row_groups(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_GROUP_ROWS", 3)
    names = [f"v{number}" for number in range(10)]
    file = store.write("links", "s00", _links(names)).file
    assert pq.read_metadata(store.path(file)).num_row_groups == 7
    stored = store.versions("links", "s00", ["text", "version_id"])
    for chosen in (["v0"], ["v3", "v4"], ["v9", "v1", "gone"], names, []):
        rows = stored.of(chosen)
        assert rows.column_names == ["text", "version_id"]
        expected = [v for v in names if v in chosen for _ in range(2)]
        assert rows["version_id"].to_pylist() == expected
    assert store.versions("links", "s01", ["text"]).of(["v0"]).schema.names == ["text"]


def test_what_was_not_finished_leaves_nothing(store: TableStore) -> None:
    with pytest.raises(pa.ArrowInvalid), store.writer("links", "s00") as writer:
        writer.add(_links(["a"]))
        writer.add(_links(["b"]).set_column(9, "weight", pa.array(["x", "y"])))
    assert store.head("links", "s00") is None
    assert list(store.folder("links", "s00").iterdir()) == []


def test_a_table_that_may_not_be_read_is_named(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write("links", "s00", _links(["v1"]))

    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ExcerptaError) as caught:
        store.head("links", "s00")
    assert caught.value.message == "The table file tables/links/s00/head.json may not be read."
