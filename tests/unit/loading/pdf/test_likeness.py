"""Headings the outline leaves out."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import load

PROSE = "The gauge was read at noon and once more in the evening of each day of the week."
NAMED = ["1 Tides", "1.1 Of spring", "2 Gauges", "2.1 Of brass", "3 Harbours", "3.1 Of stone"]


def heads_of(path: Path, heads: Sequence[str], named: Sequence[str] = NAMED) -> list[str]:
    """The headings of a document in which each of ``heads`` is set in bold over some text, and an
    outline names some: those with two numbers below those with one."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=1600)
    page.insert_text((72, 40), "N. N., Harbour board", fontsize=10, fontname="hebo")
    outline = []
    y = 80
    for head in heads:
        page.insert_text((72, y), head, fontsize=10, fontname="hebo")
        for number in range(3):
            page.insert_text((72, y + 24 + 13 * number), PROSE, fontsize=10)
        y += 86
        if head in named:
            outline.append([1 + head.count("."), head, 1])
    document.set_toc(outline)
    document.save(path)
    document.close()
    return [line for line in load(path).md.split("\n") if line.startswith("#")]


def test_headings_set_as_those_of_the_outline_are_headings_too(tmp_path: Path) -> None:
    heads = ["Contents", *NAMED, "3.2 Of wood", "References"]
    assert heads_of(tmp_path / "a.pdf", heads) == [
        ("## " if "." in head else "# ") + head for head in heads
    ]


def test_labels_sentences_and_entries_with_a_page_number_are_none(tmp_path: Path) -> None:
    others = ["Note", "Note", "Note", "2 Gauges 12", "Read it at noon."]
    found = heads_of(tmp_path / "a.pdf", [*NAMED, *others])
    assert [line.lstrip("# ") for line in found] == NAMED


def test_what_is_set_in_bold_more_often_than_headings_are_is_text(tmp_path: Path) -> None:
    words = ["Brass", "Copper", "Granite", "Iron", "Lead", "Marble", "Oak"]
    found = heads_of(tmp_path / "a.pdf", [*NAMED, *words])
    assert [line.lstrip("# ") for line in found] == NAMED


def test_parts_before_the_first_chapter_are_headings_in_whatever_font(tmp_path: Path) -> None:
    chapters = ["第一章 绪论", "第二章 资料与方法", "第三章 结论"]
    document = pymupdf.open()
    for head in ["感潮河段水位预报", "摘  要", "ABSTRACT", *chapters]:
        page = document.new_page()
        font = "hebo" if head.isascii() else "china-s"
        page.insert_text((220, 80), head, fontsize=16, fontname=font)
        for number in range(6):
            text = (
                PROSE
                if head.isascii()
                else "水位过程呈现明显的非线性和非平稳特征，是预报中的难点。"
            )
            page.insert_text((72, 120 + 18 * number), text, fontsize=12, fontname="china-s")
    document.set_toc([[1, head, number] for number, head in enumerate(chapters, 4)])
    document.save(tmp_path / "a.pdf")
    document.close()
    heads = [line for line in load(tmp_path / "a.pdf").md.split("\n") if line.startswith("#")]
    assert heads == [f"# {head}" for head in ["摘  要", "ABSTRACT", *chapters]]
