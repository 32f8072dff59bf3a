"""PDF facts: order, structure, places, and every broken kind with its code."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.parse import RawBytes
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.media.pdf_images import PdfImages
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from tests.fixtures.pdfs import write_columns, write_pdf
from tests.fixtures.places import Pages, words_elsewhere
from tests.fixtures.scans import drawn_pdf

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


def load(data: Path | bytes, **request: int) -> Loaded:
    return PdfLoader(PdfParams()).load(data, LoadRequest("file.pdf", **request))


def code_of(data: Path | bytes, **request: int) -> ErrorCode:
    with pytest.raises(ExcerptaError) as caught:
        load(data, **request)
    return caught.value.code


def write_rows(path: Path, rows: Sequence[str], font: str = "helv") -> Path:
    """A page of rows in a font that has more than Latin-1."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    writer = pymupdf.TextWriter(page.rect)
    for number, text in enumerate(rows):
        writer.append((72, 100 + 15 * number), text, font=pymupdf.Font(font), fontsize=11)
    writer.write_text(page)
    document.save(path)
    document.close()
    return path


def check_anchors(loaded: Loaded, path: Path) -> None:
    """Anchors are in order, on pages that exist, and their boxes hold their words."""
    end = 0
    pages = Pages(path)
    for anchor in loaded.anchors:
        assert end <= anchor.char_start < anchor.char_end <= len(loaded.md)
        end = anchor.char_end
        assert 1 <= anchor.page <= pages.count
    assert words_elsewhere(loaded.md, [a._asdict() for a in loaded.anchors], pages) == []


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.pdf")), ids=lambda path: path.name)
def test_samples_are_read_to_the_character(path: Path) -> None:
    loaded = load(path)
    check_anchors(loaded, path)
    covered = sum(anchor.char_end - anchor.char_start for anchor in loaded.anchors)
    assert covered >= sum(ch.isalnum() for ch in loaded.md)
    assert loaded.warnings == []
    with pymupdf.open(path) as document:
        raw = "".join(page.get_text() for page in document)
    assert loaded.pages and loaded.pages >= 2
    squeezed = "".join(loaded.md.split())
    words = raw.split()
    assert sum(word in squeezed for word in words) >= 0.99 * len(words)


def test_the_english_sample_keeps_its_structure() -> None:
    loaded = load(SAMPLES / "annual-report-2025.pdf")
    lines = loaded.md.split("\n")
    assert "# Annual Report 2025" in lines
    assert "## Extreme levels" in lines
    assert "| Month | Mean (m) | Highest (m) | Lowest (m) |" in lines
    assert "| January | 2.951 | 5.213 | 0.702 |" in lines
    assert any("missing day, 11 November" in line and "one missing" in line for line in lines)
    assert loaded.language == "en"
    kinds = {item.kind for item in loaded.furniture}
    assert kinds == {"header", "page_number"}
    assert len(loaded.furniture) == 2 * (loaded.pages or 0)
    (image,) = loaded.media_refs
    assert image.origin_ref.startswith("pdf:xref=")
    assert loaded.md[image.char_start : image.char_end] == f"![]({image.origin_ref})"
    assert image.page is not None and image.x0 is not None
    for item in loaded.outline:
        assert item.char_start is not None
        assert loaded.md[item.char_start :].startswith("#" * item.level + " " + item.title)


def test_chinese_lines_are_joined_without_blanks() -> None:
    loaded = load(SAMPLES / "校准记录.pdf")
    assert loaded.language == "zh"
    assert "每次校准由两人共同完成，在平潮时进行，水位在十分钟内的变化必须小于五毫米。" in loaded.md
    assert {loaded.md[item.char_start : item.char_end] for item in loaded.furniture} == {
        "黑貂湾潮位站 校准记录",
        "第 1 页",
        "第 2 页",
    }


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = [f"left row {n} has several words to fill it" for n in range(12)]
    right = [f"right row {n} has several words to fill" for n in range(12)]
    path = write_columns(tmp_path / "c.pdf", left, right, "A title across both")
    loaded = load(path)
    text = " ".join(loaded.md.split())
    places = [text.index(row) for row in ["A title", *left, *right]]
    assert places == sorted(places)
    check_anchors(loaded, path)


def test_words_cut_at_the_end_of_a_line_are_joined(tmp_path: Path) -> None:
    text = (
        "The harbour office keeps a record of every meas-\n"
        "urement it makes of the sea, and the twenty-\n"
        "First one is kept as well as all the others are."
    )
    loaded = load(write_pdf(tmp_path / "h.pdf", [text]))
    assert "every measurement it makes" in loaded.md
    assert "twenty-First" in loaded.md


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["The wave of COVID-", "19 had passed its peak."], "of COVID-19 had"),
        (["Workers who come from a non-", "EU state need a permit."], "a non-EU state"),
        (["Prices rose in the years 1914–", "1918 by a fifth."], "years 1914–1918 by"),
        (["The new font is an Open-", "Type font; OpenType was new."], "an OpenType font"),
        (["A row of the ledger ends with a -", "Dash that stands alone."], "with a -\nDash"),
    ],
)
def test_a_hyphen_or_dash_ties_what_follows_to_it(
    rows: list[str], text: str, tmp_path: Path
) -> None:
    # The second row has room at the end of the first, and still it goes on.
    loaded = load(write_rows(tmp_path / "t.pdf", [*rows, "x" * 60]))
    assert text in loaded.md


def test_chinese_stands_as_close_to_digits_in_broken_lines_as_in_whole_ones(
    tmp_path: Path,
) -> None:
    rows = [
        "本市自来水公司成立于一九零八年，供水能力由最初的每日3000",
        "吨提高到现在的每日120万吨，",
    ]
    loaded = load(write_rows(tmp_path / "c.pdf", [*rows, "管网总长度超过9800公里。"], "cjk"))
    assert "每日3000吨提高" in loaded.md
    spaced = [row.replace("120万", " 120 万") for row in rows]
    loaded = load(write_rows(tmp_path / "s.pdf", [*spaced, "管网总长度超过 9800 公里。"], "cjk"))
    assert "每日3000 吨提高" in loaded.md


def test_a_paragraph_goes_on_over_the_end_of_a_page(tmp_path: Path) -> None:
    document = pymupdf.open()
    ends = [
        "this row is the very last one of its page and goes",
        "A row that is as wide and does not end its sentence is",
    ]
    starts = ["on at the top of the page that follows it.", "Capital letters begin something new."]
    for number in range(3):
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 50), "Annual notes", fontsize=9)
        if number:
            page.insert_text((72, 100), starts[number - 1], fontsize=11)
        for row in range(20):
            text = f"row {number}.{row} is as wide as the others are and ends in."
            page.insert_text((72, 130 + 14 * row), text, fontsize=11)
        if number < 2:
            page.insert_text((72, 130 + 14 * 20), ends[number] + " few", fontsize=11)
        page.insert_text((290, 810), str(number + 1), fontsize=9)
    document.save(tmp_path / "p.pdf")
    document.close()
    loaded = load(tmp_path / "p.pdf")
    check_anchors(loaded, tmp_path / "p.pdf")
    flat = loaded.md.replace("\n", " ")
    assert "its page and goes few on at the top of the page" in flat
    assert f"{ends[1]} few\n\n" in loaded.md
    assert len(loaded.furniture) == 6
    pages = {
        a.page for a in loaded.anchors if loaded.md[a.char_start :].startswith("on at the top")
    }
    assert pages == {2}


@pytest.mark.parametrize("raised", ["m<sup>3</sup> of", "t<sub>1/2</sub>, m<sup>3</sup> and"])
def test_what_is_raised_or_lowered_tears_no_paragraph(raised: str) -> None:
    text = (
        "The board heard the report of the surveyor on the state of the northern pier. Three of "
        f"the oak piles had been eaten through by shipworm, and {raised} "
    )
    document = pymupdf.open()
    html = f"<p style='line-height:1.7;font-size:11px'>{text * 6}</p>"
    document.new_page().insert_htmlbox((72, 72, 500, 700), html)
    loaded = load(document.tobytes())
    document.close()
    assert loaded.counts["paragraphs"] == 1


@pytest.mark.parametrize("pitch", [13.2, 16.5, 20])
def test_a_superscript_above_a_subscript_goes_on_with_its_row(pitch: float, tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    rows = [
        [("The board met in the small hall above the fish market, and heard the report", 11, 0)],
        [
            ("of the surveyor. The sulphate SO", 11, 0),
            ("4", 7, 2),
            ("2-", 7, -4),
            (" was found in the water at milligrams", 11, 0),
        ],
        [("to the litre, and so the water may be drunk by the crews of all of the ships", 11, 0)],
        [("that call at the pier. The straps of iron were no longer sound, and taken off.", 11, 0)],
    ]
    for number, pieces in enumerate(rows):
        x: float = 72
        for text, size, lowered in pieces:
            at = (x, 90 + pitch * number + lowered)
            page.insert_text(at, text, fontsize=size, fontname="tiro")
            x += pymupdf.get_text_length(text, "tiro", size)
    document.save(tmp_path / "s.pdf")
    document.close()
    loaded = load(tmp_path / "s.pdf")
    assert loaded.counts["paragraphs"] == 1
    assert "The sulphate SO42- was found in the water at milligrams to the litre" in loaded.md
    check_anchors(loaded, tmp_path / "s.pdf")


def test_a_root_stands_in_its_sentence(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font = "china-s"
    y = 100.0
    page.insert_text((72, y), "已知圆锥的底面半径为", fontname=font, fontsize=11)
    # TeX sets the sign from its top downwards.
    page.insert_text((72 + 10 * 11 + 3, y - 9), "√", fontname=font, fontsize=11)
    page.insert_text((72 + 11 * 11 + 3, y), "2，其侧面为一个半圆", fontname=font, fontsize=11)
    document.save(tmp_path / "root.pdf")
    document.close()
    loaded = load(tmp_path / "root.pdf")
    assert loaded.md == "已知圆锥的底面半径为 √2，其侧面为一个半圆"
    check_anchors(loaded, tmp_path / "root.pdf")


def test_a_page_number_between_dashes_is_no_list(tmp_path: Path) -> None:
    rows = ["The board met in the hall.", "— 1 —", "— 2 apples"]
    loaded = load(write_rows(tmp_path / "d.pdf", rows))
    assert loaded.md.split() == " ".join([*rows[:2], "- 2 apples"]).split()


def test_answers_to_choose_from_begin_a_row(tmp_path: Path) -> None:
    question = "1. Which of these stands on the northern pier, above the fish market?"
    rows = [question, "A. a lamp  B. a crane  C. a hall and the house of the harbour board"]
    loaded = load(write_pdf(tmp_path / "q.pdf", ["\n".join(rows)]))
    assert loaded.md == "\n".join(rows)
    rows = [question, "A. Smith was asked, and he said that there was nothing to be seen."]
    loaded = load(write_pdf(tmp_path / "s.pdf", ["\n".join(rows)]))
    assert " ".join(rows) in loaded.md


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
    assert loaded.counts["notes"] == 2
    (mark,) = [a for a in loaded.anchors if loaded.md[a.char_start : a.char_end] == "Which gauge"]
    assert mark.page == 1 and mark.x0 is not None and abs(mark.x0 - 72) < 15
    without = PdfLoader(PdfParams(annotations=False)).load(tmp_path / "b.pdf", LoadRequest("f"))
    assert "ledger" not in without.md and without.counts["notes"] == 0


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


def test_code_keeps_its_indentation_and_its_blank_lines(tmp_path: Path) -> None:
    code = "def level(x):\n    if x > 0:\n        return x\n\n    # none\n\ndef next():\n    pass"
    document = pymupdf.open()
    page = document.new_page()
    for row, line in enumerate(code.split("\n")):
        page.insert_text((72, 100 + 12 * row), line, fontname="cour", fontsize=10)
    document.save(tmp_path / "c.pdf")
    document.close()
    assert load(tmp_path / "c.pdf").md == f"```\n{code}\n```"
    check_anchors(load(tmp_path / "c.pdf"), tmp_path / "c.pdf")


def test_a_paragraph_goes_on_in_the_next_column(tmp_path: Path) -> None:
    left = [f"left row {n} has several words to fill it" for n in range(12)]
    right = [f"stances of row {n} that has some words" for n in range(12)]
    left[-1] = "it was governed by extraordinary circum-"
    path = write_columns(tmp_path / "c.pdf", left, right, "A title across both")
    loaded = load(path)
    assert "circumstances of row 0" in loaded.md
    check_anchors(loaded, path)
    right[0] = "Stances of row 0 that has some words"
    assert "circum-\n\nStances" in load(write_columns(path, left, right, "A title")).md


def test_the_title_of_a_table_is_a_heading(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 70), "Register of moorings", fontsize=16)
    for row in range(15):
        y = 100 + 20 * row
        for column in range(4):
            page.draw_rect((72 + 110 * column, y, 182 + 110 * column, y + 20))
            page.insert_text((76 + 110 * column, y + 14), f"cell {row} {column}", fontsize=9)
    document.save(tmp_path / "t.pdf")
    document.close()
    loaded = load(tmp_path / "t.pdf")
    assert loaded.counts["tables"] == 1
    assert [item.title for item in loaded.outline] == ["Register of moorings"]
    assert loaded.title == "Register of moorings"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_end_where_their_page_does(tmp_path: Path, rotation: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for x, y in ((72, 102), (20, 300), (400, 400), (72, 499)):
        page.insert_text((x, y), "the gauge is read at noon and at midnight", fontsize=16)
    page.set_cropbox((40, 100, 500, 500))
    page.set_rotation(rotation)
    document.save(tmp_path / "c.pdf")
    document.close()
    loaded = load(tmp_path / "c.pdf")
    assert len(loaded.anchors) == 4
    for anchor in loaded.anchors:
        assert None not in (anchor.x0, anchor.y0, anchor.x1, anchor.y1)
        assert 0 <= (anchor.x0 or 0) < (anchor.x1 or 0) <= 460
        assert 0 <= (anchor.y0 or 0) < (anchor.y1 or 0) <= 400


def test_lists_stay_lists_and_hash_marks_stay_text(tmp_path: Path) -> None:
    text = "Bring with you:\n• a lamp\n• a rope\n1. first\n2. second\n# not a heading"
    loaded = load(write_pdf(tmp_path / "l.pdf", [text]))
    lines = loaded.md.split("\n")
    assert {"- a lamp", "- a rope", "1. first", "2. second", "\\# not a heading"} <= set(lines)


def test_rotated_pages_are_read_in_the_order_they_are_shown(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "flat.pdf", ["first line\nsecond line\nthird line"])
    document = pymupdf.open(path)
    document[0].set_rotation(180)
    document.save(tmp_path / "turned.pdf")
    document.close()
    loaded = load(tmp_path / "turned.pdf")
    check_anchors(loaded, tmp_path / "turned.pdf")
    assert loaded.md == "first line second line third line"


def test_titles(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "Set in large letters", fontsize=24)
    page.insert_text((72, 130), "A body text that is much longer than its title is.", fontsize=10)
    document.set_metadata({"title": "Microsoft Word - draft.docx", "author": "N. N."})
    document.save(tmp_path / "t.pdf")
    loaded = load(tmp_path / "t.pdf")
    assert loaded.title == "Set in large letters"
    assert loaded.metadata["author"] == "N. N."
    document.set_metadata({"title": "Named in its properties"})
    document.save(tmp_path / "u.pdf")
    document.close()
    assert load(tmp_path / "u.pdf").title == "Named in its properties"


def test_page_labels_and_outline(tmp_path: Path) -> None:
    document = pymupdf.open(write_pdf(tmp_path / "a.pdf", ["Preface", "Start", "End"]))
    document.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": 1, "prefix": "A-", "style": "D", "firstpagenum": 1},
        ]
    )
    document.set_toc([[1, "Start", 2], [2, "Nowhere", 3]])
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = load(tmp_path / "b.pdf")
    assert loaded.page_labels == ["i", "A-1", "A-2"]
    assert [(i.level, i.title, i.page, i.char_start) for i in loaded.outline][1] == (
        2,
        "Nowhere",
        3,
        None,
    )
    assert load(tmp_path / "a.pdf").page_labels is None


def test_a_scan_is_ready_with_a_warning(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    Image.new("RGB", (300, 200), "white").save(picture)
    document = pymupdf.open()
    document.new_page().insert_image((50, 50, 350, 250), filename=str(picture))
    document.save(tmp_path / "scan.pdf")
    document.close()
    loaded = load(tmp_path / "scan.pdf")
    assert loaded.warnings[0].startswith("NO_TEXT")
    assert len(loaded.media_refs) == 1
    empty = write_pdf(tmp_path / "empty.pdf", ["", ""])
    assert load(empty).warnings[0].startswith("NO_TEXT")
    half = write_pdf(tmp_path / "half.pdf", ["text", ""])
    assert load(half).warnings == ["PAGES_WITHOUT_TEXT: page 2"]


def test_encrypted_documents(tmp_path: Path) -> None:
    locked = write_pdf(
        tmp_path / "user.pdf",
        ["secret"],
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="open sesame",
        owner_pw="owner",
    )
    assert code_of(locked) == ErrorCode.PDF_ENCRYPTED
    readable = write_pdf(
        tmp_path / "owner.pdf",
        ["free to read"],
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        owner_pw="owner",
    )
    assert load(readable).md == "free to read"


def test_broken_documents(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = write_pdf(tmp_path / "w.pdf", [f"page {n}" for n in range(5)]).read_bytes()
    assert code_of(b"") == ErrorCode.EMPTY_FILE
    for other in (b"not a pdf at all", b"# Markdown", b"<html><body>text</body></html>"):
        assert code_of(other) == ErrorCode.PDF_CORRUPT
    for length in (60, 300, 600):
        assert code_of(whole[:length]) == ErrorCode.PDF_CORRUPT
    assert code_of(b"%PDF-1.7\n" + b"\x00garbage" * 500) == ErrorCode.PDF_CORRUPT
    page = tmp_path / "page"
    page.write_bytes(b"<!doctype html><html><body>Not found</body></html>")
    for other in (page, page.read_bytes()):  # what a failed download leaves behind
        assert code_of(other) == ErrorCode.PDF_CORRUPT
    assert code_of(whole, max_pages=4) == ErrorCode.PDF_TOO_MANY_PAGES
    no_pages = (
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
        b"2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
        b"trailer\n<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )
    assert code_of(no_pages) == ErrorCode.PDF_NO_PAGES
    # A file that lost its end may still have pages that can be read.
    cut = whole[: len(whole) * 3 // 4]
    try:
        assert load(cut).pages
    except ExcerptaError as exc:
        assert exc.code == ErrorCode.PDF_CORRUPT
    assert capfd.readouterr() == ("", "")


def test_a_page_of_shapes_alone_is_a_picture_and_an_empty_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "drawn.pdf"
    drawn_pdf(path, [["Plan of the sluice"]])
    with pymupdf.open(path) as document:
        document.new_page()
        coloured = document.new_page()
        coloured.draw_rect(coloured.rect, fill=(1, 1, 0.9), color=None)
        coloured.draw_line((0, 20), (595, 20))
        coloured.draw_line((0, 800), (595, 800))
        document[0].set_rotation(90)
        document.saveIncr()
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest("x"))
    assert loaded.md == "![](pdf:page=1#drawing)"
    (image,) = loaded.media_refs
    assert (image.page, image.x0, image.y0, image.x1, image.y1) == (1, 0, 0, 420, 200)
    assert loaded.counts["pages_without_text"] == [1, 2, 3]
    drawing = PdfImages(RawBytes(str(path), 0, path.stat().st_size), 10_000_000)
    shown = pymupdf.Pixmap(drawing.read(image.origin_ref))
    # As displayed: turned, at 150 dots an inch.
    assert (shown.width, shown.height) == (round(200 * 150 / 72), 875)
    small = PdfImages(RawBytes(str(path), 0, path.stat().st_size), 10_000)
    assert pymupdf.Pixmap(small.read(image.origin_ref)).width < 80


def test_pages_that_face_each_other_on_a_sheet_are_read_one_after_the_other(
    tmp_path: Path,
) -> None:
    document = pymupdf.open()
    for middle in ("", "and goes on over the fold of the sheet to its right half"):
        page = document.new_page(width=842, height=595)
        for row in range(8):
            # Short lines: neither side is running text.
            page.insert_text((60, 80 + 40 * row), f"left {row} " + "word " * (1 + row % 4))
            page.insert_text((500, 81 + 40 * row), f"right {row} " + "word " * (1 + row % 3))
        page.insert_text((250, 420), middle)
    document.save(tmp_path / "sheet.pdf")
    document.close()
    loaded = load(tmp_path / "sheet.pdf")
    sheet, crossed = loaded.md[: loaded.md.index("right 7")], loaded.md.split("right 7")[1]
    assert sheet.index("left 7") < sheet.index("right 0")
    assert crossed.index("right 0") < crossed.index("left 7")
    check_anchors(loaded, tmp_path / "sheet.pdf")


def test_what_does_not_stand_on_the_pages_is_told(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Please wait: your viewer cannot show this form.")
    document.embfile_add("lease.txt", b"The rent is 900 a month.")
    catalog = document.pdf_catalog()
    document.xref_set_key(catalog, "AcroForm", "<</Fields [] /XFA (data)>>")
    document.xref_set_key(catalog, "NeedsRendering", "true")
    document.save(tmp_path / "form.pdf")
    warnings = load(tmp_path / "form.pdf").warnings
    assert [warning.partition(":")[0] for warning in warnings] == ["XFA_FORM", "EMBEDDED_FILES"]
    assert "1 attached and not read: lease.txt" in warnings[1]
