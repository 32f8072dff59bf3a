"""Jobs outlive the server that started them, and readers never wait for them."""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Excerpta
from tests.e2e.wire import Wire

REPORT = Path(__file__).parents[2] / "data" / "samples" / "annual-report-2025.pdf"
QUESTION = "What was the highest level of the year?"


def _data(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["isError"], result["content"]
    data: dict[str, Any] = result["structuredContent"]["data"]
    return data


def _names(result: dict[str, Any]) -> set[str]:
    return {r["citation"]["source_uri"].rpartition("/")[2] for r in _data(result)["results"]}


def test_a_job_outlives_its_server_and_readers_follow(excerpta: Excerpta) -> None:
    allowed = {"EXCERPTA_ALLOWED_ROOTS": str(REPORT.parent)}
    first = Wire(excerpta, **allowed)
    with first.process:
        first.initialize()
        started = _data(first.call(2, "library_ingest", paths=[str(REPORT)], wait_seconds=0))
        first.process.kill()
    writer, reader = Wire(excerpta, **allowed), Wire(excerpta)
    with writer.process, reader.process:
        writer.initialize()
        reader.initialize()
        job = {"job_id": started["job_id"], "wait_seconds": 60}
        ended = _data(writer.call(2, "library_job_status", **job))
        assert ended["state"] == "success" and ended["counts"]["added"] == 1
        answer = reader.call(2, "library_query", query=QUESTION, top_k=3)
        assert REPORT.name in _names(answer)
        _check_the_page(reader, answer)

        gone = {"document_id": REPORT.name, "mode": "hard", "wait_seconds": 0}
        deleting = _data(writer.call(3, "library_delete_document", **gone))
        assert deleting["mode"] == "hard"
        number, state = 10, "running"
        while state in ("queued", "running"):
            # Another session asks all the while, and is always answered.
            reader.call(number, "library_query", query=QUESTION)["structuredContent"]["data"]
            status = writer.call(number, "library_job_status", job_id=deleting["job_id"])
            state, number = _data(status)["state"], number + 1
        assert state == "success"
        assert REPORT.name not in _names(reader.call(number, "library_query", query=QUESTION))
        back = {"document_id": REPORT.name, "wait_seconds": 0}
        refused = writer.call(number, "library_undelete_document", **back)
        assert refused["structuredContent"]["error"]["code"] == "DOCUMENT_NOT_FOUND"
        for wire in (writer, reader):
            assert wire.end()[1] == []


def _check_the_page(reader: Wire, answer: dict[str, Any]) -> None:
    """The passage can be looked at on its page."""
    results = _data(answer)["results"]
    passage = next(r for r in results if r["citation"]["source_uri"].endswith(REPORT.name))
    shown = reader.call(3, "library_show_page", chunk_id=passage["chunk_id"], dpi=72)
    data = _data(shown)
    assert data["pages"] == [passage["citation"]["page_range"][0]]
    image = next(item for item in shown["content"] if item["type"] == "image")
    assert base64.b64decode(image["data"]).startswith(b"\x89PNG")
    small = reader.call(4, "library_show_page", chunk_id=passage["chunk_id"], max_bytes=100)
    assert small["structuredContent"]["error"]["code"] == "FILE_TOO_LARGE"


def test_a_version_goes_and_a_document_comes_back(excerpta: Excerpta, documents: Path) -> None:
    note = documents / "mooring.md"
    wire = Wire(excerpta)
    with wire.process:
        wire.initialize()
        for rope in ("hemp", "nylon"):
            note.write_text(f"# Mooring\n\nThe mooring rope is of {rope}.\n", encoding="utf-8")
            added = _data(wire.call(2, "library_ingest", paths=[str(note)], wait_seconds=60))
            assert added["state"] == "success", added
        named = {"document_id": note.name, "wait_seconds": 60}
        document = _data(wire.call(3, "library_get_document", document_id=note.name))["document"]
        first = next(v["version_id"] for v in document["versions"] if v["version_no"] == 1)
        assert document["version_no"] == 2
        old = {"document_id": note.name, "version_id": first}
        assert "hemp" in _data(wire.call(4, "library_get_document", **old))["markdown"]

        gone = wire.call(5, "library_delete_document", version="1", mode="hard", **named)
        assert _data(gone)["deleted"][0]["version_id"] == first
        missing = wire.call(6, "library_get_document", **old)["structuredContent"]
        assert missing["error"]["code"] == "DOCUMENT_NOT_FOUND"
        asked = {"query": "mooring rope", "mode": "exact"}
        assert "nylon" in _data(wire.call(7, "library_query", **asked))["markdown"]

        _data(wire.call(8, "library_delete_document", **named))
        assert note.name not in _names(wire.call(9, "library_query", **asked))
        back = _data(wire.call(10, "library_undelete_document", **named))
        assert back["restored"][0]["source_uri"].endswith(f"/{note.name}")
        assert note.name in _names(wire.call(11, "library_query", **asked))
        wire.end()
    note.unlink()


def test_an_unchanged_file_is_read_again_as_a_new_version(
    excerpta: Excerpta, documents: Path
) -> None:
    note = documents / "sluice.md"
    note.write_text("# Sluice\n\nThe sluice opens at low water.\n", encoding="utf-8")
    wire = Wire(excerpta)
    with wire.process:
        wire.initialize()
        shown = []
        for policy, counted in (("skip", "added"), ("skip", None), ("new_version", "new_version")):
            asked = {"paths": [str(note)], "policy": policy, "wait_seconds": 60}
            done = _data(wire.call(2, "library_ingest", **asked))
            assert done["state"] == "success", done
            changed = [name for name in ("added", "new_version") if done["counts"][name]]
            assert changed == ([counted] if counted else [])
            named = {"document_id": note.name}
            shown.append(_data(wire.call(3, "library_get_document", **named))["document"])
        first, skipped, second = (document["version_id"] for document in shown)
        assert first == skipped != second
        assert {document["doc_id"] for document in shown} == {shown[0]["doc_id"]}
        old = wire.call(4, "library_get_document", version_id=first, **named)
        assert "low water" in _data(old)["markdown"]
        asked = {"query": "when does the sluice open", "mode": "exact"}
        answer = _data(wire.call(5, "library_query", **asked))
        assert answer["results"][0]["citation"]["version_id"] == second
        wire.end()
    note.unlink()


def test_what_cannot_be_read_is_named_and_holds_nothing_up(
    excerpta: Excerpta, documents: Path
) -> None:
    """A file without permission, and a pipe that nobody writes to."""
    folder = documents / "closed"
    folder.mkdir()
    locked, readable = folder / "locked.md", folder / "open.md"
    for file in (locked, readable):
        file.write_text(f"# {file.stem}\n\nThe gangway is steep.\n", encoding="utf-8")
    locked.chmod(0)
    os.mkfifo(folder / "pipe.md")
    wire = Wire(excerpta)
    with wire.process:
        wire.initialize()
        done = _data(wire.call(2, "library_ingest", paths=[str(folder)], wait_seconds=60))
        assert done["state"] == "success"
        failed = {d["source_uri"].rpartition("/")[2]: d["code"] for d in done["failed_documents"]}
        # root may read everything.
        assert failed.get("locked.md") == (None if os.geteuid() == 0 else "FILE_UNREADABLE")
        assert readable.name in _names(wire.call(3, "library_query", query="gangway", mode="exact"))
        pipe = wire.call(4, "library_ingest", paths=[str(folder / "pipe.md")])
        assert pipe["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"
        wire.end()
    shutil.rmtree(folder)
