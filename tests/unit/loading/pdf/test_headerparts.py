"""Running headers and footers of several parts, of which some change from page to page."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import load

BODY = "The gauge was read at noon and once more in the evening of each day of"
SEAS = ("Skagerrak", "Kattegat", "The Sound", "The Belts", "Bothnian Bay", "Gulf of Riga")


def marked(loaded: Loaded) -> list[str]:
    return [loaded.md[item.char_start : item.char_end] for item in loaded.furniture]


def load_rows(
    path: Path,
    rows: Sequence[Sequence[tuple[float, str]]],
    top: float = 60,
    below: float = 130,
    headings: Sequence[str] = (),
) -> Loaded:
    """A page of text with each row, of which every part has its x; ``headings`` above the text."""
    document = pymupdf.open()
    for number, row in enumerate(rows):
        page = document.new_page(width=595, height=842)
        for x, text in row:
            page.insert_text((x, top), text, fontsize=9)
        if headings:
            page.insert_text((72, 100), headings[number], fontsize=14, fontname="hebo")
        for at in range(12):
            page.insert_text((72, below + 14 * at), f"{BODY} row {number}{at}", fontsize=11)
    document.save(path)
    document.close()
    return load(path)


def test_a_page_number_in_the_middle_of_a_footer_is_one(tmp_path: Path) -> None:
    rows = [
        [(72, name), (290, str(n + 1)), (450, f"19 September {2001 + 3 * n * n}")]
        for n, name in enumerate(SEAS)
    ]
    loaded = load_rows(tmp_path / "a.pdf", rows, 800)
    assert marked(loaded) == [" ".join(text for _, text in row) for row in rows]


def test_a_header_goes_that_names_the_document_beside_each_chapter(tmp_path: Path) -> None:
    rows = [[(72, "Tide station"), (400, f"Chapter {n}. {sea}")] for n, sea in enumerate(SEAS, 1)]
    loaded = load_rows(tmp_path / "a.pdf", rows, headings=SEAS)
    assert marked(loaded) == [f"Tide station Chapter {n}. {sea}" for n, sea in enumerate(SEAS, 1)]
    rows = [[(72, "Tide station"), (400, f"1.{n}. {sea}")] for n, sea in enumerate(SEAS, 1)]
    headings = [f"1.{n} {sea}" for n, sea in enumerate(SEAS, 1)]
    loaded = load_rows(tmp_path / "b.pdf", rows, headings=headings)
    assert marked(loaded) == [f"Tide station 1.{n}. {sea}" for n, sea in enumerate(SEAS, 1)]


@pytest.mark.parametrize(
    ("label", "values"),
    [
        ("Station", SEAS),
        ("Safety data sheet", ("Acetone", "Benzene", "Chlorine", "Dioxane", "Ether", "Fluorine")),
        ("Total amount due", ("1,234.00 EUR", "98.50 EUR", "777 EUR", "5 EUR", "12 EUR", "86 EUR")),
    ],
)
def test_a_label_before_another_value_on_each_page_stays_with_it(
    label: str, values: Sequence[str], tmp_path: Path
) -> None:
    rows = [[(72, label), (400, value)] for value in values]
    for top in (60, 800):
        # A word beside a number may head a table.
        headings = ["EUR", "Chairs", "Tables", "Lamps", "Doors", "Nails"]
        assert marked(load_rows(tmp_path / "a.pdf", rows, top, headings=headings)) == []


def test_a_row_with_the_same_word_on_many_pages_stays_with_the_rows_below(tmp_path: Path) -> None:
    rows = [[(72, sea), (300, "rising"), (450, f"{n * n + 40} cm")] for n, sea in enumerate(SEAS)]
    assert marked(load_rows(tmp_path / "a.pdf", rows, 114)) == []
