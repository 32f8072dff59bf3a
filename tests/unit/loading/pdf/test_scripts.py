"""Scripts, fonts and layouts a library meets: what is read, and what is said to be unreadable."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere

PROSE = "the keeper reads the gauge at noon and writes the level down in the ledger of the station "


def load(path: Path) -> Loaded:
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest(path.name))
    places = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, places, Pages(path)) == []
    return loaded


def save(document: pymupdf.Document, path: Path) -> Path:
    document.save(path)
    document.close()
    return path


def write_vertical(path: Path, columns: list[str]) -> Path:
    """Columns of vertical writing from right to left, as a font with vertical mode draws them."""
    document = pymupdf.open()
    page = document.new_page()
    font = page.insert_font(fontname="japan")
    document.xref_set_key(font, "Encoding", "/UniJIS-UCS2-V")
    drawn = []
    for number, column in enumerate(columns):
        codes = column.encode("utf-16-be").hex()
        drawn.append(f"BT /japan 12 Tf 1 0 0 1 {500 - 20 * number} 760 Tm <{codes}> Tj ET")
    content = document.get_new_xref()
    document.update_object(content, "<<>>")
    document.update_stream(content, "\n".join(drawn).encode())
    document.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    return save(document, path)


def test_vertical_writing_is_read_column_by_column(tmp_path: Path) -> None:
    full = "潮位站每天記録海面高度且校準儀器"
    loaded = load(write_vertical(tmp_path / "v.pdf", [full, full, "終了", "次章"]))
    assert loaded.md == f"{full}{full}終了\n次章"
    assert {anchor.page for anchor in loaded.anchors} == {1} and len(loaded.anchors) == 4


def test_vertical_writing_set_character_by_character_is_read_as_columns(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    full = "潮位站每天記録海面高度且校準儀器"
    for number, column in enumerate([full, full, "終了也矣"]):
        for at, character in enumerate(column):
            place = (500 - 20 * number, 100 + 12 * at)
            page.insert_text(place, character, fontname="japan", fontsize=12)
    loaded = load(save(document, tmp_path / "v.pdf"))
    assert loaded.md == f"{full}{full}終了也矣"
    assert len(loaded.anchors) == 3


def test_rows_from_right_to_left_are_full_at_their_left(tmp_path: Path) -> None:
    rows = [
        "המנוף ברציף ארבע נבדק בין השלישי לתשעה עשר וכל",
        "מכלול המשקולת הנגדית היה מהודק יתר על המידה כך",
        "והחבלים הוחלפו",
    ]
    items = ["משימות היום", "פתח את השסתום", "רשום ביומן"]
    document = pymupdf.open()
    page = document.new_page()
    html = "<br>".join(rows) + "<p>" + "<br>".join(items) + "</p>"
    page.insert_htmlbox(pymupdf.Rect(72, 72, 500, 400), f'<div dir="rtl">{html}</div>')
    loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("rtl"))
    document.close()
    assert list(filter(None, loaded.md.split("\n"))) == [" ".join(rows), *items]


@pytest.mark.parametrize("words", ["תחנת הגאות רושמת את גובה הים", "محطة رصد مستوى بحر"])
def test_writing_from_right_to_left_keeps_its_logical_order(tmp_path: Path, words: str) -> None:
    document = pymupdf.open()
    page = document.new_page()
    html = f'<p dir="rtl" style="font-size:16px">{words}</p>'
    page.insert_htmlbox(pymupdf.Rect(72, 72, 500, 200), html)
    loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("rtl"))
    document.close()
    assert loaded.md == words


def test_glyphs_nobody_can_name_are_reported_by_page(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        for row in range(12):
            page.insert_text((72, 100 + 16 * row), f"row {row} of page {number} {PROSE[:40]}")
    page = document[1]
    font = page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    for row in range(3):
        page.insert_text((72, 400 + 16 * row), "潮位站每天记录海面", fontname="F0")
    document.xref_set_key(font, "ToUnicode", "null")
    path = save(document, tmp_path / "nameless.pdf")
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest("nameless.pdf"))
    assert loaded.warnings == ["UNDECODABLE_TEXT: page 2"]
    assert loaded.summary["pages_undecodable"] == [2]
    assert loaded.summary["pages_without_text"] == []
    assert "�" in loaded.md and "row 3 of page 1" in loaded.md


def test_scans_under_a_stencil_are_pages_without_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "A cover with words.")
    page = document.new_page()
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 64, 64))
    picture.clear_with(0)
    xref = page.insert_image(pymupdf.Rect(0, 0, 595, 842), pixmap=picture)
    bits = bytes(64 * 64 // 8)
    stencil = "<</Type/XObject/Subtype/Image/Width 64/Height 64/ImageMask true/BitsPerComponent 1>>"
    document.update_object(xref, stencil)
    document.update_stream(xref, bits)
    loaded = load(save(document, tmp_path / "stencil.pdf"))
    assert loaded.summary["pages_without_text"] == [2]
    assert loaded.warnings == ["PAGES_WITHOUT_TEXT: page 2"]
    assert [ref.page for ref in loaded.media_refs] == [2]


def test_three_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    columns = [[f"{name} row {row} is as wide as" for row in range(12)] for name in "abc"]
    for row in range(12):
        for at, column in enumerate(columns):
            page.insert_text((50 + 170 * at, 100 + 14 * row), column[row], fontsize=11)
    loaded = load(save(document, tmp_path / "three.pdf"))
    flat = " ".join(loaded.md.split())
    assert flat == " ".join(" ".join(column) for column in columns)


def test_hyphens_go_only_where_a_word_was_divided(tmp_path: Path) -> None:
    rows = [
        "the keeper of the worst case ledger reads the docu-",
        "ment at noon and enters every level in the self-",
        "made chart; the tide-gauge is oiled before a worst-",
        "case storm, and the well-known clerk checks the tide-",
        "gauge again, since the instru-",
    ]
    document = pymupdf.open()
    page = document.new_page(width=400)
    for at, row in enumerate(rows):
        page.insert_text((60, 100 + 15 * at), row, fontsize=11)
    page.insert_text((60, 100 + 15 * len(rows)), "ment wears.", fontsize=11)
    loaded = load(save(document, tmp_path / "hyphens.pdf"))
    text = " ".join(loaded.md.split())
    for whole in ("the document at", "self-made", "worst-case storm", "the tide-gauge again"):
        assert whole in text


def test_ligatures_are_written_with_their_letters(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((72, 100), "the o\ufb03ce and its \ufb01le", fontname="F0")
    path = save(document, tmp_path / "ligatures.pdf")
    assert PdfLoader(PdfParams()).load(path, LoadRequest("f")).md == "the office and its file"


def write_raised(path: Path, pieces: list[tuple[str, bool]]) -> Path:
    document = pymupdf.open()
    writer = pymupdf.TextWriter(document.new_page().rect)
    at = pymupdf.Point(72, 100)
    font = pymupdf.Font("cjk")
    for text, raised in pieces:
        place = at - (0, 4) if raised else at
        _, at = writer.append(place, text, font=font, fontsize=7 if raised else 11)
        at = pymupdf.Point(at.x, 100)
    writer.write_text(document[0])
    return save(document, path)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([("The colony held 4,210", False), ("3", True), (" pairs.", False)], "4,210^3 pairs"),
        ([("In 2019", False), ("12", True), (" it grew.", False)], "In 2019^12 it grew"),
        ([("About 2.4 × 10", False), ("6", True), (" worms", False)], "2.4 × 10^6 worms"),
        ([("about 10", False), ("−3", True), (" mol", False)], "10^(−3) mol"),
        ([("密度为每平方米 5 km", False), ("2", True), ("。", False)], "5 km^2。"),
        ([("see 4,210", False), ("3", True), (" and km", False), ("2", True)], "4,210^3 and km^2"),
        ([("with R", False), ("2", True), (" = 0.87 over all", False)], "with R^2 = 0.87"),
        ([("It grew by 12%", False), ("4", True), (" a year", False)], "12%^4 a year"),
    ],
)
def test_raised_numbers_are_no_digits_of_what_they_stand_behind(
    tmp_path: Path, pieces: list[tuple[str, bool]], said: str
) -> None:
    assert said in load(write_raised(tmp_path / "raised.pdf", pieces)).md


@pytest.mark.parametrize(
    ("pieces", "row"),
    [
        ({72: "甲方（盖章）：", 300: "乙方（盖章）："}, "甲方（盖章）： 乙方（盖章）："),
        ({72: "第一章", 140: "总则"}, "第一章 总则"),
        ({72: "一", 120: "总则"}, "一 总则"),
        # Words that are set wide, and room for an answer.
        ({72: "摘", 120: "要"}, "摘要"),
        ({72: "姓", 120: "名：张三", 300: "学", 348: "号：12"}, "姓名：张三 学号：12"),
        ({72: "下列说法正确的是（", 240: "）"}, "下列说法正确的是（）"),
        ({72: "下列说法正确的是", 240: "（", 280: "）"}, "下列说法正确的是（）"),
        # What the extraction cut without a gap.
        ({72: "甲方", 97: "盖章"}, "甲方盖章"),
    ],
)
def test_chinese_far_apart_on_a_row_is_not_one_word(
    pieces: dict[int, str], row: str, tmp_path: Path
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for x, text in pieces.items():
        page.insert_text((x, 100), text, fontname="china-s", fontsize=12)
    assert load(save(document, tmp_path / "w.pdf")).md == row
