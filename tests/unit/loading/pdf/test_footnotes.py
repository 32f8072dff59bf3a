"""Footnotes leave the flow of the text, and the text says where they belong."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere

LINE = "the float moves along its chain and the pen writes the level of the water down"


def write_notes(path: Path, columns: int = 1) -> Path:
    """Pages of running text; a note stands at the foot of each column but the last page's."""
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page(width=595, height=842)
        for column in range(columns):
            left = 60 + 260 * column
            words = LINE if columns == 1 else LINE[:41]
            size = 12.8 if columns == 1 else 10
            for row in range(30):
                y = 80 + 16 * row
                page.insert_text((left, y), words, fontsize=size)
                if row == 14 and number < 2:
                    end = left + pymupdf.get_text_length(words, fontsize=size)
                    page.insert_text((end, y - 4), str(column + 1), fontsize=6)
            if number < 2:
                mark = str(column + 1)
                page.insert_text((left, 618), mark, fontsize=5)
                note = f"Note {mark} of page {number + 1} tells more"
                page.insert_text((left + 4, 621), note, fontsize=8)
                page.insert_text((left, 631), "and goes on in a second row.", fontsize=8)
        page.insert_text((290, 820), str(number + 1), fontsize=9)
    document.save(path)
    document.close()
    return path


def load(path: Path) -> Loaded:
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest(path.name))
    places = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, places, Pages(path)) == []
    return loaded


def test_a_paragraph_goes_on_over_the_notes_of_its_page(tmp_path: Path) -> None:
    loaded = load(write_notes(tmp_path / "one.pdf"))
    assert loaded.summary["footnotes"] == 2
    text, *rest = loaded.md.split("\n\n")
    assert " ".join([LINE] * 90) == text.replace("[^1]", "").replace("[^1-p2]", "")
    assert "down[^1] the float" in text and "down[^1-p2] the float" in text
    assert "[^1]: Note 1 of page 1 tells more and goes on in a second row." in rest
    assert "[^1-p2]: Note 1 of page 2 tells more and goes on in a second row." in rest
    (note,) = [a for a in loaded.anchors if loaded.md[a.char_start :].startswith("[^1-p2]: ")]
    assert note.page == 2 and note.y0 is not None and 600 < note.y0 < 625


def test_notes_of_two_columns_stand_after_their_page(tmp_path: Path) -> None:
    loaded = load(write_notes(tmp_path / "two.pdf", columns=2))
    assert loaded.summary["footnotes"] == 4
    rest = loaded.md.split("\n\n")[1:]
    assert [part[:6] for part in rest if part.startswith("[^")][:2] == ["[^1]: ", "[^2]: "]


def test_exponents_and_small_print_are_no_notes(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):
        page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
    page.insert_text((60, 420), "The area is 20 m", fontsize=12)
    page.insert_text(
        (60 + pymupdf.get_text_length("The area is 20 m", fontsize=12), 416), "2", fontsize=6
    )
    page.insert_text((60, 700), "2 printed copies of this sheet were made.", fontsize=8)
    document.save(tmp_path / "plain.pdf")
    document.close()
    loaded = load(tmp_path / "plain.pdf")
    assert loaded.summary["footnotes"] == 0 and "[^" not in loaded.md


def test_circled_marks_of_chinese_notes(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font = "china-s"
    for row in range(12):
        y = 80 + 18 * row
        page.insert_text((60, y), "潮位站每天记录海面高度并且校准", fontsize=12, fontname=font)
        if row == 5:
            page.insert_text((60 + 15 * 12 + 1, y - 4), "①", fontsize=6, fontname=font)
    page.insert_text((60, 700), "① 海面高度以毫米为单位。", fontsize=8, fontname=font)
    document.save(tmp_path / "han.pdf")
    document.close()
    loaded = load(tmp_path / "han.pdf")
    assert loaded.md.endswith("\n\n[^①]: 海面高度以毫米为单位。")
    assert loaded.md.count("校准[^①]") == 1


def test_a_mark_set_apart_from_its_row_tears_no_sentence_and_makes_no_note(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font = "china-s"
    for row in range(12):
        page.insert_text(
            (60, 80 + 18 * row), "潮位站每天记录海面高度并且校准", fontsize=12, fontname=font
        )
    # In the second half of the page, and in one line with what goes on behind it.
    y = 500
    page.insert_text((60, y), "现在的维护者是老王", fontsize=12, fontname=font)
    x = 60 + 9 * 12 + 2.8
    page.insert_text((x, y - 4), "1", fontsize=7)
    page.insert_text((x + 5, y), "。模板目前托管在港口", fontsize=12, fontname=font)
    page.insert_text((60, 742), "1", fontsize=5)
    page.insert_text((64, 745), "wang@example.org.", fontsize=9)
    document.save(tmp_path / "apart.pdf")
    document.close()
    loaded = load(tmp_path / "apart.pdf")
    assert "[^1]: wang@example.org." in loaded.md
    assert "维护者是老王" in loaded.md and "。模板目前托管在港口" in loaded.md
    assert loaded.summary["footnotes"] == 1
    assert "[^1]: 。" not in loaded.md


def test_a_mark_in_brackets_takes_its_bracket_along(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font = "japan"
    for row in range(12):
        y = 80 + 18 * row
        page.insert_text((60, y), "潮位を毎日記録して高さを校正する", fontsize=12, fontname=font)
        if row == 5:
            page.insert_text((60 + 16 * 12 + 1, y - 4), "1）", fontsize=6, fontname=font)
    page.insert_text((60, 700), "1）https://example.org を見よ。", fontsize=8, fontname=font)
    document.save(tmp_path / "japan.pdf")
    document.close()
    assert load(tmp_path / "japan.pdf").md.endswith("\n\n[^1）]: https://example.org を見よ。")


def test_the_last_items_of_a_list_with_small_numbers_are_no_notes(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=360, height=270)
    for row in range(2):
        page.insert_text((40, 30 + 14 * row), LINE[:60], fontsize=11)
    for n, item in enumerate(["Read the gauge.", "Light the lamp.", "Publish the data."]):
        y = 60 + 30 * n
        page.insert_text((40, y - 2), str(n + 1), fontsize=6)
        page.insert_text((46, y), item, fontsize=11)
    document.save(tmp_path / "l.pdf")
    document.close()
    loaded = load(tmp_path / "l.pdf")
    assert loaded.summary["footnotes"] == 0
    assert loaded.md.endswith("3 Publish the data.")


def test_notes_drawn_from_the_last_to_the_first_are_read_in_order(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(6):
        page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
        if row < 3:
            end = 60 + pymupdf.get_text_length(LINE, fontsize=12)
            page.insert_text((end, 76 + 16 * row), str(row + 1), fontsize=6)
    for number in (3, 2, 1):
        page.insert_text((60, 758 + 11 * number), str(number), fontsize=5)
        page.insert_text((64, 761 + 11 * number), f"Counted in {number} years", fontsize=8)
    document.save(tmp_path / "a.pdf")
    document.close()
    notes = [line for line in load(tmp_path / "a.pdf").md.split("\n") if line.startswith("[^")]
    assert notes == [f"[^{number}]: Counted in {number} years" for number in (1, 2, 3)]


def test_a_letter_below_a_limit_or_in_a_formula_leads_to_no_note(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for row in range(20):
        page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
    page.insert_text((60, 420), "so (2x + a)|", fontsize=12, fontname="droid")
    width = pymupdf.Font("cjk").text_length("so (2x + a)|", 12)
    page.insert_text((60 + width, 423), "x", fontsize=6, fontname="droid")
    page.insert_text((60, 620), "x", fontsize=6, fontname="droid")
    page.insert_text((64, 622), "→0", fontsize=9, fontname="droid")
    document.save(tmp_path / "l.pdf")
    loaded = load(tmp_path / "l.pdf")
    assert loaded.summary["footnotes"] == 0 and "[^" not in loaded.md


@pytest.mark.parametrize("words", ["As the ledger says.", "5 % p. a.", "20 %"])
def test_a_letter_leads_to_a_note(words: str, tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):
        page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
    page.insert_text((60 + pymupdf.get_text_length(LINE, fontsize=12), 380), "a", fontsize=6)
    page.insert_text((60, 620), "a", fontsize=5)
    page.insert_text((64, 622), words, fontsize=8)
    document.save(tmp_path / "a.pdf")
    loaded = load(tmp_path / "a.pdf")
    assert "down[^a]" in loaded.md and f"[^a]: {words}" in loaded.md


def test_the_number_of_the_only_page_is_no_note(tmp_path: Path) -> None:
    document = pymupdf.open(write_notes(tmp_path / "one.pdf"))
    document.select([0])
    page = document[0]
    page.add_redact_annot((280, 800, 310, 830))
    page.apply_redactions()
    page.insert_text((290, 700), "1/1", fontsize=8)
    document.save(tmp_path / "only.pdf")
    loaded = load(tmp_path / "only.pdf")
    assert loaded.summary["footnotes"] == 1
    assert "[^1]: Note 1" in loaded.md and "\n\n1/1" in loaded.md


def test_numbered_lines_of_code_below_a_heading_are_no_notes(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    for row in range(20):
        page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)

    def write(y: float, number: int) -> None:
        page.insert_text((72, y), str(number), fontsize=5)
        page.insert_text((84, y), f"newcommand tide{number} of the gauge", fontsize=8)

    write(430, 11)
    page.insert_text((60, 470), "2.3 Option processing", fontsize=18)
    for number in range(12, 16):
        write(480 + 14 * (number - 11), number)
    page.insert_text((60 + pymupdf.get_text_length(LINE, fontsize=12), 76), "8", fontsize=6)
    page.insert_text((90, 700), "8", fontsize=5)
    page.insert_text((94, 703), "What the gauge says.", fontsize=8)
    document.save(tmp_path / "code.pdf")
    loaded = load(tmp_path / "code.pdf")
    assert [part for part in loaded.md.split("\n\n") if part.startswith("[^")] == [
        "[^8]: What the gauge says."
    ]


def test_numbered_code_at_the_foot_of_a_page_is_no_note(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for row in range(20):
            page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
        for at, text in enumerate((r"\ProvidesLanguage{tidal}", r"[2023/04/05 v1.2]")):
            page.insert_text((62, 700 + 11 * at), str(at + 1), fontsize=5)
            page.insert_text((67, 700 + 11 * at), text, fontsize=8, fontname="cour")
        document.save(tmp_path / "c.pdf")
    assert load(tmp_path / "c.pdf").summary["footnotes"] == 0


def test_notes_below_numbered_code_stay_notes(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for row in range(20):
            page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
        right = 60 + pymupdf.get_text_length(LINE, fontsize=12)
        for at, mark in enumerate("89"):
            page.insert_text((right, 76 + 16 * at), mark, fontsize=6)
        page.insert_text((62, 660), "41", fontsize=5)
        page.insert_text((70, 660), r"\newcommand{\tide}", fontsize=8)
        for at, text in enumerate(("What the gauge says.", "What the book says.")):
            page.insert_text((90, 700 + 12 * at), str(8 + at), fontsize=5)
            page.insert_text((94, 703 + 12 * at), text, fontsize=8)
        document.save(tmp_path / "n.pdf")
    md = load(tmp_path / "n.pdf").md
    assert "[^8]: What the gauge says." in md and "[^9]: What the book says." in md


def test_numbered_lines_set_in_a_monospaced_font_are_no_notes_of_the_same_marks(
    tmp_path: Path,
) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for row in range(20):
            page.insert_text((60, 80 + 16 * row), LINE, fontsize=12)
            if row == 4:
                right = 60 + pymupdf.get_text_length(LINE, fontsize=12)
                page.insert_text((right, 140), "2", fontsize=6)
        for number, field in enumerate(("Station: Whitby", "Gauge: float", "Zero: 1919"), 1):
            at = (62, 600 + 12 * number)
            page.insert_text(at, f"{number} {field}", fontsize=9, fontname="cour")
        page.insert_text((62, 700), "2", fontsize=5)
        page.insert_text((66, 703), "What the gauge says.", fontsize=8)
        document.save(tmp_path / "m.pdf")
    md = load(tmp_path / "m.pdf").md
    assert "```\n1 Station: Whitby\n2 Gauge: float\n3 Zero: 1919\n```" in md
    assert md.endswith("[^2]: What the gauge says.")


def write_linked(path: Path, *, to: float) -> Path:
    """A page with a mark as large as its text, under a link that leads ``to`` a height, the heading
    of a section of the same number, and the note it names."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for row in range(20):
            page.insert_text((60, 80 + 16 * row), LINE + ".12" * (row == 4), fontsize=12)
        left, right = (60 + pymupdf.get_text_length(LINE + t, fontsize=12) for t in (".", ".12"))
        page.insert_text((60, 440), "12 Copper", fontsize=18)
        page.insert_text((70, 745), "12The float is of copper.", fontsize=8)
        place = {"kind": pymupdf.LINK_GOTO, "page": 0, "to": pymupdf.Point(72, to)}
        page.insert_link(place | {"from": pymupdf.Rect(left, 132, right, 148)})
        document.save(path)
    return path


def test_a_mark_as_large_as_the_text_is_one_that_is_linked_to_its_note(tmp_path: Path) -> None:
    loaded = load(write_linked(tmp_path / "l.pdf", to=735))
    assert "down.[^12] the float" in loaded.md
    assert loaded.md.endswith("\n\n[^12]: The float is of copper.")


def test_a_number_that_is_linked_to_something_else_is_no_mark(tmp_path: Path) -> None:
    loaded = load(write_linked(tmp_path / "l.pdf", to=425))
    assert loaded.summary["footnotes"] == 0 and "down.12 the float" in loaded.md
