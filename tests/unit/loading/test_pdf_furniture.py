"""Running headers and footers go; text that only looks like them stays."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf import PdfLoader, PdfParams

HEADER = "Tide station, annual notes"
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
    assert loaded.counts["furniture"] == {"header": count}


def test_numbered_footers_with_different_words_on_each_page(tmp_path: Path) -> None:
    pages = [[*body(n), (800, f"Page {n + 1}", 9), (815, HEADER, 9)] for n in range(2)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert Counter(item.kind for item in loaded.furniture) == {"page_number": 2, "footer": 2}


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


def test_a_paragraph_that_begins_alike_on_every_page_stays(tmp_path: Path) -> None:
    pages = [[(102, BODY, 11), (116, BODY[:40], 11), *body(n)] for n in range(3)]
    assert marked(load(tmp_path / "a.pdf", pages)) == []


def test_pages_that_hold_nothing_else_keep_it(tmp_path: Path) -> None:
    pages = [[(72, f"Potato {n}", 11)] for n in range(30)]
    loaded = load(tmp_path / "a.pdf", pages)
    assert marked(loaded) == []
    assert "Potato 29" in loaded.md
