"""Nearest vectors in memory: exact for small tables, measured for large ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from rag_query.library import vectors
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
    assert (len(matrix), matrix.coded) == (ROWS - 10, False)
    for number in range(50, 60):
        asked = question(rows, number)
        ids, scores = matrix.search(asked * 3, 20)
        assert ids[0] == f"chk_{number}"
        np.testing.assert_allclose(scores, wanted(rows, asked, 20), atol=1e-6)


def test_a_large_table_is_searched_by_codes_first(
    rows: NDArray[np.float32], table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 100)
    monkeypatch.setattr(vectors, "LOOKED_AT", 80)
    matrix = VectorMatrix(table, DIMENSIONS)
    assert matrix.coded
    found = 0
    for number in range(50, 90):
        asked = question(rows, number)
        ids, scores = matrix.search(asked, 10)
        exact = wanted(rows, asked, 10)
        assert ids[0] == f"chk_{number}"
        assert scores[0] == pytest.approx(exact[0], abs=1e-3)
        found += int(np.count_nonzero(scores >= exact[-1] - 1e-3))
    assert found / 400 >= 0.99


def test_vectors_that_no_code_tells_apart_are_compared_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 100)
    monkeypatch.setattr(vectors, "LOOKED_AT", 40)
    # What differs between rows is far smaller than the few components that lie far apart.
    made = np.random.default_rng(1).standard_normal((2000, 256)).astype(np.float32)
    made[:, :3] += np.random.default_rng(2).choice([-2000, 2000], (2000, 3))
    held = pa.table(
        {
            "chunk_id": [f"chk_{n}" for n in range(2000)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), 256),
        }
    )
    matrix = VectorMatrix(connect(tmp_path).create_table("t", held), 256)
    assert not matrix.coded
    ids, _ = matrix.search(made[77], 300)
    assert "chk_77" in ids


@pytest.mark.parametrize("k", [1, 10, 400, 20_000])
def test_the_highest_scores_are_found_among_many(k: int) -> None:
    random = np.random.default_rng(3)
    for scores in (
        random.standard_normal(20_000).astype(np.float32),
        # The sampled ones are low, and then nearly all are the same.
        np.where(np.arange(20_000) % 16 == 0, 0, random.random(20_000)).astype(np.float32),
        np.where(np.arange(20_000) % 16 == 0, 1, random.random(20_000)).astype(np.float32),
        np.ones(20_000, np.float32),
    ):
        best = vectors._top(scores, k)
        assert len(set(best.tolist())) == k
        np.testing.assert_array_equal(np.sort(scores[best]), np.sort(scores)[-k:])


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
