"""Forms that were filled in before they were printed: which answer is ticked."""

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.answers import mark_answers
from tests.unit.loading.pdf.facts import check_anchors, load


def kept(*rows: tuple[int, str]) -> list[str]:
    """Which of some rows of a page, each with where it begins (font sizes), keep their sign."""
    page = PageRows(1, 60000, 80000)
    for number, (x, text) in enumerate(rows):
        box = Box(1000 * x, 1500 * number, 40000, 1500 * number + 1000)
        line = Line(
            text, box, box.x0, box.y0, box.x1, box.y1, box.y1, 1000, False, False, False,
            raw=text,
        )  # fmt: skip
        page.rows.append(Row.of(line, number, 0, 50000))
    mark_answers([page])
    return [row.text for row in page.rows if row.answers]


@pytest.mark.parametrize("empty", ["○", "□"])
def test_of_answers_below_each_other_the_ticked_one_is_known(empty: str, tmp_path: Path) -> None:
    ticked = {"○": "●", "□": "■"}[empty]
    rows = [f"{empty} 正常", f"{ticked} 偏高", f"{empty} 过热"]
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "泵体温度：", fontname="china-s", fontsize=12)
    for number, row in enumerate(rows):
        page.insert_text((90, 110 + 16 * number), row, fontname="china-s", fontsize=12)
    document.save(tmp_path / "a.pdf")
    document.close()
    loaded = load(tmp_path / "a.pdf")
    assert loaded.md.split("\n\n")[1] == "\n".join(f"- {row}" for row in rows)
    check_anchors(loaded, tmp_path / "a.pdf")


def test_answers_beside_each_other_keep_all_their_boxes_and_so_do_others_of_the_form() -> None:
    rows = [(7, "□ 男　□ 女"), (5, "您愿意为上门护理每月支付："), (7, "○ 200 元以下")]
    assert kept(*rows) == ["□ 男　□ 女", "○ 200 元以下"]
    assert kept((7, "□ Yes □ No")) == ["□ Yes □ No"]


@pytest.mark.parametrize(
    "rows",
    [
        [(7, "● Gauges"), (7, "● Gates")],
        # A list within a list, and lists below each other.
        [(7, "● Gauges"), (9, "○ by float"), (9, "○ by radar"), (7, "● Gates")],
        [(7, "● Gates"), (7, "Some of them are:"), (7, "○ the northern one")],
    ],
)
def test_the_marks_of_lists_are_no_answers(rows: list[tuple[int, str]]) -> None:
    assert kept(*rows) == []
