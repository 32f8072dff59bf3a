"""Headings that only their weight tells."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load

TEXT = [
    "The gauge is read at noon and once more in the evening of each day, by the",
    "keeper of the northern pier.",
]
CLAUSES = ["1 Scope", *TEXT, "2 Readings", *TEXT, "3 Storage", *TEXT]


def write_rows(path: Path, rows: Sequence[str], bold: Sequence[str], pitch: float = 1.2) -> Path:
    """Rows of text, each that begins with one of ``bold`` so far in bold, ``pitch`` font sizes from
    each other: rows close to each other are one block, and those far apart are blocks."""
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(rows):
        y = 100 + 11 * pitch * at
        start = next((each for each in bold if row.startswith(each)), "")
        page.insert_text((72, y), start, fontsize=11, fontname="hebo")
        x = 72 + pymupdf.get_text_length(start, "hebo", 11)
        page.insert_text((x, y), row[len(start) :], fontsize=11)
    document.save(path)
    document.close()
    return path


def titles(path: Path) -> list[str]:
    return [item.title for item in load(path).outline]


def test_numbered_headings_as_close_to_the_text_as_its_rows_are(tmp_path: Path) -> None:
    heads = [row for row in CLAUSES if row not in TEXT]
    assert titles(write_rows(tmp_path / "c.pdf", CLAUSES, heads)) == heads


@pytest.mark.parametrize(
    "rows",
    [
        # Bold text that begins with a number.
        [*TEXT, "2 of them were read", "at noon, and no", "others were.", *TEXT],
        # A sentence that goes on before or behind it.
        [TEXT[0], "2 pilots of the", TEXT[1], *TEXT],
        [*TEXT, f"2 pilots read that {TEXT[0][:-18]}", TEXT[1], *TEXT],
    ],
)
def test_bold_rows_of_text_are_no_headings(rows: list[str], tmp_path: Path) -> None:
    bold = [row for row in rows if row not in TEXT]
    assert titles(write_rows(tmp_path / "b.pdf", rows, bold)) == []


def test_a_row_that_begins_in_bold_and_breaks_a_word_is_no_heading(tmp_path: Path) -> None:
    rows = [*TEXT, "gauge=true The gauge of the har-", "bour is read at noon.", *TEXT]
    assert titles(write_rows(tmp_path / "w.pdf", rows, ["gauge=true"], pitch=2)) == []


@pytest.mark.parametrize("pitch", [1.2, 2])
def test_a_heading_of_two_rows_is_whole(pitch: float, tmp_path: Path) -> None:
    head = ["2 Considerations concerning simultaneous hydrographical readings of", "the gauge."]
    path = write_rows(tmp_path / "h.pdf", [*TEXT, *head, *TEXT, *TEXT], head, pitch)
    assert titles(path) == [" ".join(head)]


def test_items_of_a_report_end_with_a_full_stop(tmp_path: Path) -> None:
    heads = ["PART I", "Item 1. Business.", "Item 1A. Risk Factors."]
    rows = [*heads[:2], *TEXT, heads[2], *TEXT]
    assert titles(write_rows(tmp_path / "i.pdf", rows, heads, pitch=2)) == heads


def emboldened(font: bytes) -> bytes:
    """A TrueType font that says it is bold (OpenType, tables ``OS/2`` and ``head``)."""
    changed = bytearray(font)
    for tag, low_byte, bit in ((b"OS/2", 63, 0x20), (b"head", 45, 0x01)):
        entry = font.index(tag, 12)
        changed[int.from_bytes(font[entry + 8 : entry + 12]) + low_byte] |= bit
    return bytes(changed)


def write_law(path: Path, rows: Sequence[tuple[str, str]]) -> Path:
    """Rows of Chinese text, each with a bold beginning and the rest, all blocks of their own."""
    document = pymupdf.open()
    page = document.new_page(width=144 + 30 * 14)
    font = pymupdf.Font("cjk")
    droid = font.buffer
    page.insert_font(fontname="droid", fontbuffer=droid)
    page.insert_font(fontname="bold", fontbuffer=emboldened(droid))
    for at, (bold, text) in enumerate(rows):
        y = 100 + 28 * at
        page.insert_text((72, y), bold, fontsize=14, fontname="bold")
        x = 72 + font.text_length(bold, 14)
        page.insert_text((x, y), text, fontsize=14, fontname="droid")
    document.save(path)
    document.close()
    return path


LAW = [
    ("第一条", "　为了规范数据处理活动，保障数据安全，促进数据开发，制定"),
    ("", "本法，在中华人民共和国境内开展数据处理活动适用本法。"),
    ("第二条", "　本法所称数据，是指对信息的记录。"),
    ("", "数据处理，包括数据的收集、存储、使用、加工、传输、公开等。"),
]


def test_articles_of_a_contract_are_headings_and_those_of_a_law_are_text(tmp_path: Path) -> None:
    assert titles(write_law(tmp_path / "l.pdf", LAW * 2)) == []
    heads = ["第一条　合同标的", "第二条　价款"]
    text = ("", "甲乙双方在平等、自愿、公平、诚实信用的基础上，订立本合同。")
    assert titles(write_law(tmp_path / "c.pdf", [(heads[0], ""), text, (heads[1], ""), text])) == (
        heads
    )


def test_a_theorem_of_which_only_the_label_is_bold_is_text(tmp_path: Path) -> None:
    rows = [
        ("定义1.1 (验潮井).", "验潮井是通过进水孔与外海连通的井，用于消除波"),
        ("", "浪影响的竖井。"),
        ("", "浮子随水位升降，通过钢丝绳带动编码器转动，编码器每转一周"),
        ("", "对应水位变化二十厘米。"),
    ]
    path = write_law(tmp_path / "t.pdf", rows * 2)
    assert titles(path) == []
    assert "用于消除波浪影响的竖井。" in load(path).md


def test_a_bold_word_that_begins_a_chinese_paragraph_is_no_heading(tmp_path: Path) -> None:
    rows = [
        ("验潮井", "是通过进水孔与外海连通的井，井里的仪器用来消除外海波浪"),
        ("", "对水位读数的影响。"),
        ("", "浮子随水位升降，通过钢丝绳带动编码器转动，编码器每转一周"),
        ("", "对应水位变化二十厘米。"),
    ]
    assert titles(write_law(tmp_path / "b.pdf", rows * 2)) == []


def test_the_caption_of_an_algorithm_and_what_it_requires_are_no_headings(tmp_path: Path) -> None:
    bold = ["Algorithm 1", "Require:"]
    rows = [*TEXT, "Algorithm 1 Greedy placement", "Require: candidates", "1: start", *TEXT]
    assert titles(write_rows(tmp_path / "a.pdf", rows, bold, pitch=2)) == []


def test_bold_entries_of_contents_are_no_headings(tmp_path: Path) -> None:
    document = pymupdf.open(write_rows(tmp_path / "e.pdf", [*TEXT, *TEXT, *TEXT], [], pitch=2))
    page = document[0]
    for number, head in enumerate(["1 Of spring", "2 Of summer"]):
        y = 300 + 80 * number
        page.insert_text((72, y), head, fontsize=11, fontname="hebo")
        page.insert_text((435, y), str(number + 3), fontsize=11, fontname="hebo")
        page.insert_text((90, y + 24), "1.1 Of April" + " ." * 40, fontsize=11)
    loaded = load(document.tobytes())
    document.close()
    assert loaded.outline == []


def test_bold_entries_that_name_a_heading_and_its_page_are_none(tmp_path: Path) -> None:
    rows = ["1 Scope 3", *TEXT, "2 Readings . . . 5", *TEXT, "1 Scope", *TEXT, "2 Readings", *TEXT]
    bold = [row for row in rows if row not in TEXT]
    assert titles(write_rows(tmp_path / "e.pdf", rows, bold, pitch=2)) == ["1 Scope", "2 Readings"]


def test_the_end_of_what_stands_in_brackets_is_no_heading(tmp_path: Path) -> None:
    rows = [*TEXT, "Gauges of the pier (north)", *TEXT, "-C)", *TEXT]
    bold = [row for row in rows if row not in TEXT]
    assert titles(write_rows(tmp_path / "c.pdf", rows, bold, pitch=2)) == [
        "Gauges of the pier (north)"
    ]


@pytest.mark.parametrize(("sizes", "headings"), [((20, 24, 32), []), ((24, 24, 24), list("ABC"))])
def test_single_letters_are_headings_when_their_size_is_one(
    sizes: Sequence[int], headings: list[str], tmp_path: Path
) -> None:
    document = pymupdf.open(write_rows(tmp_path / "l.pdf", TEXT * 5, []))
    for at, (letter, size) in enumerate(zip("ABC", sizes, strict=True)):
        document[0].insert_text((72, 400 + 100 * at), letter, fontsize=size)
        document[0].insert_text((72, 440 + 100 * at), TEXT[0], fontsize=11)
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == headings


def test_bold_rows_are_headings_among_as_many_that_name_values(tmp_path: Path) -> None:
    heads = ["Announcements", "Committee reports", "Old business"]
    labels = ["Present:", "Absent:", "Next meeting:"]
    values = [f"{label} the keeper of the pier" for label in labels]
    rows = [*values, *(row for head in heads for row in (head, *TEXT))]
    path = write_rows(tmp_path / "m.pdf", rows, [*labels, *heads], pitch=2)
    assert titles(path) == heads
