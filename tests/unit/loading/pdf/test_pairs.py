"""Lists of names and values, and what floats at the right of a row."""

from collections.abc import Sequence

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.unit.loading.pdf.test_order import LEADING, SIZE, column, draw, places

WORDS = ["crab soup", "smoked mackerel, horseradish", "plaice", "lamb shank, barley", "tart"]
TAKERS = ["Erika Mustermann", "Berlin", "17 Heidestrasse", "three persons", "none"]


def put(page: pymupdf.Page, x: float, y: float, text: str, *, right: bool = False) -> None:
    if right:
        x -= pymupdf.get_text_length(text, fontsize=SIZE)
    page.insert_text((x, y), text, fontsize=SIZE)


def read(document: pymupdf.Document) -> str:
    loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("f.pdf"))
    return loaded.md


@given(
    st.lists(st.tuples(st.sampled_from(WORDS), st.integers(10, 99)), min_size=3, max_size=14),
    st.sampled_from([(300, False), (480, False), (480, True)]),
    st.sampled_from([14, 17, 20]),
    st.booleans(),
)
def test_a_value_stays_with_its_name(
    pairs: list[tuple[str, int]], place: tuple[int, bool], leading: int, closed: bool
) -> None:
    rows = [(f"{name} {n}", f"{price}.{n:02}") for n, (name, price) in enumerate(pairs)]
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 60, 60, ["Prices"], 20)
        for n, (name, price) in enumerate(rows):
            put(page, 60, 100 + leading * n, name)
            put(page, place[0], 100 + leading * n, price, right=place[1])
        if closed:
            put(page, 60, 124 + leading * len(rows), "All prices in pounds.")
        md = read(document)
    lines = [line for line in md.split("\n") if line]
    listed = [f"{name} {price}" for name, price in rows]
    assert lines[1 : 1 + len(rows)] == listed


def test_words_drawn_beside_their_names_stay_with_them() -> None:
    rows = [(f"{name} {n}", f"{TAKERS[n % 5]} {n}") for n, name in enumerate(WORDS * 2)]
    with pymupdf.open() as document:
        page = document.new_page()
        for n, (name, value) in enumerate(rows):
            put(page, 60, 100 + 17 * n, name)
            put(page, 260, 100 + 17 * n, value)
        md = read(document)
    assert [line for line in md.split("\n") if line] == [f"{a} {b}" for a, b in rows]


def parallel(page: pymupdf.Page) -> list[str]:
    """Paragraphs in two languages, row beside row."""
    sides = [column("English", 14), column("Welsh", 14)]
    for a, b in zip(*sides, strict=True):
        y = 60 + LEADING * sides[0].index(a)
        put(page, 60, y, a)
        put(page, 310, y, b)
    return [text for side in sides for text in side]


def narrow(page: pymupdf.Page) -> list[str]:
    """Two lists of short words, one drawn after the other."""
    found = []
    for x, name in ((60, "left"), (200, "right")):
        rows = [f"the {name} word {n}" for n in range(9)]
        draw(page, x, 60, rows)
        found += rows
    return found


@pytest.mark.parametrize("layout", [parallel, narrow])
def test_columns_whose_rows_share_baselines_are_no_list(layout: object) -> None:
    assert callable(layout)
    with pymupdf.open() as document:
        texts: Sequence[str] = layout(document.new_page())
        loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("f.pdf"))
    found = places(loaded, *texts)
    assert found == sorted(found)


@given(st.integers(2, 8), st.booleans())
def test_what_floats_is_read_behind_its_row(questions: int, footer: bool) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        if footer:
            put(page, 270, 805, "Page 1 of 2")
        for n in range(questions):
            put(page, 480, 160 + 50 * n, f"[{n + 4} marks]")
        draw(page, 60, 60, ["Final paper"], 20)
        for n in range(questions):
            draw(page, 60, 160 + 50 * n, [f"Question {n} asks why ice floats, and"] * (n % 2))
            put(page, 60, 160 + 50 * n + LEADING * (n % 2), f"says {n} what follows from it.")
        md = read(document)
    flat = " ".join(md.split())
    found = [flat.index("Final paper")]
    for n in range(questions):
        found += [flat.index(f"says {n} what follows"), flat.index(f"[{n + 4} marks]")]
    assert found == sorted(found)
    assert "says 0 what follows from it. [4 marks]" in md


def test_a_note_that_floats_is_not_mixed_with_the_text() -> None:
    note, text = [f"note {n} goes on" for n in range(4)], column("main", 4)
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 420, 100, note)
        draw(page, 60, 60, ["Final paper"], 20)
        draw(page, 60, 100, text)
        md = read(document)
    assert " ".join(note) in " ".join(md.split())
    assert " ".join(text) in " ".join(md.split())


@pytest.mark.parametrize("size", [SIZE, 14])
def test_a_bold_sum_is_no_heading_and_a_year_beside_a_bold_name_is_one(size: int) -> None:
    pairs = [("Labour", "3,400.00"), ("Materials", "1,955.20"), ("Net total", "5,355.20")]
    with pymupdf.open() as document:
        page = document.new_page()
        y = draw(
            page, 60, 80, [f"{row}, row after row after row of it" for row in column("left", 12)]
        )
        y += 20
        for at, (name, amount) in enumerate([*pairs, ("Tide Museum", "2019 - 2021")]):
            is_bold = at > 1
            font, points = ("hebo", size) if is_bold else ("helv", SIZE)
            x = 540 - pymupdf.get_text_length(amount, font, points)
            page.insert_text((60, y), name, fontname=font, fontsize=points)
            page.insert_text((x, y), amount, fontname=font, fontsize=points)
            y += 26 if at > 2 else 14
            if at >= 2:
                y = draw(page, 60, y, [f"What was said of {name}, and what not", *column(name, 3)])
                y += 20
        markdown = read(document)
    lines = markdown.split("\n")
    assert "Net total 5,355.20" in lines
    assert [line.lstrip("# ") for line in lines if line[:1] == "#"] == ["Tide Museum 2019 - 2021"]
