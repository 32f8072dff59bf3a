"""Paths that clients of a server give."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_app.ingestion import absolute_path
from rag_query.contracts.errors import ErrorCode, ExcerptaError


def test_a_path_is_taken_as_it_is_or_from_home() -> None:
    assert absolute_path("/notes/a.md") == Path("/notes/a.md")
    assert absolute_path("~/a.md") == Path.home() / "a.md"


@pytest.mark.parametrize("text", ["notes", "~nosuchuser/x", "/tmp\0x", "./a", ""])
def test_what_is_no_whole_path_is_refused(text: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        absolute_path(text)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
