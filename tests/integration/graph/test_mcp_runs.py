"""What a client asks a server to do to the library, and what it then reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.integration.graph.conftest import write
from tests.unit.mcp_app.conftest import Call, caller, data_of, error_of


@pytest.fixture
def call(here: Home) -> Iterator[Call]:
    service = LibraryService(here, patience_s=10)
    yield caller(service)
    service.close(1)


def names(answer: dict[str, Any]) -> set[str]:
    return {r["citation"]["source_uri"].rpartition("/")[2] for r in answer["results"]}


def test_a_version_goes_and_a_document_comes_back(here: Home, call: Call) -> None:
    for rope in ("hemp", "nylon"):
        note = write(here, "mooring.md", f"# Mooring\n\nThe mooring rope is of {rope}.\n")
        added = data_of(call("library_ingest", paths=[str(note)], wait_seconds=60))
        assert added["state"] == "success", added
    named = {"document_id": note.name, "wait_seconds": 60}
    document = data_of(call("library_get_document", document_id=note.name))["document"]
    first = next(v["version_id"] for v in document["versions"] if v["version_no"] == 1)
    assert document["version_no"] == 2
    old = {"document_id": note.name, "version_id": first}
    for version in (first, "1"):
        old["version_id"] = version
        assert "hemp" in data_of(call("library_get_document", **old))["markdown"]
    found = {"query": "mooring rope", "filters": {"version": [first]}}
    passage = data_of(call("library_query", **found))["results"][0]["chunk_id"]
    assert passage.endswith(f"@{first}")

    gone = call("library_delete_document", version="1", mode="hard", **named)
    assert data_of(gone)["deleted"][0]["version_id"] == first
    missing = error_of(call("library_get_document", **old))
    assert missing["code"] == "DOCUMENT_NOT_FOUND"
    asked = {"query": "mooring rope", "mode": "exact"}
    assert "nylon" in data_of(call("library_query", **asked))["markdown"]

    data_of(call("library_delete_document", **named))
    assert note.name not in names(data_of(call("library_query", **asked)))
    back = data_of(call("library_undelete_document", **named))
    assert back["restored"][0]["source_uri"].endswith(f"/{note.name}")
    assert note.name in names(data_of(call("library_query", **asked)))


def test_what_cannot_be_read_is_named_and_holds_nothing_up(here: Home, call: Call) -> None:
    """A file without permission, and a pipe that nobody writes to."""
    folder = here.inbox / "closed"
    locked, readable = (
        write(here, f"closed/{name}.md", f"# {name}\n\nThe gangway is steep.\n")
        for name in ("locked", "open")
    )
    locked.chmod(0)
    os.mkfifo(folder / "pipe.md")
    done = data_of(call("library_ingest", paths=[str(folder)], wait_seconds=60))
    assert done["state"] == "success"
    failed = {d["source_uri"].rpartition("/")[2]: d["code"] for d in done["failed_documents"]}
    # root may read everything.
    assert failed.get("locked.md") == (None if os.geteuid() == 0 else "FILE_UNREADABLE")
    assert readable.name in names(data_of(call("library_query", query="gangway", mode="exact")))
    pipe = call("library_ingest", paths=[str(folder / "pipe.md")])
    assert error_of(pipe)["code"] == "INVALID_ARGUMENT"


def test_every_heading_of_the_outline_opens_its_text(here: Home, call: Call) -> None:
    text = """---
author: A harbour master
---

# Berths

## Booking

### By radio

#### At night

Call on channel twelve.

#### By day

Call on channel nine.

## Leaving

Cast off.
"""
    note = write(here, "berths.md", text)
    assert data_of(call("library_ingest", paths=[str(note)], wait_seconds=60))["state"] == "success"

    def read(section: str) -> str:
        answer = data_of(call("library_get_document", document_id=note.name, section=section))
        return str(answer["document"]["md_text"]).strip()

    night, day = "#### At night\n\nCall on channel twelve.", "#### By day\n\nCall on channel nine."
    for path in ("Berths / Booking / By radio / At night", "At night"):
        assert read(path) == night
    assert read("By day") == day
    assert read("By radio") == f"### By radio\n\n{night}\n\n{day}"
