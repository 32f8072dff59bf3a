"""Rows that a table tells apart by a short name in its first column."""

from __future__ import annotations

import pytest

from rag_query.contracts.answer import Parent
from rag_query.generation.absent import absent_from
from rag_query.generation.parent import ParentText
from rag_query.generation.precedence import first_of
from rag_query.generation.question import read_question
from rag_query.generation.scoring import score_sentences
from rag_query.generation.sentences import statements_of
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

ZONES = (
    "| Zone | First hour | Day ticket |\n|---|---|---|\n"
    "| A | € 3.20 | none |\n| B (ring) | € 2.10 | € 14.00 |\n| C | € 1.00 | € 6.50 |"
)
AREAS = "| 区域 | 日票 |\n|---|---|\n| A | 14 元 |\n| B | 9 元 |\n| C | 6 元 |"
SIZES = "| Size | Chest |\n|---|---|\n| S | 88 cm |\n| M–L | 100 cm |"
OPEN = "| Zone | Day ticket |\n|---|---|\n| A | € 14.00 |\n| B | € 9.00 |\n| Other | € 6.50 |"


def _absent(question: str, text: str, analyzer: Analyzer, chunk: MakeChunk) -> list[str]:
    held = set(analyzer.tokens(text))
    asked = read_question(question, analyzer, lambda t: int(t in held), 100)
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title="A", version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    return [each.what for each in absent_from(asked, ParentText(parent, (chunk(text),)))]


@pytest.mark.parametrize(
    ("question", "text", "absent"),
    [
        ("What does a day ticket cost in zone D?", ZONES, ["zone D"]),
        ("What does a day ticket cost in zone AB?", ZONES, ["zone AB"]),
        ("What does a day ticket cost in zone 4?", ZONES, ["zone 4"]),
        ("How much is the first hour in zones B and E?", ZONES, ["zone E"]),
        ("D 区日票多少钱？", AREAS, ["D 区域"]),
        ("区域 D 的日票多少钱？", AREAS, ["D 区域"]),
        ("D 区日票多少钱？", ZONES, ["zone D"]),
        ("What is the chest of size XL?", SIZES, ["size XL"]),
    ],
)
def test_a_row_that_a_table_lacks_is_missing(
    question: str, text: str, absent: list[str], analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert _absent(question, text, analyzer, chunk) == absent


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does a day ticket cost in zone A?", ZONES),
        ("What does a day ticket cost in zone c?", ZONES),
        ("A 区日票多少钱？", AREAS),
        ("What is the chest of size L?", SIZES),
        ("In which zone a car may park longest?", ZONES),
        ("Which zone may I park in for 4 euros?", ZONES),
        # Other rows, or what is written beside the table, may be about it.
        ("What does a day ticket cost in zone D?", OPEN),
        ("What does a day ticket cost in zone D?", f"{ZONES}\n\nZone D is free."),
        ("What does a day ticket cost in zone D?", "A day ticket costs 5 euros in zone A."),
        ("Is the sauna in zone 3?", "| Zone | Holds |\n|---|---|\n| 1 | Pool |\n| 2 | Sauna |"),
    ],
)
def test_nothing_is_missing_that_a_table_or_the_text_may_tell(
    question: str, text: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert _absent(question, text, analyzer, chunk) == []


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        ("What does the first hour cost in zone A?", ZONES, "A — First hour: € 3.20"),
        ("What does the first hour cost in zone B?", ZONES, "B (ring) — First hour: € 2.10"),
        ("A 区日票多少钱？", AREAS, "A — 日票: 14 元"),
        ("C 区日票多少钱？", AREAS, "C — 日票: 6 元"),
        ("What is the chest of size L?", SIZES, "M–L — Chest: 100 cm"),
    ],
)
def test_the_row_asked_about_goes_first(
    question: str, text: str, first: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    held = set(analyzer.tokens(text))
    asked = read_question(question, analyzer, lambda t: int(t in held), 100)
    scored = score_sentences(asked, statements_of([chunk(text)]), analyzer)
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    assert ranked[first_of(asked, ranked)].sentence.text.startswith(first)
