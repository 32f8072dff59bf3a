"""The data version of rows depends on the rows alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.columns import ANCHOR
from rag_query.library.row_digest import RowDigest, data_version

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("number", pa.int32()),
        ("share", pa.float32()),
        ("yes", pa.bool_()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("words", pa.list_(pa.string())),
        ("places", pa.list_(ANCHOR)),
        ("vector", pa.list_(pa.float32(), 2)),
    ]
)
PLACE = {"char_start": 1, "char_end": 2, "page": 3, "x0": None, "y0": 1.0, "x1": 2.0, "y1": 3.0}


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


ROW = st.fixed_dictionaries(
    {
        "text": maybe(st.text(max_size=3)),
        "number": maybe(st.integers(0, 3)),
        "share": maybe(st.just(0.5)),
        "yes": maybe(st.booleans()),
        "at": maybe(st.just(datetime(2026, 1, 1, tzinfo=UTC))),
        "words": maybe(st.lists(maybe(st.text(max_size=2)), max_size=2)),
        "places": maybe(st.lists(st.just(PLACE), max_size=2)),
        "vector": maybe(st.just([1.0, 0.0])),
    }
)


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@given(st.lists(ROW, max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_pieces_have_the_version_of_the_whole(
    rows: list[dict[str, Any]], first: int, length: int
) -> None:
    whole = table(rows)
    digest = RowDigest(SCHEMA)
    for piece in (whole.slice(0, first), whole.slice(first, length), whole.slice(first + length)):
        digest.update(piece)
    assert digest.hexdigest() == data_version(whole)
    assert data_version(whole.slice(first, length)) == data_version(
        table(rows[first : first + length])
    )


@given(st.lists(ROW, max_size=4), st.lists(ROW, max_size=4))
def test_other_rows_have_another_version(
    rows: list[dict[str, Any]], others: list[dict[str, Any]]
) -> None:
    assert (data_version(table(rows)) == data_version(table(others))) == (rows == others)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["ab", "c"], ["a", "bc"]),
        ([None, ""], ["", None]),
        (["a", None], ["a"]),
    ],
)
def test_borders_and_nulls_are_part_of_it(one: list[str | None], other: list[str | None]) -> None:
    first, second = (pa.table({"text": pa.array(texts, pa.string())}) for texts in (one, other))
    assert data_version(first) != data_version(second)


def test_names_and_types_are_part_of_it() -> None:
    numbers = pa.array([1, 2], pa.int32())
    versions = {
        data_version(pa.table({"a": numbers})),
        data_version(pa.table({"b": numbers})),
        data_version(pa.table({"a": numbers.cast(pa.int64())})),
    }
    assert len(versions) == 3
