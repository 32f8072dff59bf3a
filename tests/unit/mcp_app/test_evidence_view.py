"""Evidence in a terminal: where it stands, and the words of the question in it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from mcp_app.commands.evidence_view import show_pack
from rag_query.contracts.evidence import EvidenceItem, EvidenceMetadata, Provenance, Signals
from rag_query.contracts.pack import EvidencePack

_BOLD = "\x1b[1;33m"


def shown(snippet: str, *questions: str, color: bool = False) -> str:
    item = EvidenceItem(
        id="chk_1",
        title="Pumps",
        source_uri="file://docs/pumps.md",
        snippet=snippet,
        signals=Signals(fused_score=0.5, fts_rank=1, fts_score=2.0),
        provenance=Provenance(mode="hybrid"),
        metadata=EvidenceMetadata(section_path="Pumps / Warranty", line_start=4, line_end=7),
    )
    pack = EvidencePack(
        plan_id="p", generated_at=datetime(2026, 1, 1, tzinfo=UTC), evidences=[item]
    )
    out = Console(
        file=io.StringIO(),
        width=120,
        force_terminal=color,
        color_system="standard" if color else None,
    )
    show_pack(out, pack, list(questions))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@pytest.mark.parametrize(
    ("question", "snippet", "marked"),
    [
        (
            "What is the warranty of the pump?",
            "The warranty of pumps is what the seal is not.",
            ["warranty", "pumps"],
        ),
        ("软体的保修", "軟體的保修是两年的", ["軟體", "保修"]),
        ("the who", "The one who asks", ["The", "who"]),
    ],
)
def test_what_was_asked_for_is_bold_and_not_the_words_around_it(
    question: str, snippet: str, marked: list[str]
) -> None:
    pieces = shown(snippet, question, color=True).split(_BOLD)[1:]
    assert [piece.partition("\x1b[")[0] for piece in pieces] == marked


def test_words_of_every_question_are_marked() -> None:
    text = shown("The seal, the pump and the rotor.", "the seal", "the pump", color=True)
    assert text.count(_BOLD) == 2


def test_a_passage_says_where_it_stands_and_what_put_it_there() -> None:
    text = shown("Two years.", "warranty")
    assert " 1. Pumps › Warranty\n" in text
    assert "    lines 4-7 · file://docs/pumps.md · chk_1\n" in text
    assert "    score 0.5000 · words #1 (BM25 2.00)\n" in text
    assert "1 of 0 candidates" in text
