"""A large first letter belongs to the word it begins; other large letters are headings."""

from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams

ROWS = (
    "survey of coastal wetlands began in the spring and went on into the autumn, until the first",
    "storms made the tracks impassable. Observers counted birds at dawn from nine fixed hides and",
    "wrote down the wind and the tide, and the survey was drawn by hand on a new map of the marsh.",
)
INDEX = {"A": "Anchors, 4", "B": "Buoys, 12", "C": "Capstans, 3"}


def load(path: Path, rows: list[tuple[float, float, str, float]]) -> Loaded:
    """A PDF of one page of (x, baseline, text, font size), read."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    for x, y, text, size in rows:
        page.insert_text((x, y), text, fontsize=size)
    document.save(path)
    document.close()
    return PdfLoader(PdfParams()).load(path, LoadRequest("f.pdf"))


def with_drop_cap(first: str, cap: str, lines: int = 2) -> list[tuple[float, float, str, float]]:
    """A title, and a paragraph of which ``lines`` rows run around its first letter."""
    texts = [first, *ROWS[1:], *ROWS, *ROWS]
    size = 12.6 * (lines - 1) + 12
    beside = 63 + pymupdf.get_text_length(cap, fontsize=size)
    rows = [(60.0, 75.0, "The Marsh in Winter", 16.0)]
    rows.append((60, 110 + 12.6 * (lines - 1), cap, size))
    rows += [(beside if n < lines else 60, 110 + 12.6 * n, t, 10) for n, t in enumerate(texts)]
    return rows


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 6), st.sampled_from(["T", "W", '"T']))
def test_a_drop_cap_begins_its_word(tmp_path: Path, lines: int, cap: str) -> None:
    rows = with_drop_cap(f"he {ROWS[0]}", cap, lines)
    loaded = load(tmp_path / "a.pdf", rows)
    word = cap + "he survey"
    start = loaded.md.index(word)
    assert f"\n\n{word} of coastal wetlands" in loaded.md
    assert [item.title for item in loaded.outline] == [loaded.title] == ["The Marsh in Winter"]
    # The letter and the rest of its row keep their places.
    places = [a for a in loaded.anchors if start <= a.char_start < start + 20]
    assert [loaded.md[a.char_start : a.char_end][:3] for a in places] == [word[:-9], "he "]
    assert places[0].x0 < places[1].x0
    assert places[0].y1 - places[0].y0 > 2 * (places[1].y1 - places[1].y0)


@pytest.mark.parametrize(
    ("first", "cap", "read"),
    [
        (ROWS[0], "A", "A survey of coastal"),
        ("nd the " + ROWS[0], "A", "And the survey"),
        ("lthough the " + ROWS[0], "A", "Although the survey"),
        ("f the " + ROWS[0], "I", "If the survey"),
    ],
)
def test_a_letter_that_is_a_word_stands_apart(
    tmp_path: Path, first: str, cap: str, read: str
) -> None:
    assert f"\n\n{read}" in load(tmp_path / "a.pdf", with_drop_cap(first, cap)).md


def test_the_letters_of_an_index_are_headings(tmp_path: Path) -> None:
    rows: list[tuple[float, float, str, float]] = []
    for at, (letter, entry) in enumerate(INDEX.items()):
        rows.append((60, 110 + 150 * at, letter, 22))
        rows += [(60, 130 + 150 * at + 13 * n, f"{entry}, {20 + n}", 10) for n in range(8)]
    assert [item.title for item in load(tmp_path / "a.pdf", rows).outline] == list(INDEX)


def test_a_large_letter_that_no_text_runs_around_is_no_title(tmp_path: Path) -> None:
    rows = [(60.0, 75.0, "The Marsh in Winter", 16.0), (400.0, 400.0, "B", 40.0)]
    rows += [(60, 140 + 13 * n, text, 10) for n, text in enumerate(ROWS)]
    assert load(tmp_path / "a.pdf", rows).title == "The Marsh in Winter"


def test_a_row_that_begins_with_a_raised_letter_is_text(tmp_path: Path) -> None:
    cap = 60 + pymupdf.get_text_length("A", fontsize=24)
    rows = [(60.0, 75.0, "The Marsh in Winter", 16.0), (60, 110, "A", 24)]
    end = 60 + pymupdf.get_text_length(ROWS[1], fontsize=10)
    first = ROWS[0][: -len("until the first") - 2]
    while cap + pymupdf.get_text_length(first, fontsize=10) < end - 4:
        first += "s"
    rows += [(cap, 110, first, 10)]
    rows += [(60, 122.6 + 12.6 * n, text, 10) for n, text in enumerate([*ROWS[1:], *ROWS])]
    loaded = load(tmp_path / "r.pdf", rows)
    assert [item.title for item in loaded.outline] == ["The Marsh in Winter"]
    assert f"A{first} {ROWS[1]}" in loaded.md


def test_a_ragged_paragraph_that_begins_with_a_raised_letter_is_no_heading(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        page.insert_text((60, 75), "The Marsh in Winter", fontsize=20)
        page.insert_text((60, 110), "T", fontsize=16)
        x = 60 + pymupdf.get_text_length("T", fontsize=16)
        page.insert_text((x, 110), f"he {ROWS[0][:68]}", fontsize=10)
        for n in range(6):
            page.insert_text((60, 124 + 13 * n), ROWS[0][: 73 - n % 2], fontsize=10)
        document.save(tmp_path / "a.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert [item.title for item in loaded.outline] == ["The Marsh in Winter"]
