"""Traces that are to leave nothing go, from lines and from Parquet, while others are written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_query.library.home import Home
from rag_query.tracing import forgetting
from rag_query.tracing.compaction import compact_traces
from rag_query.tracing.files import parquet_files
from rag_query.tracing.forgetting import forget_traces
from rag_query.tracing.lines import ReadCounts
from rag_query.tracing.reader import read_traces
from rag_query.tracing.store import TraceStore
from tests.unit.tracing.test_store import NOW, home, ids, trace, write

__all__ = ["home"]

SECRET = "zanzibarite"
#: Lines of a day that is over go once they are compacted; those of this one stay.
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def secret(number: int) -> dict[str, object]:
    return trace(number, replay={"plan": {"queries": [{"text": f"the {SECRET} {number}"}]}})


def names(line: bytes) -> bool:
    return SECRET.encode() in line


def stored(home: Home) -> bytes:
    lines = b"".join(p.read_bytes() for p in home.traces.rglob("*") if p.is_file())
    rows = "".join(str(pq.read_table(path).to_pylist()) for path in parquet_files(home))
    return lines + rows.encode()


@settings(max_examples=30)
@given(
    parts=st.lists(
        st.tuples(st.lists(st.booleans(), max_size=4), st.booleans()), min_size=1, max_size=4
    )
)
def test_what_is_named_goes_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[list[bool], bool]]
) -> None:
    home = Home(tmp_path_factory.mktemp("forgetting"))
    kept, gone = set(), set()
    for part, (kinds, compacted) in enumerate(parts):
        for number, hidden in enumerate(kinds, start=part * 10):
            day = TODAY if number % 2 else "2026-03-10"
            write(home, secret(number) if hidden else trace(number), day=day)
            (gone if hidden else kept).add(number)
        if compacted:
            compact_traces(home, now=NOW)
    store = TraceStore(home)
    assert set(ids(store)) == kept | gone
    assert forget_traces(home, names) == len(gone)
    assert SECRET.encode() not in stored(home)
    # In a process that had read them as well, and when all is compacted again.
    assert set(ids(store)) == set(ids(TraceStore(home))) == kept
    assert forget_traces(home, names) == 0
    compact_traces(home, now=NOW)
    assert sorted(ids(TraceStore(home))) == sorted(kept)
    assert {int(t.trace_id[4:], 16) for t in read_traces(home, "query")} == kept
    for number in kept | gone:
        assert (store.get(f"trc_{number:032x}") is None) == (number in gone)


def test_a_line_that_is_appended_meanwhile_is_kept(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, trace(1), secret(2), trace(3), day=TODAY)
    overwrite = forgetting._overwrite

    def meanwhile(*at: int) -> None:
        write(home, trace(4), day=TODAY)
        overwrite(*at)
        write(home, trace(5), day=TODAY)

    monkeypatch.setattr(forgetting, "_overwrite", meanwhile)
    assert forget_traces(home, names) == 1
    assert SECRET.encode() not in stored(home)
    assert ids(TraceStore(home)) == [1, 3, 4, 5]


def test_every_line_of_a_file_is_json_after_a_deletion(home: Home) -> None:
    path = write(home, trace(1), secret(2), trace(3), day=TODAY)
    size = path.stat().st_size
    forget_traces(home, names)
    assert path.stat().st_size == size
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines[1] == {"deleted": True} and [line.get("trace_type") for line in lines] == [
        "query", None, "query",
    ]  # fmt: skip


def test_a_line_that_goes_before_it_is_compacted_is_read_by_nobody(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(home, trace(1), secret(2), trace(3), day=TODAY)
    with monkeypatch.context() as patch:
        # As if the line had been appended while what was there went into Parquet.
        patch.setattr(forgetting, "compact_traces", lambda _: None)
        assert forget_traces(home, names) == 1
    assert [int(t.trace_id[4:], 16) for t in read_traces(home, "query")] == [3, 1]
    assert ids(TraceStore(home)) == [1, 3]
    assert compact_traces(home, now=NOW).counts == ReadCounts(lines=2)
    assert ids(TraceStore(home)) == [1, 3] and not caplog.records


def test_killed_in_the_middle_the_next_call_finishes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, trace(1), secret(2), day=TODAY)
    compact_traces(home, now=NOW)
    write(home, secret(3), day=TODAY)
    path = write(home, b'{"trace_id": "trc_cut", "text": "' + SECRET.encode(), day=TODAY)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    def halfway(handle: int, start: int, length: int) -> None:
        overwrite(handle, start, length // 2)
        raise KeyboardInterrupt

    overwrite = forgetting._overwrite
    for name, breaks_off in (("_overwrite", halfway), ("_rewrite", killed)):
        with monkeypatch.context() as patch:
            patch.setattr(forgetting, name, breaks_off)
            with pytest.raises(KeyboardInterrupt):
                forget_traces(home, names)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            forget_traces(home, names)
    # Killed by the system, it does not even take its own file away.
    (home.traces / "parquet" / "query" / ".tmp-1-left.parquet").write_bytes(SECRET.encode())
    forget_traces(home, names)
    assert SECRET.encode() not in stored(home)
    assert ids(TraceStore(home)) == [1]
    assert [p.name for p in home.traces.rglob(".tmp-*")] == []
    # The process whose line was not at its end goes on.
    with path.open("ab") as file:
        file.write(b'"}\n')
    write(home, trace(4), day=TODAY)
    assert ids(TraceStore(home)) == [1, 4]


def test_a_library_without_traces_stays_without(home: Home) -> None:
    assert forget_traces(home, names) == 0
    assert not home.traces.exists()
