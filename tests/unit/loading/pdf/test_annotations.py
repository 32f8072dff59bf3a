"""What was put on the pages of a PDF later: comments, forms that were filled in, stamps."""

from pathlib import Path

import pymupdf

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.pdf.extraction.blocks import Line, TextBlock, bounds
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.file.annotations import CheckBox
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.loading.pdf.pages.ticks import write_ticks
from tests.fixtures.pdfs import write_pdf
from tests.unit.loading.pdf.facts import load


def test_comments_and_form_values_are_facts(tmp_path: Path) -> None:
    document = pymupdf.open(write_pdf(tmp_path / "a.pdf", ["The gauge is read at noon.", "Next."]))
    page = document[0]
    page.add_text_annot((300, 100), "Was it?\nSee the ledger.")
    page.add_highlight_annot((72, 90, 120, 104)).set_info(content="Which gauge")
    page.add_freetext_annot((72, 300, 300, 340), "Drawn on the page")
    field = pymupdf.Widget()
    field.rect, field.field_type = pymupdf.Rect(72, 400, 300, 420), pymupdf.PDF_WIDGET_TYPE_TEXT
    field.field_name, field.field_value = "observer", "N. Okafor"
    page.add_widget(field)
    document.set_metadata({})
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = load(tmp_path / "b.pdf")
    assert "> Was it?\n> See the ledger.\n\n> Which gauge\n\nNext." in loaded.md
    assert loaded.md.count("Drawn on the page") == loaded.md.count("N. Okafor") == 1
    assert loaded.summary["notes"] == 2
    (mark,) = [a for a in loaded.anchors if loaded.md[a.char_start : a.char_end] == "Which gauge"]
    assert mark.page == 1 and mark.x0 is not None and abs(mark.x0 - 72) < 15
    without = PdfLoader(PdfParams(annotations=False)).load(tmp_path / "b.pdf", LoadRequest("f"))
    assert "ledger" not in without.md and without.summary["notes"] == 0


def test_what_was_stamped_or_filled_in_is_no_heading_and_ticks_are_signs(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "Application for a mooring", fontsize=16)
    page.insert_text((72, 140), "Insured", fontsize=10)
    for row in range(6):
        page.insert_text((72, 400 + 14 * row), f"row {row} of what is asked below", fontsize=10)
    page.add_stamp_annot((300, 560, 500, 620), stamp=0)
    for at, (kind, value) in enumerate(
        [(pymupdf.PDF_WIDGET_TYPE_TEXT, "Beatrix"), (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True)]
    ):
        field = pymupdf.Widget()
        field.rect = pymupdf.Rect(200, 180 - 50 * at, 200 + (200, 14)[at], 180 - 50 * at + 30)
        field.field_type, field.field_name, field.field_value = kind, f"f{at}", value
        field.text_fontsize = (24, 0)[at]
        page.add_widget(field)
    document.save(tmp_path / "f.pdf")
    document.close()
    loaded = load(tmp_path / "f.pdf")
    assert loaded.title == "Application for a mooring"
    assert [item.title for item in loaded.outline] == ["Application for a mooring"]
    assert "APPROVED" in loaded.md and "Beatrix" in loaded.md
    assert "✓" in loaded.md or "✔" in loaded.md


def test_what_was_filled_in_is_read_behind_its_label(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()

    def ask(label: str, at: tuple[int, int], value: str, right: int = 90, low: int = -11) -> None:
        x, y = at
        page.insert_text(at, label, fontsize=10)
        field = pymupdf.Widget()
        field.rect = pymupdf.Rect(x + right, y + low, x + right + 130, y + low + 16)
        field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, label
        field.field_value, field.text_fontsize = value, 10
        page.add_widget(field)

    ask("Boat", (72, 100), "Marigold")
    ask("Length", (320, 100), "7.4 m")
    ask("Home port", (72, 124), "Whitby")
    ask("Draught", (320, 124), "1.1 m")
    ask("I arrive on", (72, 150), "3 May")
    page.insert_text((300, 150), "and stay for a week.", fontsize=10)
    ask("Owner", (72, 200), "Nkechi Okafor", right=0, low=4)
    ask("Telephone", (320, 200), "01632 960 001", right=0, low=4)
    document.save(tmp_path / "f.pdf")
    document.close()
    text = load(tmp_path / "f.pdf").md
    assert [line for line in text.split("\n") if line] == [
        "Boat Marigold Length 7.4 m",
        "Home port Whitby Draught 1.1 m",
        "I arrive on 3 May and stay for a week.",
        "Owner Telephone",
        "Nkechi Okafor 01632 960 001",
    ]


def test_boxes_of_a_form_say_whether_they_are_ticked(tmp_path: Path) -> None:
    def form(ticked: str) -> str:
        document = pymupdf.open()
        page = document.new_page()
        page.insert_text((72, 80), "Type of mooring", fontsize=10)
        for at, name in enumerate(["Pontoon", "Swinging"]):
            page.insert_text((200 + 100 * at, 80), name, fontsize=10)
            field = pymupdf.Widget()
            field.rect = pymupdf.Rect(180 + 100 * at, 70, 192 + 100 * at, 82)
            field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, name
            field.field_value = name == ticked
            page.add_widget(field)
        document.save(tmp_path / "form.pdf")
        document.close()
        return load(tmp_path / "form.pdf").md

    assert form("Swinging") == "Type of mooring ☐ Pontoon ☒ Swinging"
    assert form("") == "Type of mooring Pontoon Swinging"


def test_every_box_of_a_large_form_is_a_sign() -> None:
    size = 1000
    lines = []
    for row in range(60):
        place = Box(2_000, 1_500 * row, 8_000, 1_500 * row + size)
        lines.append(
            Line(
                f"row {row}", place, place.x0, place.y0, place.x1, place.y1, place.y1, size,
                bold=False, mono=False, vertical=False,
            )
        )  # fmt: skip
    boxes = [
        CheckBox(Box(8_500 + 900 * at, line.y0, 9_000 + 900 * at, line.y1), is_ticked=at == 0)
        for line in lines
        for at in range(10)
    ]
    block = TextBlock(bounds(lines), lines)
    write_ticks([block], boxes)
    assert "".join(line.text for line in block.lines[-11:]) == "row 59☒" + "☐" * 9
    assert sum(line.text in "☒☐" for line in block.lines) == len(boxes)
