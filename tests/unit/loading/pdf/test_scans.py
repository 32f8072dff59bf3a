"""Scans whose text was recognised: what is written behind them without glyphs."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

PAGE = pymupdf.Rect(0, 0, 595, 842)
#: Baseline, place, width (points), font size and text.
Row = tuple[float, float, float, float, str]


def write_scan(path: Path, rows: list[Row]) -> Path:
    """A page that is an image, and recognised text behind it: each row as wide as it is printed."""
    document = pymupdf.open()
    page = document.new_page(width=PAGE.width, height=PAGE.height)
    page.insert_image(PAGE, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 85)))
    for y, x, width, size, text in rows:
        stretch = width / pymupdf.get_text_length(text, "cour", size)
        at = pymupdf.Point(x, y)
        page.insert_text(
            at, text, fontname="cour", fontsize=size, render_mode=3,
            morph=(at, pymupdf.Matrix(stretch, 1)),
        )  # fmt: skip
    [font] = page.get_fonts()
    document.xref_set_key(font[0], "BaseFont", "/GlyphLessFont")
    document.save(path)
    document.close()
    return path


TEXT: list[Row] = [
    (100, 72, 440, 10, "The level is taken at noon by the harbour master, who writes it into"),
    (114, 72, 436, 9, "the book of the tide station, together with the wind and the pressure of"),
    (128, 72, 90, 11, "that hour of day."),
]


def test_a_recognised_paragraph_is_one_whatever_sizes_its_rows_seem_to_have(tmp_path: Path) -> None:
    path = write_scan(tmp_path / "s.pdf", TEXT)
    loaded = load(path)
    assert loaded.md.split("\n\n")[1:] == [" ".join(row[-1] for row in TEXT)]
    check_anchors(loaded, path)


@pytest.mark.parametrize(("size", "is_heading"), [(11, False), (12, False), (15, True)])
def test_only_what_is_printed_much_larger_heads_recognised_text(
    size: float, is_heading: bool, tmp_path: Path
) -> None:
    head = (70, 72, 200, size, "READINGS OF THE YEAR")
    loaded = load(write_scan(tmp_path / "s.pdf", [head, *TEXT]))
    assert [item.title for item in loaded.outline] == [head[-1]] * is_heading


def test_the_rows_of_a_recognised_clause_stand_below_its_words(tmp_path: Path) -> None:
    rows: list[Row] = [
        (100, 72, 440, 10, "2.1 The keeper shall close the gate whenever the level is above"),
        (114, 107, 150, 10, "the one in Schedule 2."),
        *((y + 60, *row) for y, *row in TEXT),
    ]
    clause = load(write_scan(tmp_path / "s.pdf", rows)).md.split("\n\n")[1]
    assert clause.startswith("2.1 The keeper") and clause.endswith("above the one in Schedule 2.")
