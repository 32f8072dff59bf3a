"""What stands below a heading of an outline, and which heading is meant."""

from __future__ import annotations

import pytest

from mcp_app.outline import heading_spans
from rag_query.contracts.documents import OutlineEntry
from rag_query.contracts.errors import ErrorCode, ExcerptaError

OUTLINE = [
    OutlineEntry(level=1, title="Boats", char_start=0),
    OutlineEntry(level=2, title="Sails", char_start=100),
    OutlineEntry(level=3, title="Care", char_start=150),
    OutlineEntry(level=2, title="Engines", char_start=200),
    OutlineEntry(level=3, title="Care", char_start=250),
    OutlineEntry(level=4, title="In winter", char_start=270),
    OutlineEntry(level=1, title="Harbours", char_start=300),
    OutlineEntry(level=2, title="Fees", page=7),
]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Boats", (0, 300)),
        ("Boats / Sails / Care", (150, 200)),
        ("Boats › Engines", (200, 300)),
        ("In winter", (270, 300)),
        ("Harbours", (300, 400)),
    ],
)
def test_a_heading_reaches_to_the_next_of_its_level_or_above(
    text: str, span: tuple[int, int]
) -> None:
    assert heading_spans(text, OUTLINE, 400) == (span,)


def test_headings_of_one_path_are_all_meant() -> None:
    twice = [*OUTLINE[:3], OUTLINE[2].model_copy(update={"char_start": 170})]
    assert heading_spans("Boats / Sails / Care", twice, 400) == ((150, 170), (170, 400))


def test_an_outline_need_not_follow_its_document() -> None:
    assert heading_spans("Boats", [OUTLINE[6], OUTLINE[0]], 400) == ((0, 300),)


def test_no_heading_is_meant() -> None:
    assert heading_spans("Winches", OUTLINE, 400) == ()


@pytest.mark.parametrize(
    ("text", "hint"), [("Care", "Boats / Sails / Care; Boats / Engines / Care"), ("Fees", "page 7")]
)
def test_what_no_single_place_is_meant_by_says_what_to_do(text: str, hint: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        heading_spans(text, OUTLINE, 400)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT and hint in caught.value.hint
