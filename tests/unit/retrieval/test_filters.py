"""Conditions cannot be broken out of, whatever their values hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.filters import Filters
from rag_query.retrieval.filters import MATRIX, compile_filters


def test_every_filter_has_one_row_in_the_matrix() -> None:
    assert sorted(row.field for row in MATRIX) == sorted(Filters.model_fields)


def test_only_the_latest_versions_match_unless_others_are_asked_for() -> None:
    assert compile_filters(Filters()).where == "(is_latest)"
    everything = compile_filters(Filters(version="all"))
    assert (everything.where, everything.must, everything.fields) == ("", (), ())


@given(st.text(min_size=1, max_size=20))
def test_quotes_are_escaped(value: str) -> None:
    where = compile_filters(Filters(collection=[value], version="all")).where
    inner = where.removeprefix("(collection IN ('").removesuffix("'))")
    assert inner.replace("''", "").count("'") == 0
    assert inner.replace("''", "'") == value
