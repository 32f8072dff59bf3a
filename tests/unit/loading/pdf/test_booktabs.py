"""Tables with rules above, below the head and at the end only."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere

LEFT, RIGHT = 90, 500
Rows = Sequence[tuple[float, list[tuple[float, str]]]]


def load(path: Path, rows: Rows, rules: Sequence[float], *, figure: bool = False) -> Loaded:
    """A page with ``rows`` (baseline, texts and where they begin), rules, and a bar among them
    where they are a figure."""
    document = pymupdf.open()
    page = document.new_page()
    for y, cells in rows:
        for x, text in cells:
            font = "helv" if text.isascii() else "china-s"
            page.insert_text((x, y), text, fontname=font, fontsize=10)
    for y in rules:
        page.draw_line((LEFT, y), (RIGHT, y), width=0.8)
    if figure:
        page.draw_rect((400, 122, 420, 146), width=0.8)
    document.save(path)
    document.close()
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest(path.name))
    anchors = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, anchors, Pages(path)) == []
    return loaded


def in_columns(*rows: Sequence[str], edges: Sequence[float], top: float = 114) -> Rows:
    return [(top + 14 * n, list(zip(edges, row, strict=True))) for n, row in enumerate(rows)]


def table(loaded: Loaded) -> list[list[str]]:
    rows = [line for line in loaded.md.split("\n") if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]


@pytest.mark.parametrize(
    "rows",
    [
        [["Symbol", "Size"], ["n", "Length of the response"], ["p", "Columns of the matrix"]],
        [["文件", "功能说明"], ["main.tex", "主文件"], ["fig", "图片文件夹"], ["readme", "说明"]],
        [["Key", "Type", "Default"], ["width", "dim", "0pt"], ["name", "text", "none"]],
    ],
)
def test_words_between_three_rules_are_a_table(rows: list[list[str]], tmp_path: Path) -> None:
    edges = (100, 200, 320)[: len(rows[0])]
    end = 118 + 14 * (len(rows) - 1)
    loaded = load(tmp_path / "words.pdf", in_columns(*rows, edges=edges), (102, 118, end))
    assert table(loaded) == rows
    assert loaded.summary["tables"] == 1


def test_a_cell_between_rules_may_be_wrapped(tmp_path: Path) -> None:
    rows = in_columns(
        ["Name", "Meaning"],
        ["heave", "how far the float rose between two readings of"],
        ["fall", "how far it sank"],
        edges=(100, 200),
    )
    rows = [*rows[:2], (140, [(200, "the keeper at dawn")]), (152, rows[2][1])]
    loaded = load(tmp_path / "wrapped.pdf", rows, (102, 118, 156))
    assert table(loaded) == [
        ["Name", "Meaning"],
        ["heave", "how far the float rose between two readings of the keeper at dawn"],
        ["fall", "how far it sank"],
    ]


def test_text_between_two_tables_of_one_width_belongs_to_neither(tmp_path: Path) -> None:
    first = in_columns(["Name", "Use"], ["rope", "to tie"], ["hook", "to hang"], edges=(100, 200))
    second = in_columns(
        ["Part", "Place"], ["pen", "on the arm"], ["ink", "in the pot"], edges=(100, 200), top=214
    )
    text = "What hangs and what writes was noted apart in all the years the book was kept."
    rows = [*first, (180, [(90.0, text)]), *second]
    loaded = load(tmp_path / "two.pdf", rows, (102, 118, 146, 202, 218, 246))
    assert loaded.summary["tables"] == 2
    assert text in loaded.md.split("\n\n")


def test_a_figure_and_entries_with_ruled_heads_are_no_tables(tmp_path: Path) -> None:
    rows = in_columns(["attitude", "memory"], ["moderate", "no"], ["high", "yes"], edges=(100, 200))
    assert table(load(tmp_path / "table.pdf", rows, (102, 118, 150)))
    assert not table(load(tmp_path / "figure.pdf", rows, (102, 118, 150), figure=True))
    entries = [
        (114.0, [(100.0, "Page 12, line 3"), (440.0, "(3/4/86)")]),
        (
            130.0,
            [(100.0, "The second word of this line is to be struck out, and the third one too,")],
        ),
        (144.0, [(100.0, "for the keeper never said either of them.")]),
        (162.0, [(100.0, "Page 14, line 9"), (440.0, "(2/23/86)")]),
        (
            178.0,
            [(100.0, "For ebb read flood, both here and in the table of contents of the book.")],
        ),
    ]
    loaded = load(tmp_path / "entries.pdf", entries, (102, 118, 150, 166))
    assert loaded.summary["tables"] == 0


def test_a_formula_with_gaps_takes_no_table_apart(tmp_path: Path) -> None:
    rows = in_columns(
        ["Symbol", "Size"],
        ["n", "rows of the matrix"],
        ["p", "columns of the matrix"],
        ["k", "random terms"],
        ["m =", "parameters of a term"],
        ["a longer name", "all of them"],
        edges=(100, 200),
    )
    rows[4][1].insert(1, (140, "2p"))
    loaded = load(tmp_path / "formula.pdf", rows, (102, 118, 188))
    assert table(loaded)[4] == ["m = 2p", "parameters of a term"]


def cell_by_cell(
    path: Path, rows: Rows, bands: Sequence[float], edges: Sequence[float], *, fills: bool = False
) -> list[list[str]]:
    """The table of a page whose rules, each cell by cell, are all drawn before its text, and behind
    every second row between ``bands`` a fill."""
    with pymupdf.open() as document:
        page = document.new_page()
        for number, (top, low) in enumerate(pairwise(bands)):
            for left, right in pairwise(edges) if fills and number % 2 else ():
                page.draw_rect((left, top, right, low), color=None, fill=(0.9, 0.9, 1))
        for y in bands:
            for left, right in pairwise(edges):
                page.draw_line((left, y), (right, y), width=0.5)
        page.insert_text((90, 70), "What the harbour takes for a night at its berths", fontsize=10)
        for y, cells in rows:
            for x, text in cells:
                page.insert_text((x, y), text, fontname="china-s", fontsize=10)
        document.save(path)
    return table(PdfLoader(PdfParams()).load(path, LoadRequest(path.name)))


@pytest.mark.parametrize("fills", [False, True])
def test_rules_drawn_before_the_text_cell_by_cell_make_a_table(fills: bool, tmp_path: Path) -> None:
    rows = [["船舶", "Length", "n"], ["Cutter", "up to ten", "3"], ["Sloop", "up to nine", "5"]]
    placed = in_columns(*rows, edges=(95, 205, 325), top=114)
    bands = (104, 117.5, 131.5, 145.5)
    edges = (90.0, 200.0, 320.0, 336.0)
    assert cell_by_cell(tmp_path / "c.pdf", placed, bands, edges, fills=fills) == rows


def test_cells_set_in_the_middle_of_their_row_are_one_row(tmp_path: Path) -> None:
    rows: Rows = [
        (114, [(95, "Part"), (205, "Measure"), (325, "Sum")]),
        (130, [(95, "Cutting")]),
        (136, [(205, "64"), (325, "mm")]),
        (142, [(95, "depth")]),
        (158, [(95, "Width")]),
        (164, [(205, "120"), (325, "mm")]),
        (170, [(95, "of a cut")]),
    ]
    found = cell_by_cell(tmp_path / "m.pdf", rows, (104, 119, 147, 175), (90, 200, 320, 400))
    assert found == [
        ["Part", "Measure", "Sum"],
        ["Cutting depth", "64", "mm"],
        ["Width of a cut", "120", "mm"],
    ]


def test_the_name_of_a_group_in_the_middle_of_its_rows_leaves_them_apart(tmp_path: Path) -> None:
    rows: Rows = [
        (114, [(95, "Part"), (205, "Measure"), (325, "Sum")]),
        (130, [(205, "64"), (325, "mm")]),
        (136, [(95, "Depths")]),
        (142, [(205, "72"), (325, "mm")]),
        (158, [(205, "120"), (325, "mm")]),
        (164, [(95, "Widths")]),
        (170, [(205, "140"), (325, "mm")]),
    ]
    found = cell_by_cell(tmp_path / "g.pdf", rows, (104, 119, 147, 175), (90, 200, 320, 400))
    assert [row[1] for row in found if row[1]] == ["Measure", "64", "72", "120", "140"]


def test_a_table_that_goes_on_on_the_next_page_has_no_last_rule(tmp_path: Path) -> None:
    rows = [["区域", "新建", "已有"], ["保护区", "禁止", "退出"], ["保留区", "限制", "维持"]]
    placed = [*in_columns(*rows, edges=(100, 200, 320), top=714), (800.0, [(290.0, "12")])]
    loaded = load(tmp_path / "p.pdf", placed, (702, 718))
    assert table(loaded) == rows


def test_text_below_two_rules_around_names_is_no_table(tmp_path: Path) -> None:
    rows: Rows = [
        (114, [(100, "North"), (200, "South"), (320, "West")]),
        (128, [(100, "The three of them"), (200, "met at noon"), (320, "on the pier")]),
        (142, [(100, "and nobody else was there to see who of them came first.")]),
    ]
    assert table(load(tmp_path / "n.pdf", rows, (102, 118))) == []


def test_heads_set_in_the_middle_of_their_row_are_one_row(tmp_path: Path) -> None:
    rows: Rows = [
        (114, [(205, "New"), (325, "Older")]),
        (120, [(95, "Zone")]),
        (126, [(205, "houses"), (325, "houses")]),
        (145, [(95, "Bank"), (205, "none"), (325, "leave")]),
        (160, [(95, "Shore"), (205, "few"), (325, "stay")]),
    ]
    found = cell_by_cell(tmp_path / "h.pdf", rows, (104, 133, 150, 166), (90, 200, 320, 400))
    assert found == [
        ["Zone", "New houses", "Older houses"],
        ["Bank", "none", "leave"],
        ["Shore", "few", "stay"],
    ]


def test_rows_of_figures_above_heads_are_no_part_of_them(tmp_path: Path) -> None:
    rows = in_columns(
        ["Talks", "", "180", "12", "2160"],
        ["Tax", "", "", "", "414"],
        ["Expense", "Currency", "Amount", "Factor", "Euro"],
        ["Hotel", "Euro", "200.00", "12.00", "2400.00"],
        ["Costs together", "", "", "", "2400.00"],
        edges=(100, 180, 250, 320, 390),
    )
    found = table(load(tmp_path / "f.pdf", rows, [100, 145, 175]))
    assert found[:3] == [
        ["Talks", "", "180", "12", "2160"],
        ["Tax", "", "", "", "414"],
        ["Expense", "Currency", "Amount", "Factor", "Euro"],
    ]


@pytest.mark.parametrize("follows", ["The values hold at twenty degrees.", "Notes", ""])
def test_the_last_of_the_rows_that_rules_part_may_have_none_below(
    follows: str, tmp_path: Path
) -> None:
    rows = [
        ["Quantity", "Condition", "Low", "High"],
        ["Supply", "idle", "10.5", "30"],
        ["Current", "loaded", "3.8", "20.5"],
        ["Start", "cold and after a long", "", "3"],
    ]
    edges = (100, 200, 340, 420)
    placed = [(114 + 20 * n, list(zip(edges, row, strict=True))) for n, row in enumerate(rows)]
    # What is wrapped in the last row, and what follows the table as near.
    placed += [(186, [(200, "halt")]), (198, [(100, follows)])]
    loaded = load(tmp_path / "open.pdf", placed, (120, 140, 160))
    assert table(loaded) == [*rows[:3], ["Start", "cold and after a long halt", "", "3"]]
    assert loaded.md.endswith(follows)


def test_text_below_the_last_rule_is_no_row(tmp_path: Path) -> None:
    rows = in_columns(
        ["Name", "Depth", "Span"],
        ["heave", "2.5", "14"],
        ["fall", "1.5", "9"],
        edges=(100, 200, 320),
    )
    rows = [(114 + 20 * n, cells) for n, (_, cells) in enumerate(rows)]
    # As far below it as a row would be, in one column or across two; in columns, but further.
    for y, cells in [
        (174, [(100, "All in metres.")]),
        (174, [(100, "All lengths are given in metres."), (320, "See 2.")]),
        (194, [(100, "Keeper"), (200, "Fog"), (320, "Wind")]),
    ]:
        loaded = load(tmp_path / "ended.pdf", [*rows, (y, cells)], (120, 140, 160))
        assert len(table(loaded)) == 3
