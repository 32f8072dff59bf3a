"""Looking chunks up by id in mapped files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_query.contracts.tables import SERVING
from rag_query.library.served import Anchor, ServedChunks

_DIGITS = st.text("0123456789abcdef", min_size=2, max_size=2)


def row(chunk: str, version: int) -> dict[str, object]:
    values: dict[str, object] = {}
    for field in SERVING:
        if field.nullable:
            values[field.name] = None
        elif pa.types.is_list(field.type):
            values[field.name] = []
        elif pa.types.is_string(field.type):
            values[field.name] = field.name
        else:
            values[field.name] = False if pa.types.is_boolean(field.type) else 0
    return values | {
        "chunk_id": chunk,
        "version_id": f"ver_{version}",
        "version_no": version,
        "chunk_text": f"{chunk} {version}",
        "anchors": [{"char_start": 0, "char_end": 1, "page": version, "x0": 0.5}],
    }


def served(folder: Path, files: list[list[tuple[str, int]]], batch: int = 3) -> ServedChunks:
    paths = []
    for number, content in enumerate(files):
        ordered = sorted(content, key=lambda pair: (pair[0], -pair[1]))
        rows = pa.Table.from_pylist([row(*pair) for pair in ordered], SERVING)
        path = folder / f"{number}.arrow"
        with pa.ipc.new_file(path, SERVING) as writer:
            writer.write_table(rows, max_chunksize=batch)
        paths.append(path)
    return ServedChunks(paths)


def chunk(digits: str) -> str:
    # The key is the first 16 digits, so ids that differ only after them collide.
    return f"chk_{digits[0] * 16}{digits[1] * 8}"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(_DIGITS, st.sets(st.integers(1, 4), min_size=1), max_size=12),
    st.lists(_DIGITS, max_size=8),
    st.integers(1, 4),
)
def test_lookup_is_that_of_a_dictionary(
    tmp_path: Path, content: dict[str, set[int]], asked: list[str], version: int
) -> None:
    files: list[list[tuple[str, int]]] = [[], [], []]
    for digits, versions in content.items():
        files[int(digits[0], 16) % 3] += [(chunk(digits), v) for v in versions]
    table = served(tmp_path, files)
    assert len(table) == sum(map(len, content.values()))
    wanted = [(d, max(content[d])) for d in asked if d in content]
    found = table.get([chunk(d) for d in asked])
    assert [(c.chunk_id, c.version_no) for c in found] == [(chunk(d), v) for d, v in wanted]
    found = table.get([chunk(d) for d in asked], f"ver_{version}")
    assert [c.chunk_id for c in found] == [
        chunk(d) for d in asked if version in content.get(d, set())
    ]
    whole = table.of_version(f"ver_{version}", ["chunk_id"])["chunk_id"].to_pylist()
    assert sorted(whole) == sorted(chunk(d) for d, held in content.items() if version in held)
    for digits, versions in content.items():
        assert table.versions(chunk(digits)) == [f"ver_{v}" for v in sorted(versions, reverse=True)]


def test_all_columns_come_back(tmp_path: Path) -> None:
    table = served(tmp_path, [[(chunk("ab"), 2), (chunk("ab"), 1)]])
    (found,) = table.get([chunk("ab")])
    assert found.chunk_text == f"{chunk('ab')} 2"
    assert found.anchors == [Anchor(0, 1, 2, 0.5, None, None, None)]
    assert found.page_start is None and found.tags == []
    names = ["chunk_text", "version_no"]
    assert table.rows([chunk("ab")], columns=names).column_names == names
    cells = table.cells([chunk("cd"), chunk("ab")], [*names, "created_at"])
    assert cells == [(found.chunk_text, 2, found.created_at)]


@pytest.mark.parametrize(
    "unknown", ["", "chk_", "chk_xyz", "chk_" + "g" * 24, "chk_-" + "1" * 23, "chk_" + "0" * 24]
)
def test_unknown_ids_are_left_out(tmp_path: Path, unknown: str) -> None:
    table = served(tmp_path, [[(chunk("ab"), 1)]])
    assert table.get([unknown, chunk("ab")])[0].chunk_id == chunk("ab")
    assert table.get([unknown]) == []
    assert served(tmp_path, []).get([unknown]) == []
    assert served(tmp_path, [[]]).rows([unknown]).num_rows == 0


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        ServedChunks([tmp_path / "missing.arrow"])
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1 but not really" * 10)
    with pytest.raises((OSError, pa.ArrowException)):
        ServedChunks([tmp_path / "bad.arrow"])
    with pytest.raises(ValueError):
        served(tmp_path, [[("chk_short", 1)]])


def test_files_of_earlier_snapshots_lack_what_is_read_by_ocr(tmp_path: Path) -> None:
    earlier = pa.schema([field for field in SERVING if not field.name.startswith("ocr_")])
    path = tmp_path / "old.arrow"
    with pa.ipc.new_file(path, earlier) as writer:
        writer.write_table(
            pa.Table.from_pylist([row(chunk("ab"), 1)], SERVING).select(earlier.names)
        )
    opened = ServedChunks([path])
    (found,) = opened.get([chunk("ab")])
    assert (found.ocr_text, found.ocr_anchors) == (None, [])
    assert found.places == found.anchors
    assert opened.rows([chunk("ab")], columns=["ocr_text"])["ocr_text"].to_pylist() == [None]


def test_an_id_may_name_its_version(tmp_path: Path) -> None:
    chunk = f"chk_{'a' * 24}"
    table = served(tmp_path, [[(chunk, 1), (chunk, 2)]])
    assert [c.version_no for c in table.get([f"{chunk}@ver_1", chunk])] == [1, 2]
    assert table.get([f"{chunk}@ver_3"]) == []
