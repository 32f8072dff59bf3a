"""Tables between rulings, and text that is only underlined or framed."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box, GridOf
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.loading.pdf.tables.figurerows import in_rows
from rag_assets.loading.pdf.tables.grid import in_one_row, row_going_on
from tests.fixtures.places import Pages, words_elsewhere

SIZE = 10
LEADING = 13
LONG = "The keeper of the light writes down the wind and the rain every evening before supper and "


def load(path: Path) -> Loaded:
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest("file.pdf"))
    anchors = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, anchors, Pages(path)) == []
    return loaded


def cells(loaded: Loaded) -> list[list[str]]:
    """The tables of a text, without the lines below their heads."""
    rows = [line[2:-2].split(" | ") for line in loaded.md.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]


def draw_table(
    page: pymupdf.Page, top: float, widths: Sequence[float], rows: Sequence[Sequence[str]]
) -> float:
    """A table with every cell ruled, text wrapped where it has no room; its lower end.

    The first row is set in the middle of its columns."""
    for number, row in enumerate(rows):
        wrapped = [_wrapped(text, width) for text, width in zip(row, widths, strict=True)]
        low = top + LEADING * max(map(len, wrapped)) + 8
        x = 60.0
        for lines, width in zip(wrapped, widths, strict=True):
            page.draw_rect((x, top, x + width, low), width=0.5)
            for at, line in enumerate(lines):
                indent = (width - pymupdf.get_text_length(line, fontsize=SIZE)) / 2
                start = x + (4 if number else indent)
                page.insert_text((start, top + 13 + LEADING * at), line, fontsize=SIZE)
            x += width
        top = low
    return top


def _wrapped(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if pymupdf.get_text_length(longer, fontsize=SIZE) <= width - 8:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@given(st.lists(st.lists(st.integers(4, 30), min_size=2, max_size=2), min_size=2, max_size=4))
def test_wrapped_cells_between_rulings_are_one_row(lengths: list[list[int]]) -> None:
    words = (LONG * 4).split()
    rows = [
        [f"R{n}", *(" ".join(words[n : n + length]) for length in row)]
        for n, row in enumerate(lengths)
    ]
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 60), "Register", fontsize=16)
        draw_table(page, 90, (60, 190, 190), [["No.", "Consequence", "Measure"], *rows])
        data = document.tobytes()
    loaded = PdfLoader(PdfParams()).load(data, LoadRequest("file.pdf"))
    assert cells(loaded) == [["No.", "Consequence", "Measure"], *rows]


def test_heads_in_the_middle_of_their_columns_make_no_columns(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        rows = [["Id", "Amount", "Owner"], ["A1", "100", "Smith"], ["A2", "250", "Jones"]]
        draw_table(document.new_page(), 90, (110, 180, 160), rows)
        document.save(tmp_path / "t.pdf")
    assert cells(load(tmp_path / "t.pdf")) == rows


def test_rows_without_rulings_between_them_stay_rows(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        rows = [["Country", "Capital"], ["South Korea", "Seoul"], ["North Macedonia", "Skopje"]]
        rows += [["Papua New Guinea", "Port Moresby"], ["New Zealand", "Wellington"]]
        for at, row in enumerate(rows):
            for x, text in zip((64, 164), row, strict=True):
                page.insert_text((x, 113 + 20 * at), text, fontsize=SIZE)
        low = 105 + 20 * len(rows)
        for x in (60, 160, 240):
            page.draw_line((x, 100), (x, low), width=0.5)
        for y in (100, 117, low):
            page.draw_line((60, y), (240, y), width=0.5)
        document.save(tmp_path / "t.pdf")
    assert cells(load(tmp_path / "t.pdf")) == rows


def test_rows_of_figures_below_a_ruled_head_are_not_made_one(tmp_path: Path) -> None:
    rows = [["FLC", "50-59", "60-69", "80+"], ["low", "2585 (47)", "1690 (30)", "314 (6)"]]
    rows += [["middle", "442 (29)", "446 (29)", "215 (14)"], ["high", "121 (16)", "187 (25)", "2"]]
    with pymupdf.open() as document:
        page = document.new_page()
        for at, row in enumerate(rows):
            y = 113 + 12 * at
            for x, text in zip((64, 144, 204, 264), row, strict=True):
                page.insert_text((x, y), text, fontsize=SIZE)
            page.draw_line((135, y - 8), (135, y + 4), width=0.4)
        page.draw_line((60, 117), (320, 117), width=0.4)
        document.save(tmp_path / "t.pdf")
    assert cells(load(tmp_path / "t.pdf")) == rows


def draw_grid(
    path: Path, rows: Sequence[Sequence[str]], ruled: Sequence[int], leading: float = LEADING
) -> Path:
    """Rows of lines of text below each other, each line in the middle of its column: all columns
    are ruled, and the rows in front of those numbered ``ruled``."""
    widths, top = (60.0, 62.0, 100.0, 70.0), 80.0
    edges = [60 + sum(widths[:n]) for n in range(len(widths) + 1)]
    with pymupdf.open() as document:
        page = document.new_page()
        low = top
        for number, row in enumerate(rows):
            if number in ruled:
                page.draw_line((edges[0], low), (edges[-1], low), width=0.5)
            for text, left, right in zip(row, edges, edges[1:], strict=False):
                font = "helv" if text.isascii() else "china-s"
                width = pymupdf.get_text_length(text, fontname=font, fontsize=SIZE)
                x = (left + right - width) / 2
                page.insert_text((x, low + 10), text, fontname=font, fontsize=SIZE)
            low += leading
        page.draw_line((edges[0], low), (edges[-1], low), width=0.5)
        for x in edges:
            page.draw_line((x, top), (x, low), width=0.5)
        document.save(path)
    return path


@pytest.mark.parametrize("leading", [LEADING, 18])
def test_short_text_wrapped_between_rulings_tears_no_row(leading: float, tmp_path: Path) -> None:
    rows = [
        ["序号", "货物名称", "上课地点", "单价"],
        ["", "", "", "（元）"],
        ["1", "卧式离心泵", "教三", "480"],
        ["", "机", "体育", ""],
        ["", "", "东操场", ""],
        ["2", "变频", "机房", "210"],
    ]
    assert cells(load(draw_grid(tmp_path / "g.pdf", rows, (0, 2, 5), leading))) == [
        ["序号", "货物名称", "上课地点", "单价（元）"],
        ["1", "卧式离心泵机", "教三 体育 东操场", "480"],
        ["2", "变频", "机房", "210"],
    ]


def test_amounts_and_names_broken_in_a_narrow_cell_are_whole(tmp_path: Path) -> None:
    document = pymupdf.open()
    rows = [
        ["Item", "Price", "Place"],
        ["Pump LB-200- 32", "291,000.0 0", LONG[:60]],
        ["Valve", "1,260.00", "Quay"],
    ]
    draw_table(document.new_page(), 60, [75, 56, 90], rows)
    document.save(tmp_path / "t.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "t.pdf", LoadRequest("t.pdf"))
    assert cells(loaded)[1][:2] == ["Pump LB-200-32", "291,000.00"]


def test_words_divided_in_a_narrow_cell_are_whole(tmp_path: Path) -> None:
    document = pymupdf.open()
    rows = [
        ["Item", "Made for", "Place"],
        ["Pump in galva- nised steel", "Low- pressure", LONG[:60]],
        ["Valve", "Steam", "Quay"],
    ]
    draw_table(document.new_page(), 60, [75, 56, 90], rows)
    document.save(tmp_path / "t.pdf")
    document.close()
    found = cells(load(tmp_path / "t.pdf"))
    assert found[1][:2] == ["Pump in galvanised steel", "Low-pressure"]


@pytest.mark.parametrize("above, apart", [("Small ones do.", True), ("These are in", False)])
def test_the_name_of_a_table_is_no_part_of_the_text_above(
    above: str, apart: bool, tmp_path: Path
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    rows = ["No valve of more than six inches leaks in cold weather. " + above, "Table 2 Valves"]
    for number, row in enumerate(rows):
        page.insert_text((60, 80 + 13 * number), row, fontsize=SIZE)
    draw_table(page, 105, [175, 156], [["Valve", "Leaks"], ["Gate", "2"], ["Globe", "4"]])
    document.save(tmp_path / "t.pdf")
    document.close()
    assert ("\n\nTable 2 Valves\n\n|" in load(tmp_path / "t.pdf").md) is apart


def test_rows_between_rulings_of_their_group_stay_rows(tmp_path: Path) -> None:
    rows = [
        ["Group", "Bird", "Place", "Pairs"],
        ["Gulls", "Kittiwake", "Platform", "312"],
        ["", "Herring gull", "Roof", "18"],
        ["Auks", "Guillemot", "Cliff", "47"],
        ["", "Razorbill", "Cliff", "12"],
        ["Total", "", "", "389"],
    ]
    found = cells(load(draw_grid(tmp_path / "g.pdf", rows, (0, 1, 3, 5))))
    assert [row[-1].strip("| ") for row in found] == ["Pairs", "312", "18", "47", "12", "389"]


def test_a_grid_that_is_no_table_takes_no_other_table_of_its_page(tmp_path: Path) -> None:
    small = [["Code", "Amount"], ["K1", "17"], ["K2", "23"]]
    with pymupdf.open() as document:
        page = document.new_page()
        low = draw_table(page, 60, (80, 80), small)
        page.draw_rect((60, low + 40, 480, low + 200), width=0.5)
        for at in range(10):
            y = low + 60 + LEADING * at
            page.insert_text((66, y), "• ", fontsize=SIZE)
            page.insert_text((90, y), f"point {at} of a list in a frame", fontsize=SIZE)
            page.insert_text((290, y), f"and {at} beside it", fontsize=SIZE)
        document.save(tmp_path / "t.pdf")
    loaded = load(tmp_path / "t.pdf")
    assert cells(loaded) == small
    assert loaded.summary["tables"] == 1
    assert all(loaded.md.count(f"point {at} of") == 1 for at in range(10))


def test_a_head_set_wide_between_rulings_is_one_column(tmp_path: Path) -> None:
    rows = [["签约", "30%", "3,600"], ["交货", "50%", "6,000"], ["验收", "20%", "2,400"]]
    with pymupdf.open() as document:
        page = document.new_page()
        edges = (60, 180, 260, 340)
        for number in range(5):
            page.draw_line((60, 60 + 20 * number), (340, 60 + 20 * number), width=0.5)
        for x in edges:
            page.draw_line((x, 60), (x, 140), width=0.5)
        for x, text in zip((66, 96, 126, 156, 184, 264), "付款节点比额", strict=True):
            page.insert_text((x, 74), text, fontname="china-s", fontsize=SIZE)
        for number, row in enumerate(rows, start=1):
            for x, text in zip(edges, row, strict=False):
                place = (x + 4, 74 + 20 * number)
                page.insert_text(place, text, fontname="china-s", fontsize=SIZE)
        document.save(tmp_path / "w.pdf")
    assert cells(load(tmp_path / "w.pdf")) == [["付款节点", "比", "额"], *rows]


def test_long_cells_between_rulings_are_a_table(tmp_path: Path) -> None:
    rows = [["Owner", "Insurer"], [LONG.strip(), LONG.strip()], [LONG.strip(), "nothing"]]
    with pymupdf.open() as document:
        page = document.new_page()
        low = draw_table(page, 60, (80, 80), [["Code", "Amount"], ["K1", "17"], ["K2", "23"]])
        draw_table(page, low + 60, (110, 110), rows)
        document.save(tmp_path / "t.pdf")
    loaded = load(tmp_path / "t.pdf")
    assert cells(loaded) == [["Code", "Amount"], ["K1", "17"], ["K2", "23"], *rows]


def test_signs_to_tick_in_several_ruled_columns_are_a_table(tmp_path: Path) -> None:
    rows = [["How good?", "bad", "fair", "good"]]
    rows += [[name, "□", "□", "□"] for name in ("Hours", "Staff", "Journals", "Noise")]
    found = cells(load(draw_grid(tmp_path / "q.pdf", rows, range(5))))
    assert found == rows


def cell_line(text: str, x0: int, y0: int, x1: int) -> Line:
    box = Box(x0, y0, x1, y0 + 1000)
    return Line(text, box, x0, y0, x1, y0 + 1000, y0 + 800, 1000, False, False, False)


@pytest.mark.parametrize(("end", "is_one"), [(39800, True), (30000, False)])
def test_a_warning_in_a_box_of_two_cells_is_one_text(end: int, is_one: bool) -> None:
    label = cell_line("警告", 6400, 6200, 8400)
    text = cell_line("安装作业前必须切断电源，否则可能导致触", 20400, 6200, end)
    more = cell_line("电，造成人身伤害或死亡。", 20400, 7500, 32400)
    flags = [[12, 12, 4], [4, 4, 4], [8, 8, 0]]
    grid = GridOf(xpos=[60.0, 200.0, 400.0], ypos=[60.0, 74.0, 90.0], w=2, h=2, flags=flags)
    found = in_one_row(grid, [[[label], [text]], [[], [more]]])
    assert found == ([[label], [text, more]] if is_one else [])


@pytest.mark.parametrize(("middle", "is_carried"), [(20200, True), (23000, False)])
def test_a_single_row_of_the_columns_of_the_page_before_is_one_of_its_table(
    middle: int, is_carried: bool
) -> None:
    row = [cell_line("保修期", 6400, 6200, 9400), cell_line("24 个月", 20600, 6200, 24000)]
    # Both cells draw the lines around them.
    xs, ys = [58.8, 60.0, 200.0, 202.4, 400.0, 401.2], [59.4, 60.6, 73.4, 74.6]
    flags = [[12] * 5 + [4]] * 3 + [[8] * 5 + [0]]
    grid = GridOf(xpos=xs, ypos=ys, w=5, h=3, flags=flags)
    cells = [[], [row[0]], [], [row[1]], []]
    found = row_going_on(grid, [[[]] * 5, cells, [[]] * 5], (6000, middle, 40120))
    assert found == ([[row[0]], [row[1]]] if is_carried else [])


def test_figures_without_lines_between_them_are_rows_behind_their_labels() -> None:
    heights = range(6000, 14000, 1200)
    names = ["Total", "Murder and", "manslaughter", "Robbery", "Burglary", "Arson", "Fraud"]
    labels = [cell_line(name, 6400, y, 12000) for name, y in zip(names, heights, strict=True)]
    lines = [y for y in heights if y != heights[1]]
    first = [cell_line(str(y), 20400, y, 24000) for y in lines]
    second = [cell_line(str(y), 30400, y, 34000) for y in lines if y != heights[4]]
    found = in_rows([[labels, first, second]])
    texts = [[" ".join(line.text for line in cell) for cell in row] for row in found]
    assert texts == [
        ["Total", "6000", "6000"],
        ["Murder and manslaughter", "8400", "8400"],
        ["Robbery", "9600", "9600"],
        ["Burglary", "10800", ""],
        ["Arson", "12000", "12000"],
        ["Fraud", "13200", "13200"],
    ]


@pytest.mark.parametrize("named", [0, 1], ids=["of its own", "of the row above"])
def test_errors_below_estimates_are_no_part_of_the_next_row(named: int) -> None:
    label = cell_line("healthexcellent", 6400, (6000, 7200)[named], 12000)
    figures = [
        [cell_line("(0.018)", x, 6000, x + 3600), cell_line("-0.362", x, 7200, x + 3600)]
        for x in (20400, 30400, 40400)
    ]
    found = in_rows([[[label], *figures]])
    texts = [[" ".join(line.text for line in cell) for cell in row] for row in found]
    assert texts == (
        [["", *["(0.018)"] * 3], ["healthexcellent", *["-0.362"] * 3]]
        if named
        else [["healthexcellent", *["(0.018) -0.362"] * 3]]
    )


def test_code_in_a_frame_is_code(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 60), "Type as root:", fontsize=SIZE)
        page.draw_rect((60, 80, 440, 140), width=0.5)
        page.draw_rect((66, 86, 434, 134), width=0.5)
        for at, command in enumerate(("# cp debian.iso /dev/sdX", "# sync", "# eject /dev/sdX")):
            page.insert_text((70, 100 + LEADING * at), command, fontname="cour", fontsize=SIZE)
        document.save(tmp_path / "c.pdf")
    loaded = load(tmp_path / "c.pdf")
    assert "```\n# cp debian.iso /dev/sdX\n# sync\n# eject /dev/sdX\n```" in loaded.md


def underlined(page: pymupdf.Page, y: float, pieces: Sequence[str], x: float = 72) -> None:
    """A row of text in which every second piece is underlined as soon as it is written."""
    for number, piece in enumerate(pieces):
        page.insert_text((x, y), piece, fontsize=SIZE)
        end = x + pymupdf.get_text_length(piece, fontsize=SIZE)
        if number % 2:
            page.draw_line((x, y + 1.5), (end, y + 1.5), width=0.5)
        x = end


def test_underlined_words_stay_in_their_sentence(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 60), "Rules of the yard", fontsize=20)
        underlined(
            page, 100, ["Read (", "the manual", ") before the crane is started by its ", "first"]
        )
        underlined(
            page, 113, ["operator, who keeps the ", "log of the crane", " at hand and signs it."]
        )
        # Another piece of the page is wider than the paragraph.
        page.insert_text((72, 300), LONG, fontsize=SIZE)
        document.save(tmp_path / "u.pdf")
    loaded = load(tmp_path / "u.pdf")
    assert (
        "Read (the manual) before the crane is started by its first operator, who keeps the "
        "log of the crane at hand and signs it." in loaded.md
    )


def test_labels_on_both_sides_of_a_rule_stay_apart(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "Name of the vessel", fontsize=SIZE)
        end = 72 + pymupdf.get_text_length("Name of the vessel", fontsize=SIZE)
        page.draw_line((end + 4, 88), (end + 4, 104), width=0.5)
        page.insert_text((end + 9, 100), "Port of registry", fontsize=SIZE)
        document.save(tmp_path / "r.pdf")
    assert load(tmp_path / "r.pdf").md == "Name of the vessel\n\nPort of registry"


@pytest.mark.parametrize(
    ("first", "second", "font"),
    [
        ("Spring, all", "Autumn and winter", "helv"),
        ("二〇二四年度预算", "二〇二五年度预算", "china-s"),
    ],
)
def test_cells_over_two_columns_keep_their_words(
    tmp_path: Path, first: str, second: str, font: str
) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for y in (80, 100, 120, 140):
            page.draw_line((60, y), (430, y))
        for x in (60, 150, 220, 290, 360, 430):
            page.draw_line((x, 100 if x in {220, 360} else 80), (x, 140))
        page.insert_text((64, 94), "Bird", fontsize=SIZE)
        for x, text in ((220, first), (360, second)):
            width = pymupdf.get_text_length(text, fontname=font, fontsize=SIZE)
            page.insert_text((x - width / 2, 94), text, fontname=font, fontsize=SIZE)
        for row in range(2):
            for column, x in enumerate((64, 154, 224, 294, 364)):
                page.insert_text((x, 114 + 20 * row), f"{row}{column}", fontsize=SIZE)
        document.save(tmp_path / "a.pdf")
    assert load(tmp_path / "a.pdf").md.split("\n") == [
        f"| Bird | {first} | | {second} | |",
        "|---|---|---|---|---|",
        "| 00 | 01 | 02 | 03 | 04 |",
        "| 10 | 11 | 12 | 13 | 14 |",
    ]


def test_paragraphs_of_a_merged_cell_are_not_run_together(tmp_path: Path) -> None:
    left, right, widths = 60, 540, (80, 80, 120, 200)
    lines = ["2014.09—2018.06　河海大学　水文与水资源工程　本科", "2018.09—2021.06　河海大学　硕士"]
    with pymupdf.open() as document:
        page = document.new_page()
        y = 100
        for row in [["姓名", "何雨桐", "性别", "女"], ["民族", "汉", "籍贯", "浙江绍兴"], lines]:
            low = y + 18 * (len(lines) if row is lines else 1)
            page.draw_rect((left, y, right, low))
            x = left
            for at, (width, text) in enumerate(zip(widths, row, strict=False)):
                if row is not lines or not at:
                    page.draw_line((x + width, y), (x + width, low))
                if row is not lines:
                    page.insert_text((x + 4, y + 13), text, fontname="china-s", fontsize=10)
                x += width
            y = low
        page.insert_text((left + 4, y - 23), "教育", fontname="china-s", fontsize=10)
        for number, text in enumerate(lines):
            page.insert_text(
                (left + 84, y - 23 + 16 * number), text, fontname="china-s", fontsize=10
            )
        document.save(tmp_path / "a.pdf")
        markdown = load(tmp_path / "a.pdf").md
    assert f"{lines[0]} {lines[1]}" in markdown
