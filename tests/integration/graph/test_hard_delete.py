"""Hard deletion leaves nothing in any store; undelete brings back what was deleted softly."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest
from PIL import Image

from rag_assets import launch
from rag_assets.context import StageContext
from rag_assets.publication import purge
from rag_assets.publication.gc import collect
from rag_query.evaluation.evaluator import Evaluator
from rag_query.generation.conversation import asker
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.manifests import (
    current_number,
    load_manifest,
    missing_parts,
    pin,
    pins,
    snapshot_numbers,
)
from rag_query.library.settings import update_settings
from rag_query.library.tables import TableStore
from rag_query.tracing.compaction import compact_traces
from rag_query.tracing.reader import find_trace, read_traces
from tests.integration.graph.conftest import copy_library, make_library, write
from tests.integration.graph.runs import execute, start_here
from tests.integration.graph.test_delete import active, run

#: Words that stand in one document only; nothing else in a library contains them.
OLD, NEW, RECORD, KEPT = "zanzibarite", "quuxophone", "vorpalite", "steamed"


def _texts(home: Home) -> Iterator[tuple[str, bytes]]:
    """Every stored thing as bytes that can be searched: what is compressed is decoded first."""
    for path in sorted(home.root.rglob("*")):
        if not path.is_file() or home.inbox in path.parents:
            continue
        name = path.relative_to(home.root).as_posix()
        yield name, path.read_bytes()
        if path.suffix == ".parquet":
            yield name, str(pq.read_table(path).to_pylist()).encode()
        elif path.suffix == ".db":
            with sqlite3.connect(path) as database:
                yield name, "\n".join(database.iterdump()).encode()
    for table in home.lance.glob("*.lance"):
        opened = connect(home.lance).open_table(table.stem)
        for version in opened.list_versions():
            opened.checkout(version["version"])
            yield f"{table.name}@{version['version']}", str(opened.to_arrow().to_pylist()).encode()


def _where(home: Home, word: str) -> list[str]:
    return sorted({name for name, data in _texts(home) if word.encode() in data})


def _terms(home: Home) -> set[str]:
    """Every term of every tantivy generation on disk."""
    import tantivy

    from rag_query.library.bm25_schema import open_index

    found: set[str] = set()
    for folder in home.bm25.glob("g*"):
        searcher = open_index(folder).searcher()
        pairs = searcher.terms_with_prefix("body", "", tantivy.Query.all_query())
        found |= {term for term, _ in pairs}
    return found


def _picture(path: Path, colour: str) -> None:
    Image.new("RGB", (40, 30), colour).save(path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Two versions of a document with a picture of its own and a shared one, an alias, a corpus
    of two records, a neighbour."""
    home = make_library(tmp_path_factory.mktemp("built"))
    (home.inbox / "img").mkdir()
    _picture(home.inbox / "img" / "own.png", "red")
    _picture(home.inbox / "img" / "shared.png", "blue")
    pictures = "![](img/own.png)\n\n![](img/shared.png)\n"
    write(home, "a.md", f"# Rocks\n\nThe {OLD} glows.\n\n{pictures}")
    write(home, "b.md", f"# Tea\n\nGreen tea is {KEPT}.\n\n![](img/shared.png)\n")
    lines = [
        f'{{"_id": "1", "title": "One", "text": "The {RECORD} hums."}}',
        '{"_id": "2", "title": "Two", "text": "A cup is small."}',
    ]
    write(home, "corpus.jsonl", "\n".join(lines))
    with dg.DagsterInstance.ephemeral() as instance:
        assert execute(home, instance)[0].success
        write(home, "a.md", f"# Rocks\n\nThe {NEW} sings.\n\n{pictures}")
        write(home, "copy of a.md", f"# Rocks\n\nThe {NEW} sings.\n\n{pictures}")
        write(home, "corpus.jsonl", lines[1])
        assert execute(home, instance)[0].success
    assert _where(home, OLD) and _where(home, NEW) and _where(home, RECORD)
    return home


@pytest.fixture
def library(built: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A copy whose runs take place in this process."""
    home = copy_library(built, tmp_path)
    with dg.DagsterInstance.ephemeral() as instance:
        monkeypatch.setattr(launch, "start_ingest", start_here(instance))
        yield home


def test_versions_documents_and_records_leave_every_store(library: Home) -> None:
    home = library
    pin(home, "report", 1)
    code, listed = run(home, "list", "--versions")
    (rocks,) = [item for item in listed["items"] if item["name"] == "a.md"]
    assert [version["version_no"] for version in rocks["all_versions"]] == [2, 1]
    assert OLD in str(run(home, "show", "a.md", "--version", "1")[1]["chunks"])

    # The newest version cannot go alone, as the file would bring it back.
    code, refused = run(home, "delete", "a.md", "--version", "2", "--hard", "--yes")
    assert code == 1 and refused["error"]["code"] == "INVALID_ARGUMENT"

    code, deleted = run(home, "delete", "a.md", "--version", "1", "--hard", "--yes")
    assert code == 0, deleted
    assert _where(home, OLD) == []
    assert _where(home, NEW) and _where(home, KEPT)
    assert NEW in str(run(home, "show", "a.md")[1]["chunks"])
    # Earlier snapshots held it, so that they are gone too, the pinned one as well.
    assert snapshot_numbers(home) == [deleted["snapshot"]] and pins(home) == {}
    code, refused = run(home, "rollback", "1")
    assert code == 1 and refused["error"]["code"] == "SNAPSHOT_NOT_FOUND"

    # A record that is no longer in its corpus file.
    code, deleted = run(home, "delete", "corpus.jsonl#1", "--hard", "--yes")
    assert code == 0, deleted
    assert _where(home, RECORD) == []
    assert "cup" in str(run(home, "show", "corpus.jsonl#2")[1]["chunks"])

    own, shared = (home.inbox / "img" / n for n in ("own.png", "shared.png"))
    media = {path.read_bytes() for path in home.media.rglob("*") if path.is_file()}
    assert {own.read_bytes(), shared.read_bytes()} <= media
    code, deleted = run(home, "delete", "a.md", "--hard", "--yes")
    assert code == 0, deleted
    assert _where(home, NEW) == []
    assert {NEW[:5], OLD[:5], RECORD[:5]}.isdisjoint({term[:5] for term in _terms(home)})
    media = {path.read_bytes() for path in home.media.rglob("*") if path.is_file()}
    assert own.read_bytes() not in media and shared.read_bytes() in media
    assert active(home) == ["file://inbox/b.md", "file://inbox/corpus.jsonl#2"]
    # Nothing is pending, the next run has nothing to do, and the rest still answers.
    code, again = run(home, "ingest")
    assert again["snapshot"] == deleted["snapshot"] and again["computed"] == 0
    code, pack = run(home, "query", "green tea", "--mode", "exact")
    assert code == 0 and KEPT in str(pack["evidences"][0])
    assert run(home, "undelete", "a.md")[1]["error"]["code"] == "DOCUMENT_NOT_FOUND"
    # Wanted again by name, it comes back.
    assert run(home, "ingest", str(home.inbox / "a.md"))[0] == 0
    assert "file://inbox/a.md" in active(home)


def test_a_record_that_its_corpus_still_holds_leaves_and_comes_back_when_asked_for(
    library: Home,
) -> None:
    home = library
    lines = [
        f'{{"_id": "1", "title": "One", "text": "The {RECORD} hums."}}',
        '{"_id": "2", "title": "Two", "text": "A cup is small."}',
        "no JSON",
    ]
    corpus = write(home, "corpus.jsonl", "\n".join(lines))
    assert run(home, "ingest")[1]["counts"]["added"] == 1
    code, refused = run(home, "delete", "line 3", "--hard", "--yes")
    assert code == 1 and refused["error"]["code"] == "INVALID_ARGUMENT"
    assert run(home, "delete", "corpus.jsonl#1", "--hard", "--yes")[0] == 0
    assert _where(home, RECORD) == []
    # Not by a scan, and not with its corpus.
    assert run(home, "ingest")[1]["counts"]["added"] == 0
    assert run(home, "delete", "corpus.jsonl", "--yes")[0] == 0
    assert run(home, "undelete", "corpus.jsonl")[0] == 0
    assert _where(home, RECORD) == []
    assert "file://inbox/corpus.jsonl#2" in active(home)

    code, back = run(home, "ingest", str(corpus))
    assert code == 0 and back["counts"]["added"] == 1, back
    assert RECORD in str(run(home, "show", "corpus.jsonl#1")[1]["chunks"])
    write(home, "copy.jsonl", "\n".join(lines))
    assert run(home, "ingest")[1]["counts"]["added"] == 2


def test_questions_made_of_its_words_leave_the_traces(library: Home) -> None:
    home = library
    assert run(home, "eval", "--dataset", "synthetic")[0] == 0
    assert run(home, "query", f"does the {NEW} sing", "--mode", "exact")[0] == 0
    compact_traces(home)
    assert run(home, "query", f"{NEW} rocks", "--mode", "exact")[0] == 0
    assert run(home, "query", f"{OLD} 1999", "--mode", "exact")[0] == 0
    assert run(home, "query", f"{KEPT} cup", "--mode", "exact")[0] == 0
    assert any(name.startswith("traces/query/") for name in _where(home, NEW))
    assert any(name.startswith("traces/parquet/query/") for name in _where(home, NEW))

    assert run(home, "delete", "a.md", "--hard", "--yes")[0] == 0
    assert _where(home, NEW) == []
    named = [name for name in _where(home, "file://inbox/a.md") if "query" in name]
    assert named == []
    asked = [trace.replay["plan"]["queries"][0]["text"] for trace in read_traces(home, "query")]
    assert f"{KEPT} cup" in asked
    # The exception: what was found by no passage and names none.
    assert f"{OLD} 1999" in asked


def test_what_was_being_made_of_it_meanwhile_is_not_kept(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = library

    def before(place: object, name: str) -> None:
        """Delete it once, where an answer or evaluation is made and is still to be written."""
        made = getattr(place, name)

        def deleted_first(*given: Any, **named: Any) -> Any:
            monkeypatch.setattr(place, name, made)
            assert run(home, "delete", "a.md", "--hard", "--yes")[0] == 0
            return made(*given, **named)

        monkeypatch.setattr(place, name, deleted_first)

    before(Evaluator, "_report")
    code, failed = run(home, "eval", "--dataset", "synthetic")
    assert code == 1 and failed["error"]["code"] == "SNAPSHOT_NOT_FOUND"
    assert _where(home, NEW) == []

    assert run(home, "ingest", str(home.inbox / "a.md"))[0] == 0
    assert _where(home, NEW) != []
    before(asker, "checkpoint")
    code, answer = run(home, "ask", "What do the rocks do?")
    assert code == 0 and answer["snapshot"] == current_number(home)
    assert _where(home, NEW) == []


@pytest.mark.parametrize(
    "point",
    [
        "indexes.bm25.TantivyBm25Index.rewrite",
        "publication.gc._Collector._generations",
        "publication.purge.keep_only",
        "publication.purge.forget_traces",
    ],
)
def test_a_hard_deletion_that_breaks_off_is_finished_by_the_next_run(
    library: Home, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    home = library

    def breaks_off(*_: object) -> None:
        raise RuntimeError("broken off")

    with monkeypatch.context() as patch:
        patch.setattr(f"rag_assets.{point}", breaks_off)
        code, failed = run(home, "delete", "a.md", "--hard", "--yes")
        assert code == 1 and "broken off" in failed["error"]["message"]
    # Under its own name and that of its copy.
    assert run(home, "status")[1]["to_purge"] == 2
    # No way back to a snapshot that holds what is to go.
    code, refused = run(home, "rollback", "1")
    assert code == 1 and refused["error"]["code"] == "PUBLISH_BLOCKED"
    # What is published is whole: before publication the old snapshot, after it the new one.
    number = current_number(home)
    assert number is not None and missing_parts(home, load_manifest(home, number)) == []
    code, pack = run(home, "query", "green tea", "--mode", "exact")
    assert code == 0 and KEPT in str(pack["evidences"][0])

    assert run(home, "ingest")[0] == 0
    assert _where(home, NEW) == [] and _where(home, OLD) == []
    assert "file://inbox/a.md" not in active(home)
    assert run(home, "status")[1]["to_purge"] == 0


def test_a_rollback_between_publication_and_the_purge_brings_nothing_back(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = library
    finish, tried = purge.finish, []

    def rolled_back_before(ctx: StageContext, names: Collection[str]) -> int:
        tried.append(run(home, "rollback")[1]["error"]["code"])
        return finish(ctx, names)

    monkeypatch.setattr(purge, "finish", rolled_back_before)
    code, deleted = run(home, "delete", "a.md", "--hard", "--yes")
    assert code == 0 and tried == ["PUBLISH_BLOCKED"]
    assert snapshot_numbers(home) == [current_number(home)] == [deleted["snapshot"]]
    assert _where(home, NEW) == []


def test_undelete_a_document_a_version_and_a_corpus(library: Home) -> None:
    home = library
    before = active(home)
    assert run(home, "delete", "a.md", "--yes")[0] == 0
    assert run(home, "delete", "corpus.jsonl", "--yes")[1]["deleted"][0]["documents"] == 1
    assert active(home) == ["file://inbox/b.md"]
    code, back = run(home, "undelete", "a.md")
    assert code == 0, back
    assert back["restored"][0]["source_uri"] == "file://inbox/a.md"
    assert run(home, "undelete", "corpus.jsonl")[0] == 0
    assert active(home) == before
    (rocks,) = run(home, "list", "a.md", "--versions")[1]["items"]
    assert rocks["aliases"] == ["file://inbox/copy%20of%20a.md"]
    assert [version["version_no"] for version in rocks["all_versions"]] == [2, 1]

    # A single version, and back.
    assert run(home, "delete", "a.md", "--version", "1", "--yes")[0] == 0
    states = {
        v["version_no"]: v["status"]
        for v in run(home, "show", "a.md")[1]["document"]["all_versions"]
    }
    assert states == {1: "removed", 2: "active"}
    assert run(home, "undelete", "a.md", "--version", "1")[0] == 0
    assert OLD in str(run(home, "show", "a.md", "--version", "1")[1]["chunks"])

    # From the bytes that are held, when the file itself is gone.
    (home.inbox / "b.md").unlink()
    assert run(home, "ingest")[1]["counts"]["removed"] == 1
    assert run(home, "undelete", "b.md")[0] == 0
    assert active(home) == before
    assert run(home, "ingest")[1]["counts"]["removed"] == 0
    assert run(home, "delete", "b.md", "--yes")[0] == 0
    assert "file://inbox/b.md" not in active(home)
    # Until retention ends.
    settings = update_settings(home, keep_snapshots=1)
    collect(home, settings, now=datetime.now(UTC) + timedelta(hours=settings.undelete_hours + 1))
    assert run(home, "undelete", "b.md")[1]["error"]["code"] == "FILE_MISSING"


def test_a_renamed_document_without_a_title_bears_its_new_name_everywhere(library: Home) -> None:
    home = library
    write(home, "notes.md", "Quokkas sleep at noon.\n")
    assert run(home, "ingest")[0] == 0
    (home.inbox / "notes.md").rename(home.inbox / "diary.md")
    told = run(home, "ingest")[1]
    assert told["counts"]["renamed"] == 1
    assert run(home, "show", "diary.md")[1]["document"]["title"] == "diary.md"
    found = run(home, "query", "quokkas", "--mode", "exact")[1]["evidences"][0]
    assert found["title"] == "diary.md"


def test_a_renamed_document_keeps_its_chunks_and_vectors_and_is_found_by_links(
    library: Home,
) -> None:
    home = library

    def ids(name: str) -> list[str]:
        return [chunk["chunk_id"] for chunk in run(home, "show", name)[1]["chunks"]]

    before = ids("b.md")
    (home.inbox / "b.md").rename(home.inbox / "tea.md")
    code, told = run(home, "ingest")
    assert code == 0, told
    assert (told["counts"]["renamed"], told["counts"]["added"], told["counts"]["removed"]) == (
        1,
        0,
        0,
    )
    (renamed,) = told["renamed_documents"]
    assert renamed["renamed_from"] == "file://inbox/b.md"
    assert ids("tea.md") == before
    trace = find_trace(home, f"trc_{told['job_id'].replace('-', '')}")
    assert trace is not None and trace.aggregates.counters.get("cache_miss", 0) == 0

    doc = run(home, "show", "tea.md")[1]["document"]["doc_id"]
    write(home, "c.md", "# Links\n\nSee [tea](tea.md) and [rocks](copy%20of%20a.md).\n")
    assert run(home, "ingest")[0] == 0
    rocks = run(home, "show", "a.md")[1]["document"]["doc_id"]
    store = TableStore(home)
    links = [
        row
        for shard in store.heads("links")
        for row in store.read("links", shard).to_pylist()
        if row["text"] in ("tea", "rocks")
    ]
    assert {row["text"]: row["target_doc_id"] for row in links} == {"tea": doc, "rocks": rocks}
