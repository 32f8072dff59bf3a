"""Ruled tables that go on over the end of a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.order.brokentables import mend_broken_tables
from rag_assets.loading.pdf.order.rows import Item, PageRows, Row
from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
LEADING = 13
WIDTHS = (60, 120, 110, 80)
Rows = Sequence[Sequence[str]]


def draw_rows(
    page: pymupdf.Page,
    top: float,
    rows: Rows,
    bold: int = 0,
    *,
    left: float = 60,
    widths: Sequence[float] = WIDTHS,
) -> float:
    """A ruled table whose first ``bold`` rows are bold; newlines part the lines of a cell."""
    for number, row in enumerate(rows):
        low = top + LEADING * max(text.count("\n") + 1 for text in row) + 7
        x = left
        for text, width in zip(row, widths, strict=False):
            page.draw_rect((x, top, x + width, low), width=0.5)
            font = "hebo" if number < bold else "helv"
            font = font if text.isascii() else "china-s"
            for at, line in enumerate(text.split("\n")):
                place = (x + 4, top + 13 + LEADING * at)
                page.insert_text(place, line, fontname=font, fontsize=SIZE)
            x += width
        top = low
    return top


def tables(
    path: Path,
    *pages: Rows,
    bold: Sequence[int] = (1, 0),
    first_top: float = 560,
    between: str = "",
    left: float = 60,
    widths: Sequence[float] = WIDTHS,
) -> list[str]:
    """The rows of the tables of a document that has one on each page; those behind the first stand
    below a text, so far from the ``left``, and have columns of their own ``widths``."""
    with pymupdf.open() as document:
        for number, rows in enumerate(pages):
            page = document.new_page()
            page.insert_text((60, 50), "Register of the works", fontsize=SIZE)
            if number:
                page.insert_text((60, 75), between, fontsize=SIZE)
                draw_rows(page, 90, rows, bold[number], left=left, widths=widths)
            else:
                draw_rows(page, first_top, rows, bold[number])
            page.insert_text((280, 800), f"Page {number + 1} of {len(pages)}", fontsize=SIZE)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return [line for line in loaded.md.split("\n") if line.startswith("|")]


HEAD = ("No.", "Milestone", "Date", "Amount")


def test_a_row_broken_over_a_page_is_one_and_the_next_page_has_heads(tmp_path: Path) -> None:
    first = [
        HEAD,
        ("1", "Mobilisation", "16 March", "9,650"),
        ("2", "Topographic survey", "10 April", "14,475"),
    ]
    second = [("", "issued", "", ""), ("3", "Draft report", "8 May", "14,475")]
    assert tables(tmp_path / "b.pdf", first, second) == [
        "| No. | Milestone | Date | Amount |",
        "|---|---|---|---|",
        "| 1 | Mobilisation | 16 March | 9,650 |",
        "| 2 | Topographic survey issued | 10 April | 14,475 |",
        "| No. | Milestone | Date | Amount |",
        "|---|---|---|---|",
        "| 3 | Draft report | 8 May | 14,475 |",
    ]


def test_the_end_of_a_row_below_heads_that_are_repeated_goes_back(tmp_path: Path) -> None:
    first = [
        ("序号", "风险", "措施", "责任人"),
        ("1", "阀门交付", "提前订货", "赵磊"),
        (
            "2",
            "供应商未能按期交付水\n泵，导致调试推迟到汛",
            "提前订货并约定违约\n金，每月检查订单执",
            "吴倩",
        ),
    ]
    second = [("序号", "风险", "措施", "责任人"), ("", "期以后。", "行情况。", "")]
    assert tables(tmp_path / "r.pdf", first, second, bold=(0, 0)) == [
        "| 序号 | 风险 | 措施 | 责任人 |",
        "|---|---|---|---|",
        "| 1 | 阀门交付 | 提前订货 | 赵磊 |",
        "| 2 | 供应商未能按期交付水泵，导致调试推迟到汛期以后。 "
        "| 提前订货并约定违约金，每月检查订单执行情况。 | 吴倩 |",
    ]


def test_rows_of_a_group_that_goes_on_stay_rows(tmp_path: Path) -> None:
    first = [HEAD, ("A", "Kittiwake", "Platform", "312"), ("", "Herring gull", "Roof", "18")]
    second = [("", "Guillemot", "Cliff", "47"), ("B", "Razorbill", "Cliff", "12")]
    assert tables(tmp_path / "g.pdf", first, second)[3:] == [
        "| | Herring gull | Roof | 18 |",
        "| No. | Milestone | Date | Amount |",
        "|---|---|---|---|",
        "| | Guillemot | Cliff | 47 |",
        "| B | Razorbill | Cliff | 12 |",
    ]


def test_another_table_of_the_same_columns_keeps_its_heads(tmp_path: Path) -> None:
    first = [HEAD, ("1", "Mobilisation", "March", "9,650"), ("2", "Survey", "April", "14,475")]
    second = [("Code", "Place", "Keeper", "Share"), ("K1", "Quay", "Smith", "50")]
    found = tables(tmp_path / "o.pdf", first, second, bold=(1, 1))
    assert found[4:] == [
        "| Code | Place | Keeper | Share |",
        "|---|---|---|---|",
        "| K1 | Quay | Smith | 50 |",
    ]


FIGURES = [
    ("Region", "Unit", "Planned", "Actual"),
    ("North", "t", "120", "118"),
    ("South", "t", "90", "95"),
]


@pytest.mark.parametrize(
    ("own", "bold"),
    [
        (("Region", "Unit", "2023", "2024"), (1, 1)),
        (("Region", "Unit", "2023", "2024"), (0, 0)),
        (("Place", "Unit", "2023", "2024"), (0, 0)),
        (("Place", "Unit", "1", "2"), (1, 1)),
        (("Region", "Unit", "1", "2"), (0, 0)),
    ],
)
def test_another_table_whose_heads_are_figures_keeps_them(
    own: Sequence[str], bold: Sequence[int], tmp_path: Path
) -> None:
    found = tables(tmp_path / "y.pdf", FIGURES, [own, *FIGURES[1:]], bold=bold)
    assert found[4:6] == [f"| {' | '.join(own)} |", "|---|---|---|---|"]


@pytest.mark.parametrize("bold", [(0, 0), (3, 2)])
def test_a_row_of_figures_or_of_years_below_years_is_one_of_the_body(
    bold: Sequence[int], tmp_path: Path
) -> None:
    first = [
        ("Name", "Place", "Year", "Sum"),
        ("Ann", "Quay", "1998", "–"),
        *[("Bo", "", "2001", "")],
    ]
    second = [("Cy", "Lock", "2007", ""), ("Di", "Pier", "2009", "")]
    found = tables(tmp_path / "y.pdf", first, second, bold=bold)
    assert found[4:] == [found[0], found[1], "| Cy | Lock | 2007 | |", "| Di | Pier | 2009 | |"]


def test_a_bold_sum_first_on_the_next_page_is_a_row_of_the_body(tmp_path: Path) -> None:
    first = [("Region", "Planned", "Actual"), ("North", "120", "118"), ("South", "90", "95")]
    widths = (60, 120, 110)
    second = [("Total", "1,210", ""), ("of it paid", "90", "95")]
    found = tables(tmp_path / "s.pdf", first, second, bold=(1, 1), widths=widths)
    assert found[4:] == [found[0], found[1], "| Total | 1,210 | |", "| of it paid | 90 | 95 |"]
    heads = ("Pier", "1", "2")
    found = tables(tmp_path / "h.pdf", first, [heads, *first[1:]], bold=(1, 1), widths=widths)
    assert found[4:6] == ["| Pier | 1 | 2 |", "|---|---|---|"]


def goes_on(path: Path, **placed: Any) -> bool:
    """Whether a table of the next page that stands so has the heads of the first one."""
    found = tables(path, FIGURES, FIGURES[1:], **placed)
    return found.count(found[0]) == 2


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ({}, True),
        ({"left": 61}, True),
        ({"left": 62}, False),
        ({"widths": (60, 120, 110, 100)}, False),
        ({"widths": (100, 80, 110, 80)}, False),
        ({"between": "The next year is told apart."}, False),
        ({"first_top": 440}, True),
        ({"first_top": 310}, False),
    ],
)
def test_a_table_goes_on_in_its_own_columns_right_at_the_end_of_a_page(
    placed: dict[str, Any], expected: bool, tmp_path: Path
) -> None:
    assert goes_on(tmp_path / "p.pdf", **placed) == expected


def line(text: str, left: int) -> Line:
    place = Box(left, 70_000, left + 1_000, 71_000)
    return Line(
        text,
        place,
        left,
        70_000,
        left + 1_000,
        71_000,
        70_900,
        1_000,
        bold=False,
        mono=False,
        vertical=False,
    )


def page_of(number: int, *items: Item) -> PageRows:
    rows = [item for item in items if isinstance(item, Row)]
    return PageRows(number, 60_000, 80_000, list(items), rows)


def table_of(rows: Rows, edges: tuple[int, ...]) -> TableBlock:
    cells = [[[line(text, 100 * at)] for at, text in enumerate(row)] for row in rows]
    return TableBlock(Box(0, 69_000, 40_000, 72_000), cells, edges)


EDGES = (0, 100, 200, 300, 400)


@pytest.mark.parametrize(
    ("edges", "own", "behind"),
    [((), EDGES, []), (EDGES, (), []), (EDGES, EDGES, ["The table ends here."])],
    ids=["a table without lines", "before one without lines", "text below it"],
)
def test_a_table_does_not_go_on_from(
    edges: tuple[int, ...], own: tuple[int, ...], behind: Sequence[str]
) -> None:
    rows = [Row.of(line(text, 0), 0, 0, 40_000) for text in behind]
    lower = table_of(FIGURES[1:], own)
    mend_broken_tables([page_of(1, table_of(FIGURES, edges), *rows), page_of(2, lower)])
    assert len(lower.rows) == len(FIGURES[1:])


def test_a_table_below_which_a_page_has_room_does_not_go_on(tmp_path: Path) -> None:
    first = [("Sensor", "Radar A"), ("Depth", "12"), ("Place", "Pier")]
    second = [("Wind", "Force 6"), ("Rain", "None"), ("Sea", "Calm")]
    found = tables(tmp_path / "u.pdf", first, second, first_top=70)
    assert found[4:6] == ["| Wind | Force 6 |", "|---|---|"]


def test_one_word_alone_in_its_cell_ends_there(tmp_path: Path) -> None:
    name = "Mecklenburg-Vorpommern"
    first = [HEAD[:3], ("1", "Berlin", "River"), ("2", name, "Schwerin by the")]
    second = [("", "Niedersachsen", "Hannover"), ("3", "Bayern", "Isar")]
    assert f"| 2 | {name} | Schwerin by the |" in tables(tmp_path / "w.pdf", first, second)


def test_no_table_goes_on_over_a_page_that_could_not_be_read() -> None:
    def page(number: int, top: int, texts: Sequence[Sequence[str]]) -> PageRows:
        rows = [
            [[cell(x, top + 2000 * at, text)] for x, text in enumerate(row)]
            for at, row in enumerate(texts)
        ]
        box = Box(6000, top, 24000, top + 2000 * len(texts))
        table = TableBlock(box, rows, (6000, 15000, 24000))
        return PageRows(number, 59500, 84200, [table], [])

    def cell(column: int, y: int, text: str) -> Line:
        box = Box(6000 + 9000 * column, y, 14000 + 9000 * column, y + 1000)
        return Line(text, box, box.x0, y, box.x1, y + 1000, y + 800, 1000, False, False, False)

    def heads(number: int) -> str:
        first = page(1, 70000, [("Berth", "Depth"), ("North", "4"), ("South", "5")])
        second = page(number, 7000, [("East", "6"), ("West", "7")])
        mend_broken_tables([first, second])
        (table,) = second.items
        assert isinstance(table, TableBlock)
        return table.rows[0][0][0].text

    assert heads(2) == "Berth"
    assert heads(3) == "East"
