"""Markdown that stands alone and lets no document speak for the library."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rag_query.contracts.evidence import EvidenceItem, EvidenceMetadata, Provenance, Signals
from rag_query.contracts.pack import EvidencePack
from rag_query.retrieval.render import pack_markdown, readable

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def evidence(snippet: str = "Steam it.\n\nThen dry it.", **metadata: object) -> EvidenceItem:
    return EvidenceItem(
        id="chk_1",
        title="Tea [draft]",
        source_uri="file://docs/tea.md",
        snippet=snippet,
        signals=Signals(rrf_score=0.1),
        provenance=Provenance(mode="hybrid"),
        metadata=EvidenceMetadata.model_validate(metadata),
    )


def pack(*evidences: EvidenceItem, warnings: tuple[str, ...] = ()) -> EvidencePack:
    return EvidencePack(
        plan_id="p", generated_at=NOW, evidences=list(evidences), warnings=list(warnings)
    )


def test_an_evidence_shows_what_it_is_where_it_is_and_its_text() -> None:
    shown = pack_markdown(
        pack(evidence(section_path="A / B", page=3, page_end=4, page_label="iii", asset_ids=["x"]))
    )
    assert shown == (
        "**[1] Tea \\[draft\\]**\n"
        "§ A / B · pages 3-4 (printed iii) · 1 image · `file://docs/tea.md` · `chk_1`\n"
        "\n"
        "> Steam it.\n>\n> Then dry it.\n"
    )


def test_lines_stand_in_for_pages_and_old_versions_are_marked() -> None:
    shown = pack_markdown(
        pack(
            evidence(
                section_path="__preamble__",
                line_start=5,
                line_end=5,
                is_latest=False,
                version_no=1,
            )
        )
    )
    assert "\nline 5 · older version 1 · `file://docs/tea.md`" in shown


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file://docs/a.html", "lines 2-4 of the text"),
        ("file://docs/A.HTM", "lines 2-4 of the text"),
        ("file://docs/faq.jsonl#7", "lines 2-4 of the text"),
        ("file://docs/a.md", "lines 2-4 · "),
    ],
)
def test_lines_of_a_page_or_record_are_those_of_its_text(uri: str, shown: str) -> None:
    item = evidence(line_start=2, line_end=4).model_copy(update={"source_uri": uri})
    assert shown in pack_markdown(pack(item))


def test_an_empty_pack_says_so_and_why() -> None:
    shown = pack_markdown(pack(warnings=("nothing\nhere",)))
    assert shown == "No evidence was found.\n\n> Note: nothing here\n"


def test_an_image_is_shown_by_what_it_shows_and_not_by_its_address() -> None:
    address = "asset://" + "a" * 64
    assert readable(f"See ![the well]({address}) and ![]({address}).") == (
        "See [image: the well] and [image]."
    )
    assert (
        readable("![remote](https://example.org/a.png)") == "![remote](https://example.org/a.png)"
    )


def test_that_words_alone_were_searched_is_said_first() -> None:
    alone = "dense_failed: semantic search was not available; ask again in a moment"
    found = pack(evidence(), warnings=("other", alone))
    found.explain.dense_failed = "MODEL_UNAVAILABLE"
    shown = pack_markdown(found)
    assert shown.startswith(f"> **By words alone.** {alone}\n\n**[1] Tea")
    assert shown.endswith("\n\n> Note: other\n") and shown.count(alone) == 1
