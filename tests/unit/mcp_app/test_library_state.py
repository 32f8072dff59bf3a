"""The state of a library as it is shown: nothing in it says where the library lies."""

from __future__ import annotations

import json
from pathlib import Path

from mcp_app.library_state import library_state, purge_notice
from rag_query.library.create import create_library
from rag_query.library.deletions import mark_deleted
from rag_query.library.home import Home


def test_a_strategy_file_is_shown_by_its_name(tmp_path: Path) -> None:
    home = Home.resolve(tmp_path / "home")
    create_library(home, shards=1, strategy=str(tmp_path / "mine.yaml"))
    state = library_state(home)
    assert state["strategy"] == "mine.yaml"
    assert str(tmp_path) not in json.dumps(state, default=str)


def test_a_hard_deletion_that_is_not_done_is_told(tmp_path: Path) -> None:
    home = Home.resolve(tmp_path / "home")
    create_library(home, shards=1)
    assert purge_notice(library_state(home)) is None
    mark_deleted(home, ["file://inbox/a.md", "file://inbox/b.md"], hard=True)
    assert "hard deletion of 2 names is not done" in (purge_notice(library_state(home)) or "")
