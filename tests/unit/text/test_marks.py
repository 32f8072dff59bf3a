"""Marks of Markdown that a reader does not see."""

from __future__ import annotations

import time

from rag_query.text.marks import marked


def test_formulas_that_are_never_closed_are_read_quickly() -> None:
    begun = time.process_time()
    marked("\\[ " * 32_000)
    assert time.process_time() - begun < 4


def test_a_link_is_read_by_what_it_shows() -> None:
    text = "See [the *manual* of `a[0]`](https://manual.example/x) first."
    assert marked(text).said(0, len(text)) == "See the manual of a[0] first."


def test_a_link_may_show_a_picture_that_is_written_out() -> None:
    picture = f"![logo](data:image/png;base64,{'A' * 3_200})"
    text = f"See [{picture}](https://x.example/a) end."
    assert "x.example" not in marked(text).said(0, len(text))
