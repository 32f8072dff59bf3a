"""Cells that are drawn over several columns or rows of a ruled table."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.stext import GridOf
from rag_assets.loading.pdf.tables.grid import is_drawing
from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
LEADING = 13
COLUMN = 74.0


class Cell(NamedTuple):
    """A cell over ``across`` columns and ``down`` rows; its lines are set in its middle, or at its
    left side."""

    column: int
    row: int
    text: str
    across: int = 1
    down: int = 1
    is_left: bool = False


def row(number: int, *texts: str) -> list[Cell]:
    return [Cell(column, number, text) for column, text in enumerate(texts)]


def draw_cells(
    page: pymupdf.Page,
    top: float,
    cells: Sequence[Cell],
    height: float = 20,
    leading: float = LEADING,
) -> float:
    """Draw the borders and the text of some cells; the lower end of the table."""
    low = top
    for cell in cells:
        left, right = 50 + COLUMN * cell.column, 50 + COLUMN * (cell.column + cell.across)
        upper, lower = top + height * cell.row, top + height * (cell.row + cell.down)
        low = max(low, lower)
        page.draw_rect((left, upper, right, lower), width=0.5)
        font = "helv" if cell.text.isascii() else "china-s"
        lines = cell.text.split("\n")
        y = (upper + lower - leading * len(lines)) / 2 + 10
        for line in lines:
            width = pymupdf.get_text_length(line, fontname=font, fontsize=SIZE)
            x = left + 4 if cell.is_left else (left + right - width) / 2
            page.insert_text((x, y), line, fontname=font, fontsize=SIZE)
            y += leading
    return low


def tables(
    path: Path, cells: Sequence[Cell], height: float = 20, leading: float = LEADING
) -> list[str]:
    """The lines of the table that is read from some cells."""
    with pymupdf.open() as document:
        draw_cells(document.new_page(), 60, cells, height, leading)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return [line for line in loaded.md.split("\n") if line.startswith("| ")]


def test_a_note_below_a_table_is_read_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    note = "Share: spent by planned. Projects include what was left over\nfrom the year before."
    cells = [
        *row(0, "部门", "人员", "公用", "项目", "说明"),
        *row(1, "水文处", "320", "45", "860", "推迟"),
        Cell(0, 2, note, across=5, down=2, is_left=True),
    ]
    joined = note.replace("\n", " ")
    assert tables(tmp_path / "n.pdf", cells)[-1] == f"| {joined} | | | | |"


def test_a_long_answer_in_a_form_is_one_cell_behind_its_label(tmp_path: Path) -> None:
    answer = "The wind is compared with the waves of three stations,\nand a formula is given."
    cells = [
        *row(0, "Name", "Ann Lee", "Grade", "B2", "Room"),
        Cell(0, 1, "Duties", down=2),
        Cell(1, 1, answer, across=4, down=2, is_left=True),
    ]
    joined = answer.replace("\n", " ")
    assert tables(tmp_path / "f.pdf", cells)[-1] == f"| Duties | {joined} | | | |"


@pytest.mark.parametrize(
    ("last", "line"),
    [
        (
            [Cell(0, 2, "合计", across=3), Cell(3, 2, "850")],
            "| 合计 | | | 850 |",
        ),
        (
            [Cell(0, 2, "Bit"), Cell(1, 2, "only on request", across=3)],
            "| Bit | only on request | | |",
        ),
    ],
)
def test_text_in_the_middle_of_several_columns_stands_in_the_first(
    tmp_path: Path, last: list[Cell], line: str
) -> None:
    body = [*row(0, "Size", "Wood", "Steel", "Brass"), *row(1, "up to 3", "2600", "2200", "900")]
    assert tables(tmp_path / "s.pdf", [*body, *last])[-1] == line


def test_a_label_in_the_middle_of_its_rows_stands_in_the_first(tmp_path: Path) -> None:
    cells = [
        *row(0, "时间", "节次", "课程"),
        Cell(0, 1, "上午", down=2),
        Cell(0, 3, "下午", down=3),
        *(Cell(1, n, f"{n} 节") for n in range(1, 6)),
        *(Cell(2, n, text) for n, text in enumerate(["数学", "测量", "程序", "实验", "体育"], 1)),
    ]
    assert tables(tmp_path / "l.pdf", cells)[1:] == [
        "| 上午 | 1 节 | 数学 |",
        "| | 2 节 | 测量 |",
        "| 下午 | 3 节 | 程序 |",
        "| | 4 节 | 实验 |",
        "| | 5 节 | 体育 |",
    ]


@pytest.mark.parametrize(("off", "at"), [(22, 0), (42, 4)])
def test_a_label_roughly_in_the_middle_of_its_rows_stands_in_the_first(
    off: float, at: int, tmp_path: Path
) -> None:
    names = ["Rain", "Wind", "Snow", "Hail", "Fog", "Dew"]
    cells = [*row(0, "Season", "Weather", "Days"), Cell(0, 1, "", down=6)]
    for number, name in enumerate(names, 1):
        cells += [Cell(1, number, name), Cell(2, number, str(number))]
    with pymupdf.open() as document:
        page = document.new_page()
        draw_cells(page, 60, cells)
        page.insert_text((54, 60 + 20 + 60 + 3 + off), "Winter", fontsize=SIZE)
        document.save(tmp_path / "o.pdf")
    found = load(tmp_path / "o.pdf").md.split("\n")
    assert [line.startswith("| Winter |") for line in found[2:]].index(True) == at


def test_a_figure_in_a_row_without_lines_stays_in_its_column(tmp_path: Path) -> None:
    cells = [*row(0, "Item", "June", "July", "August"), *row(1, "Pump", "12", "14", "16")]
    with pymupdf.open() as document:
        page = document.new_page()
        low = draw_cells(page, 60, [*cells, Cell(0, 2, "", across=4)])
        page.insert_text((50 + 2.4 * COLUMN, low - 6), "389", fontsize=SIZE)
        document.save(tmp_path / "t.pdf")
    assert load(tmp_path / "t.pdf").md.split("\n")[-1] == "| | | 389 | |"


@pytest.mark.parametrize(("parts", "expected"), [(11, True), (5, False)])
def test_lines_that_part_nothing_make_a_drawing(parts: int, expected: bool) -> None:
    edges = [float(x) for x in range(parts + 1)]
    flags = [[4 | 8] * (parts + 1)] * 3
    grid = GridOf(xpos=edges, ypos=[0.0, 1.0, 2.0], w=parts, h=2, flags=flags)
    assert is_drawing(grid, columns=2) == expected


def test_each_column_is_named_by_its_heads_in_both_rows(tmp_path: Path) -> None:
    cells = [
        Cell(0, 0, "部门", down=2),
        Cell(1, 0, "预算数", across=2),
        Cell(3, 0, "执行数", across=2),
        Cell(5, 0, "说明", down=2),
        *(Cell(n, 1, text) for n, text in enumerate(["人员", "公用", "人员", "公用"], 1)),
        *row(2, "水文处", "320", "45", "301", "40", "推迟"),
        *row(3, "防汛办", "210", "60", "208", "58", "无"),
    ]
    assert tables(tmp_path / "h.pdf", cells) == [
        "| 部门 | 预算数 人员 | 预算数 公用 | 执行数 人员 | 执行数 公用 | 说明 |",
        "| 水文处 | 320 | 45 | 301 | 40 | 推迟 |",
        "| 防汛办 | 210 | 60 | 208 | 58 | 无 |",
    ]


def test_a_head_over_columns_whose_figures_begin_at_their_left_names_each(tmp_path: Path) -> None:
    cells = [
        Cell(0, 0, "Code", down=2),
        Cell(1, 0, "Size", across=3),
        Cell(4, 0, "Price", down=2),
        *row(1, "", "Length", "Width", "Depth")[1:],
    ]
    for number in range(2, 6):
        texts = (f"HJ00{number}", "45", "21", "1.3", "7.85")
        cells += [Cell(at, number, text, is_left=True) for at, text in enumerate(texts)]
    assert tables(tmp_path / "s.pdf", cells)[0] == (
        "| Code | Size Length | Size Width | Size Depth | Price |"
    )


def test_the_first_rows_of_a_form_are_no_heads(tmp_path: Path) -> None:
    cells = [
        Cell(0, 0, "Project"),
        Cell(1, 0, "Levels in waves", across=3),
        *row(1, "Kind", "major", "Months", "24"),
        *row(2, "Amount", "285", "Place", "Quay"),
    ]
    assert tables(tmp_path / "f.pdf", cells)[0] == "| Project | Levels in waves | | |"


def test_a_title_inside_a_table_is_no_head_of_each_column(tmp_path: Path) -> None:
    cells = [
        Cell(0, 0, "Stations of the river", across=3),
        *row(1, "Station", "Mean", "Max"),
        *row(2, "Quay", "2", "5"),
        *row(3, "Lock", "1", "4"),
    ]
    assert tables(tmp_path / "t.pdf", cells)[:2] == [
        "| Stations of the river | | |",
        "| Station | Mean | Max |",
    ]


def test_figures_of_their_own_rows_stay_there_though_no_line_parts_them(tmp_path: Path) -> None:
    cells = [Cell(0, 0, "Item"), Cell(1, 0, "", down=4), Cell(2, 0, "Note")]
    for number, (item, note) in enumerate([("Rain", "a"), ("Wind", "b"), ("Snow", "c")], 1):
        cells += [Cell(0, number, item), Cell(2, number, note)]
    path = tmp_path / "f.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        draw_cells(page, 60, cells)
        for number, figure in enumerate(("12", "3", "7"), 1):
            page.insert_text((50 + 1.5 * COLUMN, 74 + 20 * number), figure, fontsize=SIZE)
        document.save(path)
    assert "| Wind | 3 | b |" in load(path).md


def test_figures_below_years_are_no_heads(tmp_path: Path) -> None:
    cells = [Cell(0, 0, ""), Cell(1, 0, "2023", across=2), Cell(3, 0, "2024", across=2)]
    cells += [*row(1, "Gao", "1", "2", "3", "4"), *row(2, "Jia", "5", "6", "7", "8")]
    assert "| Gao | 1 | 2 | 3 | 4 |" in tables(tmp_path / "y.pdf", cells)


def test_a_label_in_the_middle_of_the_rows_it_is_drawn_over_stands_beside_them(
    tmp_path: Path,
) -> None:
    names = [("Lamps", "oil", "wicks"), ("Boats", "tar", "rope", "oars"), ("Gauge", "ink")]
    cells, at = [], 0
    for label, *things in names:
        cells += [Cell(0, at, label, down=len(things))]
        cells += [Cell(1, at + n, thing) for n, thing in enumerate(things)]
        at += len(things)
    assert tables(tmp_path / "m.pdf", cells) == [
        "| Lamps | oil |",
        "| | wicks |",
        "| Boats | tar |",
        "| | rope |",
        "| | oars |",
        "| Gauge | ink |",
    ]
