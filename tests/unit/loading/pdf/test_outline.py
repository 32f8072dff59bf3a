"""Headings that the outline of a document names, spelt as a page spells them."""

from collections.abc import Sequence

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import load

PROSE = "The board met in the hall, and the harbour was closed in spring. "


def outlined(titles: Sequence[str], heads: Sequence[Sequence[str]]) -> Loaded:
    """A page of text in which some rows, of its size and font, are the ``titles`` of an outline."""
    document = pymupdf.open()
    page = document.new_page()
    y = 80.0
    for rows in heads:
        for row in rows:
            page.insert_text((72, y), row, fontsize=11)
            y += 14
        for _ in range(3):
            page.insert_text((72, y + 6), PROSE, fontsize=11)
            y += 14
        y += 20
    document.set_toc([[1, title, 1] for title in titles])
    loaded = load(document.tobytes())
    document.close()
    return loaded


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("1.1 Cos’è un pacchetto?", ["1.1 Cos'è un pacchetto?"]),
        ("The “stable” gauge", ['The "stable" gauge']),
        ("How does one read gauges of Debian?", ["How does one read gauges of De-", "bian?"]),
        ("Tides – an overview", ["Tides - an overview"]),
        ("II Contribution", ["II. CONTRIBUTION"]),
    ],
)
def test_a_heading_is_found_though_its_outline_writes_it_otherwise(
    title: str, rows: list[str]
) -> None:
    loaded = outlined(["Start", title, "End"], [["Start"], rows, ["End"]])
    assert [item.char_start is not None for item in loaded.outline] == [True] * 3
    assert loaded.md.count("\n# ") == 2


def test_a_dash_over_a_heading_is_no_part_of_it() -> None:
    loaded = outlined(["Start", "End"], [["Start"], ["-", "End"]])
    assert "\n# End\n" in loaded.md


def test_a_heading_is_found_though_a_soft_hyphen_divides_its_word() -> None:
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    rows = ["The foun\u00ad", "dations of piers", *[PROSE] * 5]
    for number, row in enumerate(rows):
        y = 80 + 14 * number + 20 * (number > 1)
        writer.append((72, y), row, font=pymupdf.Font("helv"), fontsize=11)
    writer.write_text(page)
    document.set_toc([[1, "The foundations of piers", 1]] * 2)
    loaded = load(document.tobytes())
    document.close()
    assert loaded.md.startswith("# The foundations of piers\n")


def test_the_number_of_a_part_is_in_its_heading_when_the_outline_has_it_too() -> None:
    document = pymupdf.open()
    titles = {"Part I": "Tides", "Part II": "Gauges", "Part III": "Harbours"}
    for number, title in titles.items():
        page = document.new_page()
        page.insert_text((72, 80), number, fontsize=20)
        page.insert_text((72, 120), title, fontsize=24)
        for row in range(20):
            page.insert_text((72, 160 + 14 * row), PROSE, fontsize=11)
    names = [f"{number.removeprefix('Part ')} {title}" for number, title in titles.items()]
    document.set_toc([[1, name, at] for at, name in enumerate(names, 1)])
    loaded = load(document.tobytes())
    document.close()
    heads = [line for line in loaded.md.split("\n") if line.startswith("#")]
    assert heads == [f"# {number} {title}" for number, title in titles.items()]


def test_an_item_of_a_list_is_not_the_heading_that_says_the_same() -> None:
    titles = ["Change the tempo", "Edit the tempo"]
    with pymupdf.open() as document:
        page = document.new_page()
        for n, title in enumerate(titles, 1):
            page.insert_text((72, 60 + 16 * n), f"{n}. {title}", fontsize=10)
            page.insert_text((72, 100 + 80 * n), f"9.{n} {title}", fontsize=12)
            for row in range(3):
                page.insert_text((72, 120 + 80 * n + 13 * row), PROSE, fontsize=10)
        document.set_toc([[1, title, 1] for title in titles])
        loaded = load(document.tobytes())
    assert "# 9.1 Change the tempo" in loaded.md
    assert "# 1. " not in loaded.md
