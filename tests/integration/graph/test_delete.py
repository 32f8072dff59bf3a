"""Deleting at the command line: every name of the content goes, and none comes back by itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from mcp_app.commands.app import app
from rag_query.library.home import Home
from tests.integration.graph.conftest import write


def run(home: Home, *arguments: str) -> tuple[int, Any]:
    """Exit code, and the one document a command prints with ``--json``."""
    result = CliRunner().invoke(app, ["--home", str(home.root), *arguments, "--json"])
    return result.exit_code, json.loads(result.stdout)


def active(home: Home) -> list[str]:
    items = run(home, "list", "--status", "active")[1]["items"]
    return sorted(item["source_uri"] for item in items)


def test_a_deleted_document_does_not_return_under_another_name(here: Home) -> None:
    home = here
    for name in ("a.md", "copy of a.md"):
        write(home, name, "# Tea\n\nGreen tea is steamed.\n")
    write(home, "b.md", "# Coffee\n\nCoffee is roasted.\n")
    code, first = run(home, "ingest")
    assert code == 0 and first["counts"]["duplicates"] == 1, first

    # Nobody can be asked when the answer is JSON, so nothing is deleted without --yes.
    code, refused = run(home, "delete", "a.md")
    assert code == 1 and refused["error"]["code"] == "INVALID_ARGUMENT"

    code, deleted = run(home, "delete", "a.md", "--yes")
    assert code == 0
    (gone,) = deleted["deleted"]
    assert gone["aliases"] == ["file://inbox/copy%20of%20a.md"]
    assert active(home) == ["file://inbox/b.md"]
    code, again = run(home, "delete", "a.md", "--yes")
    assert code == 1 and again["error"]["code"] == "DOCUMENT_NOT_FOUND"

    code, back = run(home, "ingest", str(home.inbox / "copy of a.md"))
    assert code == 0, back
    assert active(home) == ["file://inbox/b.md", "file://inbox/copy%20of%20a.md"]


def test_a_source_is_listed_and_forgotten(here: Home, tmp_path: Path) -> None:
    home, notes = here, tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Tea\n\nGreen tea is steamed.\n")
    write(home, "b.md", "# Coffee\n\nCoffee is roasted.\n")
    code, refused = run(home, "ingest", str(home.root))
    assert code == 1 and refused["error"]["code"] == "PATH_NOT_ALLOWED"
    (notes / "c.rst").write_text("Tea\n===\n")
    shown = CliRunner().invoke(app, ["--home", str(home.root), "ingest", str(notes)])
    assert shown.exit_code == 0, shown.stderr
    # What is left out is named, and why.
    assert re.search(r"file://notes/c\.rst .*\.rst", shown.stdout)
    listed = run(home, "sources")[1]["sources"]
    assert [source["name"] for source in listed] == ["inbox", "notes"]
    assert listed[1]["path"] == str(notes)

    code, forgotten = run(home, "sources", "--forget", "notes")
    assert code == 0 and forgotten["counts"]["removed"] == 1
    assert active(home) == ["file://inbox/b.md"]
    assert [s["name"] for s in run(home, "sources")[1]["sources"]] == ["inbox"]
