"""Text that is set to the width of its cell, or stands in a frame: its gaps make no columns."""

from itertools import pairwise
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
EDGES = (50, 92, 200, 280)
#: Text, and how far from the left of its cell each of its characters, or lines of them, begins.
Words = list[tuple[int, int, str]]


def read(path: Path, rows: list[tuple[Words, ...]]) -> list[str]:
    """The lines of a text with a table of ruled rows, each two lines of text high."""
    with pymupdf.open() as document:
        page = document.new_page()
        for number, cells in enumerate(rows):
            y = 100 + 34 * number
            for (left, right), words in zip(pairwise(EDGES), cells, strict=True):
                page.draw_rect((left, y, right, y + 34), width=0.5)
                for x, down, text in words:
                    at = (left + 5 + x, y + 13 + 14 * down)
                    page.insert_text(at, text, fontname="china-s", fontsize=SIZE)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded.md.split("\n")


def test_characters_set_to_the_width_of_their_cell_stay_in_it(tmp_path: Path) -> None:
    rows = [
        ([(0, 0, "申"), (22, 0, "请"), (0, 1, "部门")], [(0, 0, "装配车间")], [(0, 0, "八月")]),
        ([(0, 0, "故"), (22, 0, "障"), (0, 1, "描述")], [(0, 0, "主轴异响")], [(0, 0, "一台")]),
        ([(0, 0, "维修人")], [(0, 0, "罗海涛")], [(0, 0, "九月")]),
    ]
    assert read(tmp_path / "f.pdf", rows) == [
        "| 申请部门 | 装配车间 | 八月 |",
        "|---|---|---|",
        "| 故障描述 | 主轴异响 | 一台 |",
        "| 维修人 | 罗海涛 | 九月 |",
    ]


def test_figures_in_columns_that_are_not_ruled_stay_columns(tmp_path: Path) -> None:
    rows = [
        ([(0, 0, name)], [(0, 0, one), (60, 0, other)], [(0, 0, "是")])
        for name, one, other in (("甲", "12", "340"), ("乙", "15", "280"), ("丙", "18", "95"))
    ]
    assert "| 甲 | 12 | 340 | 是 |" in read(tmp_path / "c.pdf", rows)


def test_what_is_cut_at_a_blank_in_a_frame_is_no_table(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((50, 90), "Read this manual before you set the device up.", fontsize=SIZE)
        page.draw_rect((50, 110, 400, 156), color=None, fill=(1, 0.96, 0.8))
        page.draw_rect((50, 110, 54, 156), color=None, fill=(0.8, 0.4, 0))
        page.insert_text((62, 124), "Note", fontsize=SIZE)
        page.insert_text((62, 146), "RS-485", fontsize=SIZE)
        x = 62 + pymupdf.get_text_length("RS-485", fontsize=SIZE)
        page.insert_text((x, 146), " 总线应当采用手拉手方式", fontname="china-s", fontsize=SIZE)
        for y in (200, 220, 260):
            page.draw_line((50, y), (300, y), width=0.8)
        for y, texts in ((214, ("Pin", "Meaning")), (234, ("A", "data")), (252, ("B", "shield"))):
            for x, word in zip((54, 180), texts, strict=True):
                page.insert_text((x, y), word, fontsize=SIZE)
        document.save(tmp_path / "n.pdf")
    text = load(tmp_path / "n.pdf").md
    assert "|" not in text.split("| Pin | Meaning |")[0]
    assert text.endswith("| Pin | Meaning |\n|---|---|\n| A | data |\n| B | shield |")
    assert "RS-485 总线应当采用手拉手方式" in text
