"""Nearest vectors in memory: exact for small tables, measured for large ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from rag_query.library import clusters, vectors
from rag_query.library.lance import connect
from rag_query.library.vectors import OnDisk, VectorMatrix, open_vectors

DIMENSIONS = 256
ROWS = 3000


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    """Vectors with the few strong axes that embeddings have; every hundredth is a copy."""
    random = np.random.default_rng(7)
    axes = random.standard_normal((40, DIMENSIONS))
    made = random.standard_normal((ROWS, 40)) @ axes
    made += random.standard_normal((ROWS, DIMENSIONS))
    made[::100] = made[1]
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (made / lengths).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def table(rows: NDArray[np.float32], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Written in two parts with a deletion between, so that row ids are no row numbers."""
    database = connect(tmp_path_factory.mktemp("lance"))

    def part(start: int, end: int) -> pa.Table:
        numbers = range(start, end)
        return pa.table(
            {
                "chunk_id": [f"chk_{number}" for number in numbers],
                "number": list(numbers),
                "vector": pa.FixedSizeListArray.from_arrays(
                    pa.array(rows[start:end].ravel()), DIMENSIONS
                ),
            }
        )

    made = database.create_table("t", part(0, 2000))
    made.delete("number < 10")
    made.add(part(2000, ROWS))
    return made


def wanted(rows: NDArray[np.float32], question: NDArray[np.float32], k: int) -> list[float]:
    return sorted((rows[10:] @ question).tolist(), reverse=True)[:k]


def question(rows: NDArray[np.float32], number: int) -> NDArray[np.float32]:
    noise = np.random.default_rng(number).standard_normal(DIMENSIONS).astype(np.float32)
    made: NDArray[np.float32] = rows[number] + 0.3 * noise / np.linalg.norm(noise)
    return made / np.linalg.norm(made)


def test_a_small_table_is_searched_exactly(rows: NDArray[np.float32], table: Any) -> None:
    matrix = VectorMatrix(table, DIMENSIONS)
    assert (len(matrix), matrix.leading) == (ROWS - 10, DIMENSIONS)
    for number in range(50, 60):
        asked = question(rows, number)
        ids, scores = matrix.search(asked * 3, 20)
        assert ids[0] == f"chk_{number}"
        np.testing.assert_allclose(scores, wanted(rows, asked, 20), atol=1e-6)


def test_a_large_table_is_led_by_few_dimensions(
    rows: NDArray[np.float32], table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 100)
    monkeypatch.setattr(vectors, "LOOKED_AT", 300)
    matrix = VectorMatrix(table, DIMENSIONS)
    assert matrix.leading < DIMENSIONS
    found = 0
    for number in range(50, 90):
        asked = question(rows, number)
        ids, scores = matrix.search(asked, 10)
        exact = wanted(rows, asked, 10)
        assert ids[0] == f"chk_{number}"
        assert scores[0] == pytest.approx(exact[0], abs=1e-3)
        found += int(np.count_nonzero(scores >= exact[-1] - 1e-3))
    assert found / 400 >= 0.99


def test_vectors_without_strong_axes_are_searched_with_all_dimensions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 100)
    monkeypatch.setattr(vectors, "LOOKED_AT", 80)
    monkeypatch.setattr(vectors, "HEAD_WIDTHS", (16, 32))
    made = np.random.default_rng(1).standard_normal((2000, 256)).astype(np.float32)
    held = pa.table(
        {
            "chunk_id": [f"chk_{n}" for n in range(2000)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), 256),
        }
    )
    assert VectorMatrix(connect(tmp_path).create_table("t", held), 256).leading == 256


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "condition",
    [
        ("number >= 2500", range(2500, ROWS)),
        ("number < 2900", range(10, 2900)),
        ("number >= 0", range(10, ROWS)),
        ("number = 77", range(77, 78)),
        ("number < 0", range(0)),
    ],
)
def test_a_condition_is_executed_before_the_search(
    rows: NDArray[np.float32],
    table: Any,
    monkeypatch: pytest.MonkeyPatch,
    large: bool,
    condition: tuple[str, range],
) -> None:
    where, numbers = condition
    if large:
        monkeypatch.setattr(vectors, "EXACT_ROWS", 100)
    matrix = VectorMatrix(table, DIMENSIONS)
    asked = question(rows, 60)
    for _ in range(2):
        ids, scores = matrix.search(asked, 7, where)
        assert len(ids) == len(scores) == min(7, len(numbers))
        assert all(int(chunk[4:]) in numbers for chunk in ids)
        best = sorted((rows[list(numbers)] @ asked).tolist(), reverse=True)[:7]
        np.testing.assert_allclose(scores, best, atol=1e-3)


def test_more_than_there_are(table: Any) -> None:
    ids, scores = VectorMatrix(table, DIMENSIONS).search(np.ones(DIMENSIONS, np.float32), 9999)
    assert len(set(ids)) == ROWS - 10
    assert list(scores) == sorted(scores, reverse=True)


def test_an_impossible_condition_is_an_error(table: Any) -> None:
    with pytest.raises((RuntimeError, ValueError)):
        VectorMatrix(table, DIMENSIONS).search(np.ones(DIMENSIONS, np.float32), 3, "nothing = 1")


def test_only_so_many_conditions_are_remembered(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_REMEMBERED", 2)
    matrix = VectorMatrix(table, DIMENSIONS)
    for number in (50, 60, 50, 70, 60):
        ids, _ = matrix.search(np.ones(DIMENSIONS, np.float32), 3, f"number = {number}")
        assert ids == [f"chk_{number}"]
    assert len(matrix._allowed) == 2


@pytest.fixture
def grouped(table: Any, monkeypatch: pytest.MonkeyPatch) -> VectorMatrix:
    for name, value in (("EXACT_ROWS", 100), ("CLUSTERED_ROWS", 200), ("LOOKED_AT", 100)):
        monkeypatch.setattr(vectors, name, value)
    monkeypatch.setattr(vectors, "PROBED_SHARES", (0.05, 0.25, 0.5, 0.9))
    monkeypatch.setattr(clusters, "ROWS_EACH", 50)
    return VectorMatrix(table, DIMENSIONS)


def test_of_a_very_large_table_a_question_sees_few_clusters(
    rows: NDArray[np.float32], grouped: VectorMatrix
) -> None:
    assert grouped.probed < 1
    found = 0
    for number in range(50, 90):
        asked = question(rows, number)
        ids, scores = grouped.search(asked, 10)
        assert ids[0] == f"chk_{number}"
        assert (np.diff(scores) <= 0).all()
        found += int(np.count_nonzero(scores >= wanted(rows, asked, 10)[-1] - 1e-3))
    assert found / 400 >= 0.98


def test_more_may_be_asked_of_clusters_than_they_hold(grouped: VectorMatrix) -> None:
    everything = len(grouped)
    ids, _ = grouped.search(np.ones(DIMENSIONS, np.float32), everything)
    assert len(set(ids)) == everything


@pytest.mark.parametrize("where", ["chunk_id = 'chk_77'", "chunk_id != 'chk_77'"])
def test_a_condition_holds_for_clusters_too(
    rows: NDArray[np.float32], grouped: VectorMatrix, where: str
) -> None:
    ids, scores = grouped.search(question(rows, 77), 5, where)
    assert ("chk_77" in ids) == ("!=" not in where)
    assert len(ids) == (1 if "!=" not in where else 5)
    assert (np.diff(scores) <= 0).all()


def test_a_table_too_large_for_memory_is_searched_on_disk(
    rows: NDArray[np.float32], table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(open_vectors(table, DIMENSIONS), VectorMatrix)
    monkeypatch.setattr(vectors, "MOST_BYTES", 1000)
    search = open_vectors(table, DIMENSIONS)
    assert isinstance(search, OnDisk)
    asked = question(rows, 60)
    ids, scores = search.search(asked * 2, 10)
    assert ids[0] == "chk_60"
    np.testing.assert_allclose(scores, wanted(rows, asked, 10), atol=1e-5)
    ids, _ = search.search(asked, 10, "chunk_id = 'chk_61'")
    assert ids == ["chk_61"]


def test_equal_rows_give_equal_clusters() -> None:
    made = np.random.default_rng(2).standard_normal((5000, 8)).astype(np.float32)
    first, second = clusters.cluster(made), clusters.cluster(made.copy())
    np.testing.assert_array_equal(first.order, second.order)
    assert sorted(first.order.tolist()) == list(range(5000))
    assert first.starts[-1] == 5000
    (nearest,) = first.nearest(made[7], 1)
    assert 7 in first.order[nearest]
