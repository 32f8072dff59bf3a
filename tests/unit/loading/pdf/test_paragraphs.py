"""What goes on in one paragraph over the ends of rows, columns and pages, and what begins anew."""

from pathlib import Path

import pymupdf
import pytest

from tests.fixtures.pdfs import write_columns, write_pdf, write_rows
from tests.unit.loading.pdf.facts import check_anchors, load


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


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["It is kept with all the others at https:", "//pier.example/log."], "https://pier.ex"),
        (["It is kept with the others at http://pier.", "example/log today."], "pier.example/log"),
        (["It is kept with all of it at http://a.example/", "log/x.pdf now."], "example/log/x.pdf"),
        (["Write to those who keep it at keeper@pier.", "example.org first."], "r@pier.example"),
        (["It is kept with all of it at http://a.example/", "and is read."], "example/ and is"),
        (["It is kept with all of it at http://a.example.", "The log/book is."], "example. The"),
    ],
)
def test_an_address_goes_on_in_the_next_row(rows: list[str], text: str, tmp_path: Path) -> None:
    loaded = load(write_rows(tmp_path / "a.pdf", rows))
    assert text in loaded.md


@pytest.mark.parametrize(
    ("begin", "rest"),
    [("http://a.example/", "log"), ("http://a.example/-", "log"), ("http://a.example/x-", "tide")],
)
def test_a_broken_address_is_written_as_it_is_linked(begin: str, rest: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.pdf", [f"It is kept with all of it at {begin}", f"{rest} now."])
    whole = begin.replace("/-", "/") + rest
    with pymupdf.open(path) as document:
        place = {"kind": pymupdf.LINK_URI, "uri": whole, "from": pymupdf.Rect(72, 90, 99, 99)}
        document[0].insert_link(place)
        md = load(document.tobytes()).md
    assert f"at {whole} now." in md


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


def test_words_are_divided_with_the_hyphen_of_browsers_too(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(["Two table‐", "spoons of it", "are enough."]):
        # Of the fonts built in, those for Chinese have this hyphen.
        page.insert_text((72, 100 + 13 * at), row, fontname="china-s", fontsize=11)
    document.save(tmp_path / "h.pdf")
    assert load(tmp_path / "h.pdf").md.startswith("Two tablespoons of it")


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
    assert loaded.summary["paragraphs"] == 1


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
    assert loaded.summary["paragraphs"] == 1
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


def write_blocks(path: Path, rows: list[str], pitch: float) -> Path:
    """Rows of text as wide as the column, ``pitch`` font sizes from each other."""
    document = pymupdf.open()
    page = document.new_page(width=144 + 24 * 14)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for at, row in enumerate(rows):
        page.insert_text((72, 100 + pitch * 14 * at), row, fontsize=14, fontname="droid")
    document.save(path)
    document.close()
    return path


FULL_CLAUSE = "本合同自双方法定代表人签字并加盖公章之日起生效。"


@pytest.mark.parametrize("pitch", [1.2, 1.7])
@pytest.mark.parametrize(
    "number",
    ["10.2 ", "2．", "2.", "2、", "（2）", "(2)", "（二）", "第二条 ", "[2] ", "3.2 （1）"],
)
def test_a_clause_begins_behind_a_full_row(number: str, pitch: float, tmp_path: Path) -> None:
    clause = f"{number}一式肆份，双方各执贰份，具有同等法律效力"
    loaded = load(write_blocks(tmp_path / "c.pdf", [FULL_CLAUSE, clause], pitch))
    assert [row for row in loaded.md.split("\n") if row] == [FULL_CLAUSE, clause]


@pytest.mark.parametrize(
    ("before", "begin"),
    [
        ("（1）使用闪光灯拍摄水池内的动物以及饲养员的工作情况", "（2）敲打水槽"),
        ("C．一头成年大象　　D．一本八年级的物理课本与练习册", "2．关于力，下列说法正确的是"),
        ("【规格】每片含有效成份一百毫克，每盒二十片装铝塑包", "【用法用量】"),
        ("遮光密封并在阴凉干燥处保存，避免儿童接触本品包装。", "【包装】铝塑包装"),
        ("实验表明该模型的精度较以往的各个方法均有明显提高。", "关键词：内涝；风险"),
    ],
)
def test_what_is_numbered_next_or_has_a_label_begins_behind_a_full_row(
    before: str, begin: str, tmp_path: Path
) -> None:
    loaded = load(write_blocks(tmp_path / "n.pdf", [before[:25], begin], 1.7))
    assert loaded.md == f"{before[:25]}\n\n{begin}"


@pytest.mark.parametrize("begin", ["【图2】所示的部位", "（4）所列的部位", "原因：部位"])
def test_what_is_named_within_a_sentence_begins_nothing(begin: str, tmp_path: Path) -> None:
    before = "（1）使用闪光灯拍摄水池内的动物以及饲养员工作，见"
    loaded = load(write_blocks(tmp_path / "n.pdf", [before, begin], 1.2))
    assert loaded.md == before + begin


@pytest.mark.parametrize("begin", ["5.1 和 5.2 节所列的", "第五条规定的", "1．5 倍的"])
def test_a_number_within_text_begins_no_clause(begin: str, tmp_path: Path) -> None:
    full = "本合同自双方法定代表人签字并加盖公章之日起生效，依"
    rows = [FULL_CLAUSE if begin[0] in "5第" else full, begin + "条款适用于全部货物"]
    loaded = load(write_blocks(tmp_path / "c.pdf", rows, 1.2))
    assert "\n" not in loaded.md


@pytest.mark.parametrize("pitch", [1.2, 1.7])
def test_a_part_begins_behind_a_full_row_that_ends_no_sentence(
    pitch: float, tmp_path: Path
) -> None:
    rows = ["实像都是倒立的，虚像都是缩小的，像距大于物距", "二、填空题"]
    loaded = load(write_blocks(tmp_path / "p.pdf", rows, pitch))
    assert loaded.md == "\n\n".join(rows)


@pytest.mark.parametrize(
    ("end", "begin"),
    [("推动第一、", "二、三产业的"), ("所列的第", "二、四两项的"), ("列明的第", "三、第四项")],
)
def test_numbers_that_are_named_in_a_sentence_begin_no_part(
    end: str, begin: str, tmp_path: Path
) -> None:
    rows = [f"本合同自双方法定代表人签字并加盖公章之日起{end}", f"{begin}条款适用于全部货物"]
    loaded = load(write_blocks(tmp_path / "p.pdf", rows, 1.2))
    assert loaded.md == "".join(rows)


def test_who_signs_stands_below_the_last_clause(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=144 + 24 * 14)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((72, 100), FULL_CLAUSE, fontsize=14, fontname="droid")
    for x, text in ((72, "甲方（盖章）："), (260, "乙方（盖章）：")):
        page.insert_text((x, 124), text, fontsize=14, fontname="droid")
    document.save(tmp_path / "s.pdf")
    assert load(tmp_path / "s.pdf").md.split("\n")[0] == FULL_CLAUSE


@pytest.mark.parametrize(
    ("rows", "font"),
    [
        (["Introduction ..................... 2", "Methods ......................... 4"], "helv"),
        (["Preface . . . . . . . . . . . . xvi", "Tides . . . . . . . . . . . . . 4, 12"], "helv"),
        (
            [
                "Backgrounds of the harbour and so on 3",
                "1.1 What was known . . . . . . . . . . . . . . 3",
            ],
            "helv",
        ),
        (["甲方（买方）：海澄水务公司", "地址：山东省青岛市崂山区"], "china-s"),
        (["Delivery date: 11 August", "Our reference: the same"], "helv"),
    ],
)
def test_entries_of_a_list_stay_apart_though_they_end_alike(
    rows: list[str], font: str, tmp_path: Path
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(rows):
        width = pymupdf.get_text_length(row, fontname=font, fontsize=11)
        stretch = pymupdf.Matrix(200 / width, 1)
        place = pymupdf.Point(72, 100 + 13 * at)
        page.insert_text(place, row, fontname=font, fontsize=11, morph=(place, stretch))
    document.save(tmp_path / "e.pdf")
    assert load(tmp_path / "e.pdf").md == "\n".join(rows)


def test_parts_below_each_other_make_no_sentence(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(
        [("Invoice no.", "2025-01873 of it"), ("Your order", "PO-77120 as sent")]
    ):
        for x, text in zip((72, 150), row, strict=True):
            page.insert_text((x, 100 + 13 * at), text, fontsize=11)
    document.save(tmp_path / "i.pdf")
    assert (
        load(tmp_path / "i.pdf").md == "Invoice no. 2025-01873 of it\nYour order PO-77120 as sent"
    )


@pytest.mark.parametrize(
    ("begin", "indent", "between"),
    [
        ("values that are taken, see below.", 25, " "),
        ("Values that are taken, see below.", 25, "\n\n"),
        ("x = 2y", 25, "\n\n"),
        ("values that are taken, see below.", 120, "\n\n"),
    ],
    ids=["rest", "sentence", "formula", "displayed"],
)
def test_what_explains_a_term_goes_on_indented_below_it(
    begin: str, indent: int, between: str, tmp_path: Path
) -> None:
    first = "-dir Names one or more of the directories to which it applies. For a list of"
    document = pymupdf.open()
    page = document.new_page(width=144 + pymupdf.get_text_length(first, fontsize=10))
    for at, (x, row) in enumerate([(72, first), (72 + indent, begin)]):
        page.insert_text((x, 100 + 12 * at), row, fontsize=10)
    document.save(tmp_path / "d.pdf")
    assert load(tmp_path / "d.pdf").md == first + between + begin


def test_a_centred_row_below_a_wider_one_stays_apart(tmp_path: Path) -> None:
    first = "The office of the harbour master at the mouth of the river"
    rows = [first, "or write to office@harbour.example at any time"]
    widths = [pymupdf.get_text_length(row, fontsize=10) for row in rows]
    document = pymupdf.open()
    page = document.new_page(width=144 + widths[0])
    page.insert_text((72, 100), rows[0], fontsize=10)
    page.insert_text((72 + (widths[0] - widths[1]) / 2, 112), rows[1], fontsize=10)
    document.save(tmp_path / "c.pdf")
    assert load(tmp_path / "c.pdf").md == "\n\n".join(rows)


def test_a_row_of_a_table_ends_with_its_figure(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "1403 Threaded rod, of one metre, galvanized and cut", fontsize=10)
    page.insert_text((440, 100), "83.34", fontsize=10)
    page.insert_text((72, 113), "1404 Wood screw, countersunk, box of two hundred", fontsize=10)
    document.save(tmp_path / "f.pdf")
    assert "83.34\n1404 Wood" in load(tmp_path / "f.pdf").md


def test_the_number_of_a_line_right_of_it_ends_no_sentence(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text(
        (72, 100), "The keeper went down to the quay, where the boats lay, and", fontsize=10
    )
    page.insert_text((400, 100), "20", fontsize=10)
    page.insert_text(
        (72, 113), "called for the men of the watch, but none of them heard him.", fontsize=10
    )
    document.save(tmp_path / "n.pdf")
    assert "and 20 called" in load(tmp_path / "n.pdf").md
