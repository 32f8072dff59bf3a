"""Paths that clients of a server give, and what runs are said to have done."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_app.ingestion import absolute_path, check_paths, kept_out, run_markdown
from mcp_app.tools.ingest import MOST_TOLD, answer_of
from rag_assets.run_status import RunState, RunStatus
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.deletions import mark_deleted
from rag_query.library.home import Home
from rag_query.library.sources import register_path


def test_a_path_is_taken_as_it_is_or_from_home() -> None:
    assert absolute_path("/notes/a.md") == Path("/notes/a.md")
    assert absolute_path("~/a.md") == Path.home() / "a.md"


@pytest.mark.parametrize("text", ["notes", "~nosuchuser/x", "/tmp\0x", "./a", ""])
def test_what_is_no_whole_path_is_refused(text: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        absolute_path(text)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("success", "Documents: 26 added, 2 new version, 1 duplicate."),
        ("running", "Found in the sources: 26 new, 2 new version, 1 duplicate."),
        ("failure", "Found in the sources: 26 new, 2 new version, 1 duplicate."),
        ("canceled", "Found in the sources: 26 new, 2 new version, 1 duplicate."),
    ],
)
def test_nothing_is_said_to_be_added_that_is_not_published(state: RunState, told: str) -> None:
    counts = {"added": 26, "duplicates": 1, "new_version": 2, "computed": 26}
    now = datetime.now(UTC)
    status = RunStatus(run_id="r", job="ingest", state=state, counts=counts, submitted_at=now)
    assert told in run_markdown(status)


def test_of_a_path_that_is_not_there_the_first_missing_part_is_named(tmp_path: Path) -> None:
    for path, said in (("a.md", "'a.md'"), ("gone/b/a.md", "no folder 'gone', in which 'a.md'")):
        with pytest.raises(ExcerptaError, match=said) as caught:
            check_paths(Home(tmp_path / "home"), [tmp_path / path])
        assert str(tmp_path) not in str(caught.value)


def test_the_text_of_a_run_tells_its_first_warnings() -> None:
    now, own = datetime.now(UTC), [f"warning {n}" for n in range(MOST_TOLD)]
    status = RunStatus(run_id="r", job="ingest", state="success", submitted_at=now, warnings=own)
    answer = answer_of(status, ["kept out"])
    assert answer.warnings == ["kept out", *own]
    notes = [line for line in answer.markdown.splitlines() if line.startswith("> Note: ")]
    assert notes == [f"> Note: {each}" for each in ["kept out", *own[:-1]]]


def test_who_ingests_a_folder_is_told_what_stays_out_of_it(tmp_path: Path) -> None:
    home, notes = Home(tmp_path / "home"), tmp_path / "notes"
    create_library(home)
    notes.mkdir()
    for name in ("a.md", "b.md"):
        (notes / name).write_text("# A")
    register_path(home, notes)
    assert kept_out(home, [notes]) == []
    mark_deleted(home, ["file://notes/a.md", "file://notes/b.md"])
    (told,) = kept_out(home, [notes])
    assert told.startswith("file://notes/a.md and 1 more: deleted before")
    assert kept_out(home, [notes / "a.md"]) == []
