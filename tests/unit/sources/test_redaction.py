"""Records deleted for good: no store holds them until they are wanted again, and then all do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import pytest

from rag_assets.sources.inventory import take_inventory
from rag_assets.sources.spool import Spooled, Spooler
from rag_query.contracts.tables import ALL
from rag_query.library.deletions import mark_deleted, mark_purged
from rag_query.library.sources import load_sources, register_path
from tests.unit.sources.conftest import Sources

LINES = [
    '{"_id": "1", "text": "The vorpalite hums."}',
    '{"_id": "2", "text": "A cup is small."}',
    '{"_id": "3", "text": "Tea is green."}',
]
CORPUS = "\n".join(LINES)
FIRST = "file://inbox/c.jsonl#1"


def _purge(sources: Sources, *names: str) -> None:
    """Delete for good, the whole run of it."""
    mark_deleted(sources.home, names, hard=True)
    sources.take()
    _finish(sources)


def _finish(sources: Sources) -> None:
    """What publication does once no row holds what was marked."""
    for path in sources.home.raw.glob("*/*"):
        if path.name not in _named(sources):
            path.unlink()
    mark_purged(sources.home, load_sources(sources.home).purge)


def _named(sources: Sources) -> set[str]:
    shards = [("documents", shard) for shard in sources.ctx.settings.shard_names]
    return {
        str(name)
        for table, shard in (("inventory", ALL), *shards)
        for name in sources.ctx.store.read(table, shard, ["raw_sha256"])["raw_sha256"].to_pylist()
    }


def _held(sources: Sources) -> str:
    """Everything that ``raw/`` holds, under whatever name."""
    files = sorted(path for path in sources.home.raw.rglob("*") if path.is_file())
    return "".join(path.read_text() for path in files)


def _texts(sources: Sources) -> dict[str, str]:
    """The bytes of each document that is there, as its row says where they lie."""
    found = {}
    for name, row in sources.inventory().items():
        if row["decision"] in ("continue", "new_version", "skip"):
            data = sources.home.raw_file(str(row["raw_sha256"])).read_bytes()
            begin, length = int(str(row["raw_offset"])), int(str(row["raw_length"]))
            found[name] = data[begin : begin + length].decode()
    return found


def _is_whole(sources: Sources) -> bool:
    """Whether the bytes of every version of every document are held."""
    found = []
    for shard in sources.ctx.settings.shard_names:
        for row in sources.ctx.store.read("documents", shard).to_pylist():
            if row["version_id"] is None:
                continue  # failed
            data = sources.home.raw_file(row["raw_sha256"]).read_bytes()
            data = data[row["raw_offset"] : row["raw_offset"] + row["raw_length"]]
            found.append(sha256(data).hexdigest() == row["file_sha256"])
    return all(found)


@pytest.fixture
def corpus(sources: Sources) -> Path:
    path = sources.write("c.jsonl", CORPUS)
    sources.take()
    return path


@pytest.mark.parametrize("block", [16, None], ids=["streamed", "small"])
def test_a_record_deleted_for_good_comes_back_when_its_corpus_is_ingested_by_name(
    sources: Sources, corpus: Path, monkeypatch: pytest.MonkeyPatch, block: int | None
) -> None:
    if block:
        monkeypatch.setattr("rag_assets.sources.spool.BLOCK_BYTES", block)
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources) and sources.documents("1") == []
    register_path(sources.home, corpus)
    assert sources.take().details["added"] == 1
    assert sources.decisions() == {
        "c.jsonl#1": "continue",
        "c.jsonl#2": "skip",
        "c.jsonl#3": "skip",
    }
    assert list(_texts(sources).values()) == LINES
    (document,) = sources.documents("1")
    assert (document["status"], document["version_no"]) == ("active", 1)


def _touched(sources: Sources) -> None:
    sources.write("c.jsonl", CORPUS).touch()


def _put_first(sources: Sources) -> None:
    sources.write("c.jsonl", f'{{"_id": "0", "text": "New."}}\n{CORPUS}')


def _repeated(sources: Sources) -> None:
    sources.write("c.jsonl", f"{CORPUS}\n{LINES[0]}")


@pytest.mark.parametrize("change", [None, _touched, _put_first, _repeated])
def test_a_record_deleted_for_good_stays_out_of_every_later_scan(
    sources: Sources, corpus: Path, change: Callable[[Sources], None] | None
) -> None:
    _purge(sources, FIRST)
    for _ in range(2):
        if change:
            change(sources)
        assert sources.take().details["failed"] == 0
        assert "vorpalite" not in _held(sources)
        assert "c.jsonl#1" not in _texts(sources)
        assert set(LINES[1:]) <= set(_texts(sources).values())
    register_path(sources.home, corpus)
    sources.take()
    assert _texts(sources)["c.jsonl#1"] == LINES[0]


@pytest.mark.parametrize(
    "line",
    [
        LINES[0],
        '{"_id": "1", "texts": "vorpalite, misspelt"}',
        '{"_id": 1, "text": ["vorpalite"]}',
        '{"_id": "\\u0031", "text": "vorpalite"}',
    ],
)
def test_a_further_line_of_a_record_deleted_for_good_goes_with_it(
    sources: Sources, line: str
) -> None:
    path = sources.write("c.jsonl", f"{CORPUS}\n{line}\nvorpal")
    sources.take()
    assert sources.inventory()["c.jsonl#line 4"]["code"] == "BAD_RECORD"
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources) and _is_whole(sources)
    path.touch()
    sources.take()
    assert "vorpalite" not in _held(sources)
    assert "vorpal" in _held(sources)  # a line that says of no record that it is its
    assert sources.inventory()["c.jsonl#line 5"]["code"] == "BAD_RECORD"


def test_a_record_deleted_softly_first_is_deleted_for_good_likewise(
    sources: Sources, corpus: Path
) -> None:
    mark_deleted(sources.home, [FIRST])
    sources.take()
    assert "vorpalite" in _held(sources)
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources)
    corpus.touch()
    sources.take()
    assert "vorpalite" not in _held(sources)


def test_a_corpus_all_of_whose_records_were_deleted_for_good_is_no_failure(
    sources: Sources, corpus: Path
) -> None:
    _purge(sources, *(f"file://inbox/c.jsonl#{n}" for n in (1, 2, 3)))
    corpus.touch()
    assert sources.take().details["failed"] == 0
    assert _held(sources).strip() == ""
    register_path(sources.home, corpus)
    assert sources.take().details["added"] == 3


def _reads(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many files a run reads."""
    real, read = Spooler.spool, []

    def spool(self: Spooler, path: str, redact: Callable[[BinaryIO], None] | None) -> Spooled:
        read.append(path)
        return real(self, path, redact)

    with monkeypatch.context() as patch:
        patch.setattr(Spooler, "spool", spool)
        sources.take()
    return len(read)


@pytest.mark.parametrize("softly", [None, "3"])
@pytest.mark.parametrize("unread", [None, CORPUS, f"{CORPUS}\n{LINES[0]}"])
def test_a_corpus_all_of_whose_records_were_deleted_is_read_again_only_when_it_changed(
    sources: Sources,
    corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
    softly: str | None,
    unread: str | None,
) -> None:
    for_good = [f"file://inbox/c.jsonl#{n}" for n in ("1", "2", "3") if n != softly]
    if softly:
        mark_deleted(sources.home, [f"file://inbox/c.jsonl#{softly}"])
        sources.take()
    if unread:
        sources.write("c.jsonl", unread)
    _purge(sources, *for_good)
    assert [_reads(sources, monkeypatch) for _ in range(2)] == [0, 0]
    sources.write("c.jsonl", f'{CORPUS}\n{{"_id": "4", "text": "Rice is white."}}')
    assert [_reads(sources, monkeypatch) for _ in range(2)] == [1, 0]
    assert sources.decisions()["c.jsonl#4"] == "skip" and list(_texts(sources)) == ["c.jsonl#4"]
    sources.write("c.jsonl", CORPUS)
    assert [_reads(sources, monkeypatch) for _ in range(2)] == [1, 0]
    assert _texts(sources) == {} and "vorpalite" not in _held(sources)
    register_path(sources.home, corpus)
    assert sources.take().details["added"] == len(for_good) + bool(softly)


def test_a_corpus_with_a_record_deleted_for_good_that_is_put_back_untouched_is_read(
    sources: Sources, corpus: Path
) -> None:
    _purge(sources, FIRST)
    away = corpus.rename(sources.home.root / "away")
    assert sources.take().details["removed"] == 2
    away.rename(corpus)
    sources.take()
    assert list(_texts(sources).values()) == LINES[1:]


@pytest.mark.parametrize("copied", ["before", "after"])
def test_a_copy_of_the_corpus_has_the_record_whenever_it_was_made(
    sources: Sources, corpus: Path, copied: str
) -> None:
    if copied == "before":
        shutil.copy2(corpus, sources.home.inbox / "d.jsonl")
        sources.take()
    _purge(sources, FIRST)
    if copied == "after":
        shutil.copy2(corpus, sources.home.inbox / "d.jsonl")
    for _ in range(2):
        sources.take()
        texts = _texts(sources)
        assert [texts[f"d.jsonl#{n}"] for n in (1, 2, 3)] == LINES
        assert [texts.get(f"c.jsonl#{n}") for n in (1, 2, 3)] == [None, *LINES[1:]]
    (sources.home.inbox / "d.jsonl").unlink()
    _purge(sources, "file://inbox/d.jsonl")
    assert "vorpalite" not in _held(sources)


def test_a_version_of_a_record_deleted_for_good_leaves_what_stood_beside_it(
    sources: Sources, corpus: Path
) -> None:
    changed = [line.replace("hums", "sings").replace("green", "black") for line in LINES]
    sources.write("c.jsonl", "\n".join(changed))
    sources.take()
    old, new = sources.documents("1")
    assert (old["version_no"], new["version_no"]) == (1, 2)
    mark_deleted(sources.home, [str(old["version_id"])], hard=True)
    sources.take()
    _finish(sources)
    assert "hums" not in _held(sources) and "Tea is green." in _held(sources)
    assert list(_texts(sources).values()) == changed and _is_whole(sources)
    sources.write("c.jsonl", CORPUS)
    sources.take()
    assert list(_texts(sources).values()) == LINES


@pytest.mark.parametrize("last", [CORPUS.replace("green", "red"), "\n".join(LINES[1:]), LINES[2]])
@pytest.mark.parametrize("softly_first", ["#1", "#3", None])
def test_a_record_deleted_for_good_is_in_no_older_file_that_a_neighbours_version_lies_in(
    sources: Sources, corpus: Path, last: str, softly_first: str | None
) -> None:
    sources.write("c.jsonl", CORPUS.replace("green", "black"))
    sources.take()
    sources.write("c.jsonl", last)
    sources.take()
    if softly_first:
        mark_deleted(sources.home, [f"file://inbox/c.jsonl{softly_first}"])
        sources.take()
    before = [(row["version_no"], row["file_sha256"]) for row in sources.documents("3")]
    assert len(before) >= 2
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources) and _is_whole(sources)
    assert [(row["version_no"], row["file_sha256"]) for row in sources.documents("3")] == before
    assert "Tea is green." in _held(sources) and "Tea is black." in _held(sources)


def test_a_version_of_a_record_deleted_for_good_is_in_no_file_that_a_neighbours_version_lies_in(
    sources: Sources, corpus: Path
) -> None:
    sources.write("c.jsonl", CORPUS.replace("green", "black"))
    sources.take()
    changed = CORPUS.replace("green", "black").replace("hums", "sings")
    sources.write("c.jsonl", changed)
    sources.take()
    old, _ = sources.documents("1")
    mark_deleted(sources.home, [str(old["version_id"])], hard=True)
    sources.take()
    _finish(sources)
    assert "hums" not in _held(sources) and _is_whole(sources)
    assert "Tea is green." in _held(sources)
    assert list(_texts(sources).values()) == changed.split("\n")


def test_a_version_deleted_for_good_leaves_the_bytes_that_a_later_version_was_read_from_again(
    sources: Sources, corpus: Path
) -> None:
    sources.take(corpus, policy="new_version")
    old, new = sources.documents("1")
    assert old["file_sha256"] == new["file_sha256"]
    _purge(sources, str(old["version_id"]))
    assert _is_whole(sources)
    (left,) = sources.documents("1")
    assert (left["version_id"], left["status"]) == (new["version_id"], "active")
    assert list(_texts(sources).values()) == LINES
    # Both versions of the next go with their document.
    sources.take(corpus, policy="new_version")
    assert len(sources.documents("1")) == 2
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources) and _is_whole(sources)


def test_a_record_deleted_for_good_is_not_left_by_a_run_that_was_killed_after_its_inventory(
    sources: Sources, corpus: Path
) -> None:
    sources.write("c.jsonl", CORPUS.replace("green", "black"))
    take_inventory(sources.ctx)
    _purge(sources, FIRST)
    assert "vorpalite" not in _held(sources) and _is_whole(sources)
    assert [row["version_no"] for row in sources.documents("3")] == [1, 2]


class _KilledError(BaseException):
    """Nothing in the program catches it."""


def _dies_at(monkeypatch: pytest.MonkeyPatch, number: int, work: Callable[[], object]) -> bool:
    """Whether ``work`` was ended at the moment before its n-th file would have got its name."""
    real, met = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal met
        met += 1
        if met == number:
            raise _KilledError
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        try:
            work()
        except _KilledError:
            return True
    return False


def test_a_run_killed_at_any_moment_leaves_nothing_of_the_record_and_loses_no_other(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, killed = 0, True
    while killed:
        number += 1
        name, uri = f"c{number}.jsonl", f"file://inbox/c{number}.jsonl#1"
        # Of two versions, the older one stays as that of a neighbour.
        for content in (CORPUS.replace("green", f"green{number}"), CORPUS):
            sources.write(name, content)
            sources.take()
        mark_deleted(sources.home, [uri], hard=True)
        killed = _dies_at(monkeypatch, number, sources.take)
        assert _is_whole(sources)
        assert [_texts(sources)[f"{name}#{n}"] for n in (2, 3)] == LINES[1:]
        sources.take()
        _finish(sources)
        assert "vorpalite" not in _held(sources) and _is_whole(sources)
    assert number > 5


def test_a_record_wanted_again_comes_back_though_runs_are_killed(
    sources: Sources, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, killed = 0, True
    while killed:
        number += 1
        _purge(sources, FIRST)
        register_path(sources.home, corpus)
        killed = _dies_at(monkeypatch, number, sources.take)
        sources.take()
        assert list(_texts(sources).values()) == LINES
    assert number > 3


def test_a_version_deleted_for_good_leaves_no_row_though_its_file_is_gone(
    sources: Sources,
) -> None:
    path = sources.write("memo.md", "The vorpalite hums.")
    sources.take()
    (row,) = sources.documents("memo.md")
    path.unlink()
    _purge(sources, str(row["version_id"]))
    assert sources.inventory() == {}
    assert sources.documents("memo.md") == []
    assert _held(sources) == ""


def test_a_record_deleted_for_good_stays_out_though_its_corpus_was_away(sources: Sources) -> None:
    path = sources.write("c.jsonl", CORPUS)
    sources.take()
    _purge(sources, FIRST)
    path.rename(sources.home.root / "away.jsonl")
    sources.take()
    assert sources.inventory()["c.jsonl#1"]["decision"] == "removed"
    (sources.home.root / "away.jsonl").rename(path)
    sources.take()
    assert sources.decisions() == {
        "c.jsonl#1": "removed",
        "c.jsonl#2": "continue",
        "c.jsonl#3": "continue",
    }
    assert "vorpalite" not in _held(sources)
