"""Corpora: which of their lines are documents, and what becomes of each when the file changes."""

from __future__ import annotations

from tests.unit.sources.conftest import Sources


def test_records(sources: Sources) -> None:
    lines = [
        '\ufeff{"_id": "1", "title": "T", "text": "one"}',
        "",
        "not json",
        '{"_id": 7, "text": "seven"}\r',
        '{"_id": "1", "text": "again"}',
        '{"text": "no id"}',
        '{"_id": "x"}',
        '["list"]',
        '{"_id": "\\ud800", "text": "surrogate"}',
        '{"_id": "last", "text": "one"}',
    ]
    sources.write("c.jsonl", "\n".join(lines))
    sources.take()
    rows = sources.inventory()
    good = [name for name, row in rows.items() if row["decision"] == "continue"]
    assert good == ["c.jsonl#1", "c.jsonl#7", "c.jsonl#last"]
    bad = {name: row["message"] for name, row in rows.items() if row["decision"] == "failed"}
    assert {row["code"] for row in rows.values()} == {None, "BAD_RECORD"}
    assert str(bad["c.jsonl#line 5"]).startswith(
        "Line 5: the _id '1' stands on an earlier line already. "
    )
    assert len(bad) == 6
    seven = rows["c.jsonl#7"]
    raw = sources.home.raw_file(str(seven["raw_sha256"])).read_bytes()
    begin, length = int(str(seven["raw_offset"])), int(str(seven["raw_length"]))
    assert raw[begin : begin + length] == b'{"_id": 7, "text": "seven"}'
    (document,) = sources.documents("7")
    assert (document["external_id"], document["format"]) == ("7", "record")
    assert sources.take().details["failed"] == 6


def test_a_changed_corpus_changes_only_its_changed_records(sources: Sources) -> None:
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n{"_id": "2", "text": "b"}\n')
    sources.take()
    sources.write(
        "c.jsonl",
        '{"_id": "0", "text": "z"}\n{"_id": "1", "text": "a"}\n{"_id": "2", "text": "B"}\n',
    )
    sources.take()
    assert sources.decisions() == {
        "c.jsonl#0": "continue",
        "c.jsonl#1": "skip",
        "c.jsonl#2": "new_version",
    }


def test_a_corpus_that_cannot_be_read_keeps_its_records(sources: Sources) -> None:
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n')
    sources.take()
    sources.write("c.jsonl", "")
    sources.take()
    assert sources.decisions() == {"c.jsonl": "failed", "c.jsonl#1": "skip"}
    sources.write("c.jsonl", '{"_id": "1", "text": "a"}\n')
    sources.take()
    assert sources.decisions() == {"c.jsonl#1": "skip"}


def test_a_corpus_beside_a_large_folder_is_not_read_again(sources: Sources) -> None:
    lines = [f'{{"_id": "{n}", "title": "t", "text": "text {n}"}}' for n in range(5183)]
    sources.write("c.jsonl", "\n".join(lines))
    sources.take()
    for number in range(2000):
        sources.write(f"d{number % 20}/f{number}.md", f"text {number}")
    sources.take()
    assert sources.take().details["unchanged"] == 7183
