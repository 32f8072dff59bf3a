"""Records, sums, signatures and notes that look like parts of something else, and are none."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load

PROSE = (
    "The gauge at the mill is read at noon and again at dusk, and what is read is written down "
    "in the book of the harbour, which the keeper of the lock has held for more than ten years."
)


def draw_table(
    page: pymupdf.Page, top: float, rows: list[tuple[str, ...]], ruled: set[int] | None = None
) -> float:
    """Cells 150 wide and 18 high from the left edge of the text, with a rule above the rows that
    are ``ruled``, or all; returns the table's end."""
    end = top + 18 * len(rows)
    for at in range(len(rows) + 1):
        if ruled is None or at in ruled:
            page.draw_line((60, top + 18 * at), (60 + 150 * len(rows[0]), top + 18 * at))
    for column in range(len(rows[0]) + 1):
        page.draw_line((60 + 150 * column, top), (60 + 150 * column, end))
    for at, row in enumerate(rows):
        draw_row(page, top + 18 * at + 13, row)
    return end


def draw_row(page: pymupdf.Page, y: float, cells: tuple[str, ...]) -> None:
    for column, text in enumerate(cells):
        page.insert_text((64 + 150 * column, y), text, fontsize=9, fontname="china-s")


STAFF = {
    "en": [("Name", "Role", "Office"), ("Alice Brown", "Engineer", "Berlin"),
           ("Bob Grey", "Designer", "Paris"), ("Carol White", "Manager", "Rome"),
           ("Dan Black", "Lawyer", "Oslo"), ("Eve Green", "Analyst", "Madrid"),
           ("Frank Blue", "Engineer", "Lisbon"), ("Gina Red", "Cook", "Vienna"),
           ("Hal Pink", "Driver", "Prague")],
    "zh": [("姓名", "职务", "城市"), ("王小明", "工程师", "北京"), ("李小红", "设计师", "上海"),
           ("张大山", "经理", "广州"), ("赵六", "律师", "深圳"), ("孙七", "分析师", "成都"),
           ("周八", "工程师", "杭州"), ("吴九", "厨师", "武汉"), ("郑十", "司机", "西安")],
}  # fmt: skip


@pytest.mark.parametrize("rows", STAFF.values(), ids=STAFF)
def test_records_that_are_ruled_in_twos_stay_records(
    rows: list[tuple[str, ...]], tmp_path: Path
) -> None:
    document = pymupdf.open()
    draw_table(document.new_page(), 80, rows, ruled={0, 1, 3, 5, 7, 9})
    document.save(tmp_path / "a.pdf")
    found = load(tmp_path / "a.pdf").md
    for row in rows[1:]:
        assert f"| {' | '.join(row)} |" in found


def test_sums_in_a_box_at_the_foot_of_each_page_are_no_footer(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(4):
        page = document.new_page()
        page.insert_textbox((60, 80, 500, 300), PROSE, fontsize=10)
        total = 117 + 100 * number
        draw_table(page, 740, [("Subtotal", f"{total}.50"), ("Total", f"{total + 23}.00")])
    document.save(tmp_path / "a.pdf")
    loaded = load(tmp_path / "a.pdf")
    assert all(f"| Subtotal | {117 + 100 * number}.50 |" in loaded.md for number in range(4))
    assert "footer" not in {each.kind for each in loaded.furniture}


@pytest.mark.parametrize(
    "below",
    [("Treasurer", "Secretary", "Chair"), ("Made: ____", "Seen: ____", "Paid: ____")],
)
def test_who_signs_below_a_table_is_no_row_of_it(below: tuple[str, ...], tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    rows = [("Item", "Number", "Price"), ("Shirt", "2", "12.00"), ("Hat", "3", "8.00")]
    draw_row(page, draw_table(page, 80, rows) + 14, below)
    document.save(tmp_path / "a.pdf")
    assert f"| {below[0]} |" not in load(tmp_path / "a.pdf").md


def test_who_signs_at_the_end_of_a_page_heads_no_table_on_the_next(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_textbox((60, 80, 500, 300), PROSE, fontsize=10)
    draw_row(page, 700, ("Landlord", "Tenant", "Witness"))
    rows = [("Room", "Thing", "State"), ("Kitchen", "Oven", "good"), ("Bath", "Tub", "worn")]
    draw_table(document.new_page(), 60, rows)
    document.save(tmp_path / "a.pdf")
    found = load(tmp_path / "a.pdf").md
    assert "| Room | Thing | State |\n|---|---|---|" in found and "| Landlord |" not in found


def test_a_note_below_text_is_one_though_the_number_before_stands_on_top(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((150, 60), "On Words", fontsize=18)
    for y, mark, text in ((108, "1", "University of Leeds"), (120, "2", "University of York")):
        page.insert_text((60, y - 3), mark, fontsize=6)
        page.insert_text((65, y), text, fontsize=9)
    for at in range(12):
        page.insert_text((60, 150 + 13 * at), PROSE[:88], fontsize=10)
    page.insert_text((60, 306), "Here ends it", fontsize=10)
    page.insert_text((117, 302), "3", fontsize=6)
    page.insert_text((60, 770), "3", fontsize=6)
    page.insert_text((66, 773), "Corresponding author, at Leeds now.", fontsize=8)
    document.save(tmp_path / "a.pdf")
    assert "[^3]: Corresponding author" in load(tmp_path / "a.pdf").md
