"""Running headers and footers of several parts, of which some change from page to page."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf_facts import load

BODY = "The gauge was read at noon and once more in the evening of each day of"
SEAS = ("Skagerrak", "Kattegat", "The Sound", "The Belts", "Bothnian Bay", "Gulf of Riga")


def marked(loaded: Loaded) -> list[str]:
    return [loaded.md[item.char_start : item.char_end] for item in loaded.furniture]


def load_rows(
    path: Path, rows: Sequence[Sequence[tuple[float, str]]], top: float = 60, below: float = 130
) -> Loaded:
    """A page of text with each row, of which every part has its x."""
    document = pymupdf.open()
    for number, row in enumerate(rows):
        page = document.new_page(width=595, height=842)
        for x, text in row:
            page.insert_text((x, top), text, fontsize=9)
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
    rows = [[(72, "Tide station"), (400, sea)] for sea in SEAS]
    loaded = load_rows(tmp_path / "a.pdf", rows)
    assert marked(loaded) == [f"Tide station {sea}" for sea in SEAS]


def test_a_row_with_the_same_word_on_many_pages_stays_with_the_rows_below(tmp_path: Path) -> None:
    rows = [[(72, sea), (300, "rising"), (450, f"{n * n + 40} cm")] for n, sea in enumerate(SEAS)]
    assert marked(load_rows(tmp_path / "a.pdf", rows, 114)) == []
