"""A summary cites the page each sentence stands on."""

from __future__ import annotations

from mcp_app.summary import _markdown
from rag_query.summaries.extractive import Sentence


def sentence(text: str, page: int | None, path: str = "A / B", chunk: str = "chk_1") -> Sentence:
    return Sentence(text, chunk, path, 0, len(text), page, 0)


def test_sentences_of_one_passage_on_two_pages_are_cited_apart() -> None:
    found = [sentence("One.", 1), sentence("Two.", 2), sentence("Again one.", 1)]
    assert _markdown(found, "short") == (
        "One. [1] Two. [2] Again one. [1]\n\n"
        "[1] § A / B · page 1 · `chk_1`\n[2] § A / B · page 2 · `chk_1`"
    )


def test_without_pages_a_passage_has_one_number() -> None:
    found = [sentence("One.", None, "__preamble__"), sentence("Two.", None, "__preamble__")]
    assert _markdown(found, "bullet") == (
        "- One. [1]\n- Two. [1]\n\n[1] (before the first heading) · `chk_1`"
    )
