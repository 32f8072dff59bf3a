"""Ruled tables that go on over the end of a page."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf_facts import check_anchors, load

SIZE = 10
LEADING = 13
WIDTHS = (60, 120, 110, 80)
Rows = Sequence[Sequence[str]]


def draw_rows(page: pymupdf.Page, top: float, rows: Rows, bold: int = 0) -> float:
    """A ruled table whose first ``bold`` rows are bold; newlines part the lines of a cell."""
    for number, row in enumerate(rows):
        low = top + LEADING * max(text.count("\n") + 1 for text in row) + 7
        x = 60.0
        for text, width in zip(row, WIDTHS, strict=False):
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
    path: Path, *pages: Rows, bold: Sequence[int] = (1, 0), first_top: float = 560
) -> list[str]:
    """The rows of the tables of a document that has one on each page."""
    with pymupdf.open() as document:
        for number, rows in enumerate(pages):
            page = document.new_page()
            page.insert_text((60, 50), "Register of the works", fontsize=SIZE)
            draw_rows(page, 70 if number else first_top, rows, bold[number])
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
