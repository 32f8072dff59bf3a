"""What a PDF without a title of its own is called."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load

PROSE = "The bridge was looked at in spring, and nothing was found on its deck or piers."


CHINESE = "感潮河段的水位受上游径流与外海潮汐共同影响，传统方法难以准确描述。"


def chinese(*heads: tuple[str, float]) -> str:
    """The title of a document with large rows in the middle of its first page, above text."""
    document = pymupdf.open()
    page = document.new_page()
    top = 90.0
    for text, size in [*heads, *[(CHINESE, 12.0)] * 9]:
        x = max(72.0, 297 - size * len(text) / 2)
        page.insert_text((x, top), text, fontsize=size, fontname="china-s")
        top += 1.8 * size
    title = load(document.tobytes()).title
    document.close()
    return title


def write(
    path: Path, pages: list[list[tuple[str, float]]], outline: dict[str, int] | None = None
) -> Path:
    """Rows of a text in a size, below each other; bookmarks lead to pages (1-based)."""
    document = pymupdf.open()
    for rows in pages:
        page = document.new_page()
        top = 72.0
        for text, size in rows:
            page.insert_text((72, top), text, fontsize=size)
            top += 2 * size
    document.set_toc([[1, title, number] for title, number in (outline or {}).items()])
    document.save(path)
    document.close()
    return path


def numbered(*heads: str) -> list[tuple[str, float]]:
    return [row for head in heads for row in ((head, 14.0), *[(PROSE, 11.0)] * 4)]


def test_the_first_of_numbered_headings_is_no_title(tmp_path: Path) -> None:
    rows = numbered("1 Deck", "2 Piers", "3 Railing")
    loaded = load(write(tmp_path / "a.pdf", [rows]))
    assert not loaded.title
    assert [item.title for item in loaded.outline] == ["1 Deck", "2 Piers", "3 Railing"]


def test_a_number_that_counts_no_headings_is_part_of_a_title(tmp_path: Path) -> None:
    rows = numbered("10 bridges of the north", "Piers", "Railing")
    assert load(write(tmp_path / "a.pdf", [rows])).title == "10 bridges of the north"


def test_a_title_may_be_most_of_what_its_page_says(tmp_path: Path) -> None:
    cover = [("A short guide to the inspection of bridges", 18.0), ("A. Author", 12.0)]
    pages = [cover, numbered("1 Deck", "2 Piers"), numbered("3 Railing")]
    loaded = load(write(tmp_path / "a.pdf", pages, {"Deck": 2, "Piers": 2, "Railing": 3}))
    assert loaded.title == "A short guide to the inspection of bridges"


def test_a_first_page_in_large_print_has_no_title(tmp_path: Path) -> None:
    pages = [[(PROSE, 14.0)] * 6, numbered("Deck", "Piers"), numbered("Railing")]
    assert load(write(tmp_path / "a.pdf", pages)).title != f"{PROSE} {PROSE} {PROSE}"


def test_a_word_divided_in_a_title_is_whole(tmp_path: Path) -> None:
    rows = [("The piers of the harbour and their foun\u00ad", 18.0), ("dations", 18.0)]
    assert (
        load(write(tmp_path / "a.pdf", [[*rows, *[(PROSE, 11.0)] * 9]])).title
        == "The piers of the harbour and their foundations"
    )


def test_the_mark_of_a_footnote_is_no_part_of_a_title(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Inspection of bridges", fontsize=18)
    end = 72 + pymupdf.get_text_length("Inspection of bridges", fontsize=18)
    page.insert_text((end + 1, 65), "1", fontsize=10)
    for row in range(12):
        page.insert_text((72, 120 + 14 * row), PROSE, fontsize=11)
    page.draw_line((72, 700), (200, 700))
    page.insert_text((72, 712), "1", fontsize=6)
    page.insert_text((76, 716), "Paid for by the county.", fontsize=8)
    document.save(tmp_path / "a.pdf")
    assert load(tmp_path / "a.pdf").title == "Inspection of bridges"


@pytest.mark.parametrize(
    "number", ["临政发〔2026〕7 号", "〔2026〕第 5 号", "（2026）12号　签发人：何平"]
)
def test_the_title_of_an_official_document_stands_below_its_number(number: str) -> None:
    head = ("临江市人民政府文件", 36.0)
    rows = [("临江市人民政府关于加强城区", 22.0), ("内涝防治工作的通知", 22.0)]
    title = "".join(text for text, _ in rows)
    assert chinese(head, (number, 16.0), *rows) == title
    # Nothing large stands below the number of a letter.
    assert chinese(head, (number, 12.0)) == head[0]


def test_the_title_of_an_official_document_may_stand_above_its_number() -> None:
    title = ("临江市人民政府关于加强城区内涝防治的通知", 20.0)
    below = [("临政发〔2026〕7 号", 12.0), *[(CHINESE, 12.0)] * 4, ("一、总体要求", 16.0)]
    assert chinese(title, *below) == title[0]


def test_a_thesis_is_not_called_after_its_school() -> None:
    title = ("感潮河段水位预报方法研究", 20.0)
    assert chinese(("江宁大学", 26.0), ("硕士学位论文", 22.0), title) == title[0]
    assert chinese(("江宁大学", 26.0)) == "江宁大学"
    assert chinese(("江宁大学历史沿革", 26.0), title) == "江宁大学历史沿革"
