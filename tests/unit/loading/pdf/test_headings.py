"""Which rows of a PDF are headings: by size, weight, font and numbering."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.headings.headings import stands_beside
from rag_assets.loading.pdf.order.rows import Row
from tests.unit.loading.pdf.facts import load


def test_a_short_document_has_its_headings(tmp_path: Path) -> None:
    document = pymupdf.open()
    prose = "The bridge was looked at in spring, and nothing was found on its deck or piers."
    page = document.new_page()
    page.insert_text((72, 60), "Inspection of the bridge", fontsize=24)
    for number in range(1, 4):
        top = 60 + 80 * number
        page.insert_text((72, top), f"Part {number}", fontsize=18)
        page.insert_text((72, top + 30), prose, fontsize=12)
        page.insert_text((72, top + 45), prose, fontsize=12)
    document.save(tmp_path / "short.pdf")
    loaded = load(tmp_path / "short.pdf")
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "Inspection of the bridge"),
        *((2, f"Part {number}") for number in range(1, 4)),
    ]


def write_heads(path: Path, pairs: Sequence[tuple[str, str]], font: str = "hebo") -> Path:
    """A title and, for each pair, a large row over a small one; no text besides."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), "Frequently asked questions", fontsize=22, fontname="hebo")
    for number, (head, text) in enumerate(pairs):
        page.insert_text((72, 110 + 60 * number), head, fontsize=14, fontname=font)
        page.insert_text((72, 132 + 60 * number), text, fontsize=11)
    document.save(path)
    document.close()
    return path


PAIRS = [
    ("How do I reset my password?", "Use the link on the sign-in page."),
    ("Which browsers are supported?", "Firefox 115 and later, Chrome 120 and later."),
    ("Can I export my data?", "Yes, as CSV, from the settings."),
    ("How long are backups kept?", "Thirty-five days."),
    ("Where is the data stored?", "In Frankfurt and Dublin."),
]


def test_headings_are_as_many_as_the_text_when_each_heads_some(tmp_path: Path) -> None:
    loaded = load(write_heads(tmp_path / "f.pdf", PAIRS))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "Frequently asked questions"),
        *((2, head) for head, _ in PAIRS),
    ]


def test_large_text_costs_a_larger_title_nothing(tmp_path: Path) -> None:
    loaded = load(write_heads(tmp_path / "t.pdf", PAIRS, font="helv"))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "Frequently asked questions")
    ]


@pytest.mark.parametrize("figure", ["$42.7m", "12,400 t", "99.5 kW", "Page 1 of 1", "Seite 1"])
def test_a_figure_or_page_number_is_no_heading_and_no_title(figure: str, tmp_path: Path) -> None:
    heads = [(figure, "Turnover, up on the year before"), ("10.2 UI", "Windows and menus")]
    document = pymupdf.open(write_heads(tmp_path / "a.pdf", heads))
    document[0].insert_text((72, 700), figure, fontsize=30)
    for row in range(10):
        document[0].insert_text(
            (72, 400 + 15 * row), "The board met in the hall. " * 3, fontsize=11
        )
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == ["Frequently asked questions", "10.2 UI"]
    assert loaded.title == "Frequently asked questions"


def write_notice(path: Path, parts: str, body: str) -> Path:
    """A Chinese notice; ``parts`` and ``body`` are the fonts of its numbered rows and its text."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((150, 90), "关于开展安全生产检查的通知", fontsize=22, fontname=parts)
    rows = [
        (parts, "一、检查范围"),
        (parts, "（一）重点企业"),
        (body, "全市危险化学品生产、经营企业及仓储单位，重点检查近"),
        (body, "年来新建的储罐区和装卸作业区，以及停产复产的装置。"),
        (parts, "（二）一般企业。由所在乡镇检查，结果报市局。"),
        (parts, "二、检查时间（分三个阶段。）"),
        (body, "自十月上旬至十一月底，分自查、抽查、整改三个阶段进"),
        (body, "行，各单位按时上报联络员名单，逾期不报的予以通报。"),
        (body, "三、联系人：张三"),
    ]
    for number, (font, text) in enumerate(rows):
        page.insert_text((72, 140 + 26 * number), text, fontsize=16, fontname=font)
    document.save(path)
    document.close()
    return path


def test_numbered_parts_in_another_font_are_headings_in_chinese(tmp_path: Path) -> None:
    loaded = load(write_notice(tmp_path / "n.pdf", parts="china-s", body="droid"))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "关于开展安全生产检查的通知"),
        (2, "一、检查范围"),
        (3, "（一）重点企业"),
        (2, "二、检查时间（分三个阶段。）"),
    ]


def test_a_numbered_list_in_the_font_of_the_text_is_no_headings(tmp_path: Path) -> None:
    loaded = load(write_notice(tmp_path / "n.pdf", parts="droid", body="droid"))
    assert [item.title for item in loaded.outline] == ["关于开展安全生产检查的通知"]


def test_a_paragraph_that_begins_in_bold_is_no_heading(tmp_path: Path) -> None:
    prose = "The harbour board met in the hall and heard the report of"
    rows = [("Storage", ""), ("", prose), ("", "the surveyor on the state of the northern pier.")]
    rows += [("First aid", "Rinse the eyes with water for fifteen or more")]
    rows += [("", "minutes and call a physician at once."), ("", prose), ("", "the others.")] * 2
    document = pymupdf.open()
    page = document.new_page()
    for number, (bold, text) in enumerate(rows):
        # So far apart, each row is a block of its own.
        y = 100 + 20 * number
        page.insert_text((72, y), bold, fontsize=10, fontname="hebo")
        x = 72 + pymupdf.get_text_length(f"{bold} " if bold else "", "hebo", 10)
        page.insert_text((x, y), text, fontsize=10)
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = load(tmp_path / "b.pdf")
    assert [item.title for item in loaded.outline] == ["Storage"]
    assert "First aid Rinse the eyes with water for fifteen or more minutes and" in loaded.md


def test_a_question_of_many_words_is_a_heading_as_short_ones_are(tmp_path: Path) -> None:
    questions = [
        "1. How often do you visit the library?",
        "2. Which services have you used in the last year? (Tick all that apply)",
        "3. On a scale of 0 to 10, how likely are you to come here again?",
    ]
    document = pymupdf.open()
    page = document.new_page()
    y = 72
    for question in questions:
        page.insert_text((72, y), question, fontsize=11, fontname="hebo")
        for answer in ("Every day of the week", "Only now and then", "Less often", "Never at all"):
            y += 24
            page.insert_text((100, y), answer, fontsize=11)
        y += 24
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == questions


def test_the_head_of_a_table_without_rulings_is_no_heading(tmp_path: Path) -> None:
    document = pymupdf.open(write_heads(tmp_path / "a.pdf", PAIRS))
    page = document[0]
    for number, cell in enumerate(["Date", "Details", "Paid out", "Balance"]):
        page.insert_text((72 + 90 * number, 450), cell, fontsize=11, fontname="hebo")
    for number, letter in enumerate(["Words", "apart"]):
        page.insert_text((72 + 90 * number, 480), letter, fontsize=11, fontname="hebo")
    for row in range(10):
        page.insert_text((72, 530 + 15 * row), "The board met in the hall. " * 3, fontsize=11)
    loaded = load(document.tobytes())
    document.close()
    titles = [item.title for item in loaded.outline]
    assert "Words apart" in titles
    assert not any("Details" in title for title in titles)


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
    assert loaded.summary["tables"] == 1
    assert [item.title for item in loaded.outline] == ["Register of moorings"]
    assert loaded.title == "Register of moorings"


def test_tables_that_each_have_a_heading_are_no_run_of_large_text(tmp_path: Path) -> None:
    names = ["Moorings", "Lamps", "Cranes", "Gauges", "Keepers"]
    document = pymupdf.open()
    page = document.new_page()
    for number, name in enumerate(names):
        top = 70 + 140 * number
        page.insert_text((72, top), name, fontsize=16)
        for row in range(4):
            for column in range(4):
                x, y = 72 + 110 * column, top + 10 + 20 * row
                page.draw_rect((x, y, x + 110, y + 20))
                page.insert_text((x + 4, y + 14), f"cell {row} {column}", fontsize=9)
    document.save(tmp_path / "t.pdf")
    document.close()
    loaded = load(tmp_path / "t.pdf")
    assert loaded.summary["tables"] == len(names)
    assert [item.title for item in loaded.outline] == names


#: Sections of a paper; they are set in the italics of the text's size.
SECTIONS = [
    "I. INTRODUCTION",
    "A. The gauge",
    "B. The harbour",
    "II. METHODS",
    "III. RESULTS",
    "1. Of spring",
    "IV. CONCLUSION",
]


def write_sections(path: Path, sections: Sequence[str], font: str, rows: int = 4) -> Path:
    """Each section with some rows of text below it."""
    prose = "The gauge was read at noon and once more in the evening of each day of the week."
    document = pymupdf.open()
    page = document.new_page(width=595, height=1200)
    y = 60
    for section in sections:
        page.insert_text((72, y), section, fontsize=9, fontname=font)
        for number in range(rows):
            page.insert_text((72, y + 20 + 13 * number), prose, fontsize=10)
        y += 40 + 13 * rows
    document.save(path)
    document.close()
    return path


def test_sections_that_number_and_font_alone_tell_are_headings(tmp_path: Path) -> None:
    loaded = load(write_sections(tmp_path / "p.pdf", SECTIONS, "heit"))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1 if head[0] == "I" else 3 if head[0] == "1" else 2, head) for head in SECTIONS
    ]


@pytest.mark.parametrize(
    ("font", "sections"),
    [
        ("helv", [section for section in SECTIONS if not section.startswith("II.")]),
        ("helv", [f"{n}. Of the tides" for n in ("I", "II")]),
        ("helv", ["1. Of spring", "2. Of summer", "3. Of autumn", "4. Of winter"]),
        ("heit", ["1. First", "1. Second", "1. Third", "1. Fourth"]),
        ("heit", [f"{n}. Read the gauge, then the lamp." for n in range(1, 7)]),
        ("heit", [f"{n}. The tides {n}" for n in range(1, 7)]),
    ],
)
def test_rows_with_a_number_that_are_no_headings(
    font: str, sections: Sequence[str], tmp_path: Path
) -> None:
    assert load(write_sections(tmp_path / "p.pdf", sections, font)).outline == []


def test_numbered_rows_of_a_table_are_no_headings() -> None:
    prose = "The gauge was read at noon and once more in the evening of each day of the week."
    rows = [("Order gloves", "S. Iyer", "19 May"), ("Mend the lamp", "T. Nowak", "1 June")]
    with pymupdf.open() as document:
        page = document.new_page()
        for at in range(8):
            page.insert_text((72, 80 + 13 * at), prose, fontsize=10)
        for at, row in enumerate([*rows, ("Paint the mast", "L. Brandt", "11 June")]):
            for x, text in zip((72, 90, 330, 430), (str(at + 1), *row), strict=True):
                page.insert_text((x, 220 + 22 * at), text, fontsize=10, fontname="heit")
        assert load(document.tobytes()).outline == []


def test_sections_that_count_in_the_font_of_the_text_are_headings(tmp_path: Path) -> None:
    sections = [*(s for s in SECTIONS if s[0] != "1"), "ACKNOWLEDGMENT", "REFERENCES"]
    loaded = load(write_sections(tmp_path / "p.pdf", sections, "helv"))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (2 if head[:2] in ("A.", "B.") else 1, head) for head in sections
    ]


def test_a_list_with_roman_numbers_heads_nothing(tmp_path: Path) -> None:
    items = [f"{n}. Smith and Brown, Tides of the North" for n in ("I", "II", "III", "IV", "V")]
    assert load(write_sections(tmp_path / "p.pdf", items, "helv", rows=0)).outline == []


def test_a_numbered_list_in_italics_heads_nothing(tmp_path: Path) -> None:
    names = [f"{n}. Smith and Brown, Tides of the North" for n in range(1, 9)]
    assert load(write_sections(tmp_path / "p.pdf", names, "heit", rows=0)).outline == []


@pytest.mark.parametrize("formula", ["Ei =", "M1,39 = Aml", "y ≤ x2", "Energy of a state ="])
def test_a_formula_is_no_heading(formula: str, tmp_path: Path) -> None:
    document = pymupdf.open(write_heads(tmp_path / "a.pdf", PAIRS))
    writer = pymupdf.TextWriter(document[0].rect)
    writer.append((72, 460), formula, font=pymupdf.Font("cjk"), fontsize=18)
    writer.write_text(document[0])
    for row in range(10):
        document[0].insert_text(
            (72, 500 + 15 * row), "The board met in the hall. " * 3, fontsize=11
        )
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == [
        "Frequently asked questions",
        *(head for head, _ in PAIRS),
    ]


def write_rows(path: Path, rows: Sequence[tuple[float, float, str]]) -> Path:
    """Rows of 16 points at x and y, text below them."""
    document = pymupdf.open()
    page = document.new_page()
    for x, y, text in rows:
        page.insert_text((x, y), text, fontsize=16, fontname="hebo")
    for row in range(20):
        page.insert_text((72, 300 + 14 * row), "The board met in the hall. " * 3, fontsize=11)
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize("second", [(72, 118), (72, 150), (40, 104)])
def test_a_heading_right_below_another_is_one_of_its_own(
    second: tuple[int, int], tmp_path: Path
) -> None:
    rows = [(72, 80, "Discussion"), (*second, "Ground 1: consultation")]
    loaded = load(write_rows(tmp_path / "h.pdf", rows))
    assert [item.title for item in loaded.outline] == [text for *_, text in rows]


@pytest.mark.parametrize(
    "rows",
    [
        [(72, 80, "Of the tides of the North"), (72, 100, "and their gauges")],
        [(172, 80, "Of the tides of the North"), (203, 114, "And their gauges")],
        [(300, 80, "Europass"), (244.9, 114, "Curriculum Vitae")],
        [(72, 80, "Of the tides"), (72, 114, "and their gauges")],
        [(72, 80, "Chapter 1"), (72, 114, "Tides and gauges")],
    ],
)
def test_rows_that_belong_together_are_one_heading(
    rows: list[tuple[float, float, str]], tmp_path: Path
) -> None:
    loaded = load(write_rows(tmp_path / "h.pdf", rows))
    assert [item.title for item in loaded.outline] == [" ".join(text for *_, text in rows)]


@pytest.mark.parametrize("outline", [True, False])
def test_the_number_over_a_chapter_is_a_part_of_its_heading(outline: bool, tmp_path: Path) -> None:
    document = pymupdf.open()
    for number, title in enumerate(["Tides", "Gauges", "Harbours"], 1):
        page = document.new_page()
        page.insert_text((72, 80), f"Chapter {number}", fontsize=20)
        page.insert_text((72, 120), title, fontsize=24)
        for row in range(20):
            page.insert_text((72, 160 + 14 * row), "The board met in the hall. " * 3, fontsize=11)
    if outline:
        titles = enumerate(["Tides", "Gauges", "Harbours"], 1)
        document.set_toc([[1, title, number] for number, title in titles])
    loaded = load(document.tobytes())
    document.close()
    heads = [line for line in loaded.md.split("\n") if line.startswith("#")]
    assert heads == ["# Chapter 1 Tides", "# Chapter 2 Gauges", "# Chapter 3 Harbours"]
    assert [loaded.md[item.char_start or 0 :][:11] for item in loaded.outline] == [
        f"# Chapter {n}" for n in (1, 2, 3)
    ]


def test_a_word_that_a_heading_divides_is_put_together(tmp_path: Path) -> None:
    document = pymupdf.open(write_heads(tmp_path / "a.pdf", PAIRS))
    page = document[0]
    page.insert_text((72, 450), "Changes from older ver-", fontsize=18, fontname="hebo")
    page.insert_text((72, 472), "sions of the gauge", fontsize=18, fontname="hebo")
    for row in range(10):
        page.insert_text((72, 500 + 15 * row), "The board met in the hall. " * 3, fontsize=11)
    loaded = load(document.tobytes())
    document.close()
    assert "\n## Changes from older versions of the gauge\n" in loaded.md
    assert "Changes from older versions of the gauge" in [item.title for item in loaded.outline]


def titled(rows: Sequence[tuple[float, str, float]], header: str = "") -> str:
    """The title of a document whose first page has rows of (height, text, font size)."""
    document = pymupdf.open()
    for number in range(4):
        page = document.new_page()
        for y, text, size in rows if number == 0 else [(40, header or "-", 9)]:
            page.insert_text((72, y), text, fontsize=size)
        for row in range(20):
            page.insert_text((72, 400 + 14 * row), f"Row {row} of page {number}. " * 4, fontsize=11)
    title = load(document.tobytes()).title
    document.close()
    return title


def test_what_is_no_title_of_a_document() -> None:
    tides, sections = (80, "The tides of the north", 24), [(y, f"Part {y}", 24) for y in (200, 300)]
    assert titled([tides, (110, "and their gauges", 24), *sections]) == (
        "The tides of the north and their gauges"
    )
    # The rows of a table of contents are large, and so is its name.
    assert titled([(80, "Contents", 24), (200, "First things", 24), (300, "Text", 11)]) == (
        "First things"
    )
    assert titled([(80, "Introduction", 24)]) == ""
    journal = (50, "Tides and Gauges", 24)
    paper = [journal, (120, "Reading a gauge at night", 16)]
    assert titled(paper, "Tides and Gauges 12 (2016) 3-9") == "Reading a gauge at night"
    assert titled(paper, "Tides and Gauges") == "Tides and Gauges"


def write_beside(path: Path, heads: Sequence[tuple[float, str]]) -> Path:
    """A title, a row of bold heads beside each other, and text in the columns below."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 60), "Leaching of nitrate from soils", fontsize=22)
        for x, head in heads:
            page.insert_text((x, 110), head, fontsize=12, fontname="hebo")
        for n in range(12):
            page.insert_text(
                (72, 150 + 12 * n), "The gauge was read at noon and at dusk.", fontsize=9
            )
        document.save(path)
    return path


def test_the_heads_of_an_empty_table_are_no_headings(tmp_path: Path) -> None:
    heads = [(72.0, "Date"), (200.0, "Reason"), (400.0, "Amount")]
    loaded = load(write_beside(tmp_path / "t.pdf", heads))
    assert [item.title for item in loaded.outline] == ["Leaching of nitrate from soils"]


@pytest.mark.parametrize(
    ("texts", "gap", "down", "beside"),
    [
        (("a r t i c l e i n f o", "a b s t r a c t"), 80, 0, True),
        (("摘要", "关键词"), 80, 0, True),
        (("article info", "abstract"), 10, 0, False),
        (("article info", "abstract"), 80, 14, False),
        (("2", "Methods"), 80, 0, False),
    ],
)
def test_headings_over_a_column_each_are_no_rows_of_one(
    texts: tuple[str, str], gap: int, down: int, beside: bool
) -> None:
    left, right = (
        Row.of(
            Line(text, Box(x, y, x + 50, y + 10), x, y, x + 50, y + 10, y + 10, 10, *[False] * 3),
            at, 0, 500,
        )
        for at, (text, x, y) in enumerate([(texts[0], 0, 0), (texts[1], 50 + gap, down)])
    )  # fmt: skip
    assert stands_beside(left, right) is beside


def test_headings_over_smaller_code_are_as_large_as_the_text(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 60), "Reading the gauge", fontsize=20)
        for number, name in enumerate(("Setting up", "Polling")):
            top = 100 + 200 * number
            page.insert_text((72, top), f"1.{number + 1} {name}", fontsize=11, fontname="hebo")
            prose = "The gauge answers every ten seconds, and keeps what it measured for a day."
            for at in range(2):
                page.insert_text((72, top + 18 + 13 * at), prose, fontsize=11)
            for at in range(10):
                code = f"value_{at} = gauge.read(register={at}, timeout=2.5)"
                page.insert_text((72, top + 50 + 11 * at), code, fontsize=8, fontname="cour")
        data = document.tobytes()
    assert [(item.level, item.title) for item in load(data).outline] == [
        (1, "Reading the gauge"),
        (2, "1.1 Setting up"),
        (2, "1.2 Polling"),
    ]


def test_a_numbered_heading_may_have_a_note_at_the_right() -> None:
    prose = "The gauge was read at noon and once more in the evening of each day of the week."
    with pymupdf.open() as document:
        page = document.new_page()
        for at, title in enumerate(("Lamps", "Boats", "Storms")):
            top = 80 + 90 * at
            for x, text in ((72, f"{at + 1}."), (108, title), (450, "(10 marks)")):
                page.insert_text((x, top), text, fontsize=10, fontname="hebo")
            for row in range(4):
                page.insert_text((72, top + 18 + 13 * row), prose, fontsize=10)
        titles = [item.title for item in load(document.tobytes()).outline]
    assert titles == ["1. Lamps (10 marks)", "2. Boats (10 marks)", "3. Storms (10 marks)"]
