"""Running headers and footers go; text that only looks like them stays."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.loading.pdf.margins.pagenumbers import is_page_number, roman_number

HEADER = "Tide station, annual notes"
SEAS = ("Skagerrak", "Kattegat", "the Sound", "the Belts")
BODY = "The gauge was read at noon and once more in the evening of each day of the week."


def load(path: Path, pages: Sequence[Sequence[tuple[float, str, float]]]) -> Loaded:
    """A PDF of pages of (height, text, font size), read."""
    document = pymupdf.open()
    for rows in pages:
        page = document.new_page(width=595, height=842)
        for y, text, size in rows:
            page.insert_text((72, y), text, fontsize=size)
    document.save(path)
    document.close()
    return PdfLoader(PdfParams()).load(path, LoadRequest("f.pdf"))


def body(number: int) -> list[tuple[float, str, float]]:
    return [(y, f"{BODY[:60]} row {number}{y}", 11) for y in range(130, 300, 14)]


def marked(loaded: Loaded) -> list[str]:
    return [loaded.md[item.char_start : item.char_end] for item in loaded.furniture]


@pytest.mark.parametrize("count", [2, 3, 7])
def test_repeated_headers_are_found_on_few_pages(tmp_path: Path, count: int) -> None:
    pages = [[(60, HEADER, 9), *body(n)] for n in range(count)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == [HEADER] * count
    assert {item.kind for item in loaded.furniture} == {"header"}
    assert loaded.summary["furniture"] == {"header": count}


def test_the_first_of_three_pages_may_have_no_header(tmp_path: Path) -> None:
    pages = [[(60, HEADER if n else "Tides", 9), *body(n)] for n in range(3)]
    assert marked(load(tmp_path / "a.pdf", pages)) == [HEADER] * 2
    # What stands on the first and another one may be content, as may what stands near the text.
    pages = [[(60, "Tides" if n == 1 else HEADER, 9), *body(n)] for n in range(3)]
    assert not marked(load(tmp_path / "b.pdf", pages))
    pages = [[(110, HEADER if n else "Tides", 11), *body(n)] for n in range(3)]
    assert not marked(load(tmp_path / "c.pdf", pages))


def test_a_bold_row_above_the_last_two_of_three_pages_is_their_title(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for number in range(3):
            page = document.new_page()
            head = "Statement of account" if number else "What we send you"
            page.insert_text((72, 50), head, fontsize=11, fontname="hebo")
            for y, text, size in body(number):
                page.insert_text((72, y), text, fontsize=size)
        document.save(tmp_path / "s.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "s.pdf", LoadRequest("s.pdf"))
    assert not marked(loaded)


def test_numbered_footers_with_different_words_on_each_page(tmp_path: Path) -> None:
    pages = [[*body(n), (800, f"Page {n + 1}", 9), (815, HEADER, 9)] for n in range(2)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert Counter(item.kind for item in loaded.furniture) == {"page_number": 2, "footer": 2}


def test_page_numbers_far_above_the_end_of_the_page_go(tmp_path: Path) -> None:
    pages = [[*body(n), (700, str(n + 1), 11)] for n in range(5)]
    assert marked(load(tmp_path / "a.pdf", pages)) == ["1", "2", "3", "4", "5"]
    # The last row of a table runs with the pages by chance.
    pages = [[*body(n), (688, "Boats in the harbour", 11), (700, str(n + 1), 11)] for n in range(5)]
    assert marked(load(tmp_path / "b.pdf", pages)) == []


def test_headers_that_say_the_heading_of_their_section_go(tmp_path: Path) -> None:
    heads = ["The Skagerrak", "The Kattegat", "The Sound", "The Belts"]
    pages = []
    for number, head in enumerate(heads, 1):
        pages.append([(130, head, 18), *[(y + 30, text, size) for y, text, size in body(0)]])
        pages += [[(60, f"{number}. {head.upper()}", 9), *body(n)] for n in (1, 2)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == [
        f"{n}. {head.upper()}" for n, head in enumerate(heads, 1) for _ in "12"
    ]
    assert [item.title for item in loaded.outline] == heads


@pytest.mark.parametrize(
    ("first", "outline"),
    [
        ("Results of 201{}", [[1, "Results of 2010", 1]]),
        # TeX leaves these signs out of an outline.
        ('<{} kind="x">', [[1, f'{sea} kind="x"', n] for n, sea in enumerate(SEAS, 1)]),
        # It is not found on its page, which has a number before it.
        ("At {}", [[1, f"{n} At: {sea}!", n] for n, sea in enumerate(SEAS, 1)]),
    ],
)
def test_first_rows_that_say_what_a_heading_says_may_be_headings(
    first: str, outline: list[list[object]], tmp_path: Path
) -> None:
    names = range(4) if "Results" in first else SEAS
    pages = [[(60, first.format(name), 11), *body(n)] for n, name in enumerate(names)]
    load(tmp_path / "a.pdf", pages)
    document = pymupdf.open(tmp_path / "a.pdf")
    document.set_toc(outline)
    document.save(tmp_path / "b.pdf")
    document.close()
    assert marked(PdfLoader(PdfParams()).load(tmp_path / "b.pdf", LoadRequest("b.pdf"))) == []


def test_headers_that_say_chapter_and_section_side_by_side_go(tmp_path: Path) -> None:
    heads = ["The Skagerrak", "The Kattegat", "The Sound"]
    pages = [[(130, "Baltic Seas", 24), *[(y + 30, text, size) for y, text, size in body(0)]]]
    for head in heads:
        pages.append([(130, head, 18), *[(y + 30, text, size) for y, text, size in body(0)]])
        pages += [[(60, f"Baltic Seas {head}", 9), *body(n)] for n in (1, 2)]
    assert marked(load(tmp_path / "a.pdf", pages)) == [
        f"Baltic Seas {head}" for head in heads for _ in "12"
    ]


def test_large_rows_that_count_are_headings_and_large_ones_that_repeat_are_not(
    tmp_path: Path,
) -> None:
    pages = [[(60, f"Lesson {n + 1}", 22), *body(n), (800, "CLOSED", 18)] for n in range(6)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == ["CLOSED"] * 6
    assert [item.title for item in loaded.outline] == [f"Lesson {n + 1}" for n in range(6)]


def test_a_header_that_the_outline_names_is_a_heading(tmp_path: Path) -> None:
    load(tmp_path / "a.pdf", [[(60, f"Part {n + 1}", 11), *body(n)] for n in range(6)])
    document = pymupdf.open(tmp_path / "a.pdf")
    document.set_toc([[1, "Part 2", 2], [1, "Part 5", 5]])
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "b.pdf", LoadRequest("b.pdf"))
    assert marked(loaded) == ["Part 1", "Part 3", "Part 4", "Part 6"]
    assert all(item.char_start is not None for item in loaded.outline)


def roman(number: int) -> str:
    return str(pymupdf.utils.integerToRoman(number))


def test_roman_page_numbers_before_the_text(tmp_path: Path) -> None:
    numbers = [roman(n) for n in range(1, 6)] + [str(n) for n in range(1, 26)]
    pages = [[*body(n), (800, number, 9)] for n, number in enumerate(numbers)]
    assert marked(load(tmp_path / "a.pdf", pages)) == numbers


def test_headers_with_a_roman_page_number_at_one_end_go(tmp_path: Path) -> None:
    fronts, headers = 6, []
    with pymupdf.open() as document:
        for at in range(20):
            page = document.new_page(width=595, height=842)
            for y, text, size in body(at):
                page.insert_text((72, y), text, fontsize=size)
            if at < fronts:
                sides = ["Contents" if at < 3 else "Tables", roman(at + 1).lower()]
                headers.append(" ".join(sides[:: -1 if at % 2 else 1]))
                for x, text in zip((72, 480), headers[-1].split(), strict=True):
                    page.insert_text((x, 60), text, fontsize=9)
        document.save(tmp_path / "a.pdf")
    assert marked(PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))) == headers


def test_roman_numbers_of_headings_stay(tmp_path: Path) -> None:
    pages = [[(60, f"Part {roman(n + 1)}", 10), *body(n)] for n in range(6)]
    assert marked(load(tmp_path / "a.pdf", pages)) == []


def test_a_row_that_is_the_label_of_its_page_is_its_number(tmp_path: Path) -> None:
    # One page of each part has a number: none of them runs with the pages.
    shown = {2: "iii", 7: "- A-3 -", 11: "B-2"}
    number = {page: (800.0, text, 9.0) for page, text in shown.items()}
    pages = [[*body(n), *([number[n]] if n in number else [])] for n in range(20)]
    load(tmp_path / "a.pdf", pages)
    document = pymupdf.open(tmp_path / "a.pdf")
    parts = [(0, "", "r"), (5, "A-", "D"), (10, "B-", "D")]
    rules = [dict(zip(("startpage", "prefix", "style"), part, strict=True)) for part in parts]
    document.set_page_labels([rule | {"firstpagenum": 1} for rule in rules])
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "b.pdf", LoadRequest("b.pdf"))
    assert marked(loaded) == list(shown.values())


@given(st.integers(1, 399))
def test_roman_numbers_are_read_back(number: int) -> None:
    assert roman_number(f"- {roman(number)} -") == number


@pytest.mark.parametrize("text", ["", "iiii", "vx", "ill", "civil", "mix", "i.", "1", "İ"])
def test_what_is_no_roman_number(text: str) -> None:
    assert roman_number(text) == 0


@pytest.mark.parametrize(("text", "is_one"), [("xii", True), ("Page IV", True), ("Civil", False)])
def test_a_word_of_the_letters_of_roman_numbers_is_no_page_number(text: str, is_one: bool) -> None:
    assert is_page_number(text) is is_one


@pytest.mark.parametrize(
    "text", ["第 1 页 共 3 页", "第1页，共3页", "Page 1 of 3", "- 3 -", "3/12", "xiv", "Seite 4"]
)
def test_forms_of_page_numbers(text: str) -> None:
    assert is_page_number(text)


def test_a_watermark_is_no_heading_no_title_and_leaves_the_text(tmp_path: Path) -> None:
    load(tmp_path / "a.pdf", [[(100, f"Survey of {sea}", 18), *body(1)] for sea in SEAS])
    document = pymupdf.open(tmp_path / "a.pdf")
    for page in document:
        turn = (pymupdf.Point(150, 600), pymupdf.Matrix(45))
        page.insert_text((150, 600), "CONFIDENTIAL", fontsize=60, morph=turn)
    document[0].insert_text((30, 500), "Received on the ninth", fontsize=16, rotate=90)
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "b.pdf", LoadRequest("b.pdf"))
    assert loaded.summary["furniture"] == {"watermark": 4}
    assert [item.title for item in loaded.outline] == [f"Survey of {sea}" for sea in SEAS]
    assert loaded.title == "Survey of Skagerrak"
    # Once only, and so it is kept.
    assert "\n\nReceived on the ninth" in loaded.md


def test_a_short_watermark_is_no_heading(tmp_path: Path) -> None:
    document = pymupdf.open()
    for sea in SEAS:
        page = document.new_page()
        page.insert_text((60, 60), f"Survey of {sea}", fontsize=16)
        for at in range(30):
            page.insert_text((60, 100 + 14 * at), f"The {at + 1}. sounding of {sea} is sure.")
        place = pymupdf.Point(240, 500)
        page.insert_text(place, "DRAFT", fontsize=72, morph=(place, pymupdf.Matrix(45)))
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert [item.title for item in loaded.outline] == [f"Survey of {sea}" for sea in SEAS]
    assert loaded.summary["furniture"] == {"watermark": len(SEAS)}


@pytest.mark.parametrize("ruled", [True, False])
def test_a_watermark_leaves_the_table_below_it(ruled: bool, tmp_path: Path) -> None:
    """Once on a page, it stays in the text, but not in the cells."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), "Berths of the harbour", fontsize=16)
    page.insert_text((60, 85), "Boats may lie there when the water is as deep.", fontsize=11)
    rows = [("Berth", "Depth", "Length")] + [
        (f"Quay {n}", f"{n}.4", f"{n}20") for n in range(1, 25)
    ]
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            x, y = 60 + 120 * column, 100 + 22 * at
            page.insert_text((x + 4, y + 15), text, fontsize=11)
            if ruled:
                page.draw_rect((x, y, x + 120, y + 22))
    place = pymupdf.Point(130, 560)
    page.insert_text(place, "DUPLICATE", fontsize=64, morph=(place, pymupdf.Matrix(45)))
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    lines = loaded.md.split("\n")
    found = [tuple(line.strip("| ").split(" | ")) for line in lines if line.startswith("| ")]
    assert found == rows
    assert [line for line in lines if line and line[0] != "|"][2:] == ["DUPLICATE"]


def test_heads_set_aslant_stay_in_the_table_of_a_slide(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=960, height=540)
    page.insert_text((60, 50), "Which boats may lie where", fontsize=36)
    heads = ["Berth", "Depth", "Length", "Power"]
    for column, head in enumerate(heads):
        x = 60 + 120 * column
        page.draw_rect((x, 90, x + 120, 170))
        place = pymupdf.Point(x + 30, 160)
        page.insert_text(place, head, fontsize=14, morph=(place, pymupdf.Matrix(45)))
        for at in range(8):
            y = 170 + 24 * at
            page.draw_rect((x, y, x + 120, y + 24))
            page.insert_text((x + 4, y + 16), f"{at + 1}.{column}", fontsize=12)
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert "| Berth | Depth | Length | Power |\n|---|" in loaded.md


def test_a_page_that_lies_on_its_side_keeps_its_heading(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((100, 500), "Sideways sheet", fontsize=20, rotate=90)
    for row in range(4):
        page.insert_text((140 + 14 * row, 700), f"{BODY[:60]} {row}", fontsize=10, rotate=90)
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert [item.title for item in loaded.outline] == ["Sideways sheet"]


@pytest.mark.parametrize(
    "first",
    [
        [("1. Lift the float", 11), ("2. Close the valve", 11)],
        [("Chapter 1", 20), ("Chapter 2", 20)],
        [("Results of 2024", 20), ("Results of 2025", 20)],
    ],
)
def test_text_that_counts_with_the_pages_stays(
    tmp_path: Path, first: list[tuple[str, float]]
) -> None:
    pages = [[(100, text, size), *body(n)] for n, (text, size) in enumerate(first)]
    assert marked(load(tmp_path / "a.pdf", pages)) == []


TOPICS = ("Greetings", "Family", "At the market", "The weather", "At the doctor's", "Travelling")
SCORES = (79, 56, 87, 62, 90, 84)


@pytest.mark.parametrize(
    "rows",
    [
        [f"Lesson {n + 1}: {topic}" for n, topic in enumerate(TOPICS)],
        [f"{n + 1} {topic}" for n, topic in enumerate(TOPICS)],
        [f"Certificate No. {4410 + n}" for n in range(6)],
        [f"Results of the {2015 + n} season" for n in range(6)],
        [f"Final score: {score} of 100" for score in SCORES],
    ],
)
@pytest.mark.parametrize("height", [60, 800])
def test_headings_and_facts_with_a_number_stay(
    tmp_path: Path, rows: list[str], height: float
) -> None:
    pages = [[(height, text, 11), *body(n)] for n, text in enumerate(rows)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == []
    assert all(text in loaded.md for text in rows)


@pytest.mark.parametrize("first", [1, 49])
def test_headers_of_which_words_and_number_change_go(tmp_path: Path, first: int) -> None:
    """The number stands at the outer edge, and the section on the odd pages."""
    document = pymupdf.open()
    headers = []
    for n in range(12):
        number, words = first + n, HEADER if n % 2 else f"{1 + n // 4}.{1 + n // 2} {SEAS[n // 4]}"
        page = document.new_page(width=595, height=842)
        left, right = (str(number), words) if n % 2 else (words, str(number))
        page.insert_text((72, 60), left, fontsize=9)
        page.insert_text((300 if n % 2 else 500, 60), right, fontsize=9)
        for y, text, size in body(n):
            page.insert_text((72, y), text, fontsize=size)
        headers.append(f"{left} {right}")
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert marked(loaded) == headers


@pytest.mark.parametrize(
    "footer", ["Annual notes, page {}", "Annual notes {}", "第{}页 年度笔记", "{} Annual notes"]
)
def test_a_number_that_stands_close_to_the_same_words_is_the_page_s(
    tmp_path: Path, footer: str
) -> None:
    load(tmp_path / "a.pdf", [body(n) for n in range(6)])
    document = pymupdf.open(tmp_path / "a.pdf")
    for n, page in enumerate(document):
        page.insert_text((72, 800), footer.format(n + 1), fontsize=9, fontname="china-s")
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "b.pdf", LoadRequest("b.pdf"))
    assert marked(loaded) == [footer.format(n + 1) for n in range(6)]


def test_headers_that_name_the_chapter_by_its_number_go(tmp_path: Path) -> None:
    pages = [[(60, f"Tables of chapter {1 + n // 5}", 9), *body(n)] for n in range(20)]
    assert len(marked(load(tmp_path / "a.pdf", pages))) == 20


def test_a_paragraph_that_begins_alike_on_every_page_stays(tmp_path: Path) -> None:
    pages = [[(102, BODY, 11), (116, BODY[:40], 11), *body(n)] for n in range(3)]
    assert marked(load(tmp_path / "a.pdf", pages)) == []


def test_pages_that_hold_nothing_else_keep_it(tmp_path: Path) -> None:
    pages = [[(72, f"Potato {n}", 11)] for n in range(30)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == []
    assert "Potato 29" in loaded.md


@pytest.mark.parametrize(
    ("x", "text", "numbers"), [(297, "1", ["1"]), (297, "7", []), (72, "1", [])]
)
def test_the_number_of_the_only_page_goes_from_the_middle_of_its_foot(
    tmp_path: Path, x: float, text: str, numbers: list[str]
) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for y, row, size in body(1):
            page.insert_text((72, y), row, fontsize=size)
        page.insert_text(
            (x - pymupdf.get_text_length(text, fontsize=10) / 2, 800), text, fontsize=10
        )
        document.save(tmp_path / "a.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "a.pdf", LoadRequest("a.pdf"))
    assert marked(loaded) == numbers
    assert loaded.summary["furniture"] == ({"page_number": 1} if numbers else {})
