"""The schema both sides share: exact terms, prefixes of any text."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_query.contracts.filters import MAX_PREFIX_CHARS
from rag_query.library import bm25_schema

_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
)


def index_of(folder: Path, values: list[str]) -> tantivy.Index:
    index = bm25_schema.create_index(folder)
    writer = index.writer(16_000_000, 1)
    for number, value in enumerate(values):
        fields = {"chunk_id": [str(number)], "section_path": [value], "body": ["tea"]}
        writer.add_document(tantivy.Document.from_dict(fields, index.schema))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def matches(index: tantivy.Index, query: tantivy.Query) -> set[str]:
    searcher = index.searcher()
    return {searcher.doc(a)["chunk_id"][0] for _, a in searcher.search(query, 100).hits}


@settings(max_examples=25, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=5), _TEXT)
def test_a_prefix_query_is_a_prefix(values: list[str], prefix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = index_of(Path(folder), values)
        for wanted in (prefix, values[0], values[0][:1]):
            expected = {str(n) for n, value in enumerate(values) if value.startswith(wanted)}
            assert matches(index, bm25_schema.prefix_query("section_path", wanted)) == expected


def test_a_prefix_may_be_as_long_as_a_filter_takes(tmp_path: Path) -> None:
    varied = "".join(chr(0x4E00 + number) for number in range(MAX_PREFIX_CHARS))
    same = "汉" * MAX_PREFIX_CHARS
    index = index_of(tmp_path, [varied + "一", varied[:-1], same + " / 字", same[:-1] + "字"])
    for prefix, found in ((varied, {"0"}), (varied[:-1], {"0", "1"}), (same, {"2"})):
        assert matches(index, bm25_schema.prefix_query("section_path", prefix)) == found


def test_fields_are_those_of_an_index_row(tmp_path: Path) -> None:
    from rag_query.contracts.tables import INDEX_ROW

    fields = {
        bm25_schema.CHUNK_ID,
        *bm25_schema.TERM_FIELDS,
        *bm25_schema.BOOLEAN_FIELDS,
        *bm25_schema.INTEGER_FIELDS,
    }
    # A section is found by its path; the hash is the factory's own.
    assert fields == set(INDEX_ROW.names) - {"section_id", "row_hash"}


def test_moments_are_microseconds_whatever_the_zone() -> None:
    moment = datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC)
    elsewhere = moment.astimezone(timezone(timedelta(hours=8)))
    assert bm25_schema.to_micros(moment) == bm25_schema.to_micros(elsewhere)
    assert bm25_schema.to_micros(moment) % 1_000_000 == 1


@pytest.mark.parametrize("writable", [True, False])
def test_an_index_is_searched_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    folder, temporary = tmp_path / "g000001", tmp_path / "temporary"
    for made in (folder, temporary):
        made.mkdir()
    index = bm25_schema.create_index(folder)
    writer = index.writer()
    writer.add_document(
        tantivy.Document(chunk_id="chk_1", body="green tea is steamed", page_start=7)
    )
    writer.commit()
    writer.wait_merging_threads()
    for lock in folder.glob(".tantivy-*.lock"):
        lock.unlink()
    before = {path.name for path in folder.iterdir()}
    # Of a superuser, and so perhaps of whoever runs this, os.access says otherwise.
    monkeypatch.setattr(os, "access", lambda *_: writable)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    searcher = bm25_schema.open_searcher(folder)
    assert ({path.name for path in folder.iterdir()} == before) is not writable
    assert list(temporary.iterdir()) == []
    for query in (
        tantivy.Query.phrase_query(index.schema, "body", ["green", "tea"]),
        tantivy.Query.range_query(index.schema, "page_start", tantivy.FieldType.Integer, 7, 7),
        bm25_schema.prefix_query("body", "stea"),
    ):
        ((_, address),) = searcher.search(query).hits
        assert searcher.doc(address)["chunk_id"] == ["chk_1"]


def test_no_index_to_search_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises((ValueError, OSError)):
            bm25_schema.open_searcher(folder)


def test_a_missing_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        bm25_schema.open_index(tmp_path)
