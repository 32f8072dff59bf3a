"""Jobs outlive the server that started them, and readers never wait for them."""

from __future__ import annotations

import base64
import time
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
            time.sleep(0.05)  # leaves the run some of the machine
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
