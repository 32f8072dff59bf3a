"""Tables without rulings, and what only looks like one."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere

SIZE = 10
LEADING = 18
#: Left edges of columns of words, right edges of columns of figures.
EDGES = (60, 190, 330, 420, 520)
PROSE = "the 12 keepers wrote down wind, tide and rain at dawn"

Draw = Callable[[pymupdf.Page], None]


def loaded_from(*pages: Draw, tables: bool = True) -> Loaded:
    with pymupdf.open() as document:
        for draw in pages:
            draw(document.new_page())
        with TemporaryDirectory() as folder:
            path = Path(folder) / "file.pdf"
            document.save(path)
            loaded = PdfLoader(PdfParams(tables=tables)).load(path, LoadRequest("file.pdf"))
            anchors = [anchor._asdict() for anchor in loaded.anchors]
            assert words_elsewhere(loaded.md, anchors, Pages(path)) == []
    return loaded


def cells(loaded: Loaded) -> list[list[str]]:
    rows = [line for line in loaded.md.split("\n") if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]


def put(page: pymupdf.Page, x: float, y: float, text: str, *, right: bool = False) -> None:
    font = "helv" if text.isascii() else "china-s"
    if right:
        x -= pymupdf.get_text_length(text, fontname=font, fontsize=SIZE)
    page.insert_text((x, y), text, fontname=font, fontsize=SIZE)


def draw_rows(
    page: pymupdf.Page,
    rows: Sequence[Sequence[str]],
    top: float = 100,
    edges: Sequence[float] = EDGES,
    leading: float = LEADING,
) -> None:
    """Rows below each other, two columns set to the left and the others to the right."""
    for number, row in enumerate(rows):
        for column, (x, text) in enumerate(zip(edges, row, strict=False)):
            if text:
                put(page, x, top + leading * number, text, right=column > 1)


def table(rows: Sequence[Sequence[str]], **options: float) -> Draw:
    return lambda page: draw_rows(page, rows, **options)  # type: ignore[arg-type]


HEADS = {
    "en": ["Item", "Maker", "Length", "Count", "Price"],
    "zh": ["项目", "厂家", "长度", "数量", "单价"],
}
NAMES = {"en": ["Rope", "Deck paint, grey", "Fender"], "zh": ["缆绳", "甲板漆（灰色）", "护舷"]}


@given(
    st.sampled_from(["en", "zh"]),
    st.lists(st.lists(st.integers(1, 99999), min_size=3, max_size=3), min_size=3, max_size=12),
    st.sampled_from([14, 18, 24]),
)
def test_rows_in_common_columns_are_a_table(
    language: str, figures: list[list[int]], leading: int
) -> None:
    names = NAMES[language]
    rows = [
        [names[n % 3], names[(n + 1) % 3], *(f"{value / 10:.1f}" for value in row)]
        for n, row in enumerate(figures)
    ]
    rows = [HEADS[language], *rows]
    loaded = loaded_from(table(rows, leading=leading))
    assert cells(loaded) == rows
    assert loaded.summary["tables"] == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_head_on_every_page_is_neither_furniture_nor_a_heading(language: str) -> None:
    pages = [
        [HEADS[language], *([NAMES[language][n % 3], "A", str(n), str(p), "1.5"] for n in range(9))]
        for p in range(1, 5)
    ]
    loaded = loaded_from(*(table(rows) for rows in pages))
    assert cells(loaded) == [row for rows in pages for row in rows]
    assert not loaded.furniture
    assert not loaded.outline


def test_a_column_may_be_empty_in_some_rows() -> None:
    rows = [["Date", "Details", "Paid out", "Paid in", "Balance"]]
    rows += [
        [f"{n:02} Mar", "Water", "" if n % 3 else "9.50", "7.25" if n % 3 else "", f"{n}31.55"]
        for n in range(1, 9)
    ]
    assert cells(loaded_from(table(rows))) == rows


def test_what_is_wrapped_in_a_cell_stays_in_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        draw_rows(page, [["Part", "Use", "Price"]], edges=(60, 150, 400))
        for n in range(5):
            y = 120 + 30 * n
            draw_rows(
                page, [[f"P-{n}", "holds the line to the ring", f"{n}.50"]], y, (60, 150, 400)
            )
            put(page, 150, y + 12, "on the quay wall")

    whole = "holds the line to the ring on the quay wall"
    expected = [["Part", "Use", "Price"], *([f"P-{n}", whole, f"{n}.50"] for n in range(5))]
    assert cells(loaded_from(draw)) == expected


def test_what_is_wrapped_in_the_first_column_stays_in_it() -> None:
    def draw(page: pymupdf.Page) -> None:
        for n in range(4):
            row = [f"Rope, {n} mm, three", "A", f"{n}.50"] if n else ["Item", "Use", "Price"]
            draw_rows(page, [row], 100 + 24 * n, EDGES[:3])
            if n:
                put(page, 60, 112 + 24 * n, "strands, white")

    expected = [[f"Rope, {n} mm, three strands, white", "A", f"{n}.50"] for n in range(1, 4)]
    assert cells(loaded_from(draw)) == [["Item", "Use", "Price"], *expected]


def test_a_table_goes_on_below_a_row_that_runs_into_the_next_column() -> None:
    rows = [["Surname", "Name", "Date", "Fee"]]
    rows += [[f"Keeper{n}", "Anna", f"0{n}/10/2013", f"{n}.50"] for n in range(1, 9)]
    rows[5][:2] = ["Vanderwesthuizen-Montgomery", ""]
    assert cells(loaded_from(table(rows, edges=(60, 130, 330, 420)))) == rows  # type: ignore[arg-type]


@pytest.mark.parametrize("indent", [0, 12])
def test_a_table_may_have_groups_of_rows_below_a_name_of_their_own(indent: int) -> None:
    groups = [[f"District {n}", *([f"County {n}{m}" for m in "ab"])] for n in range(6)]
    head = ["District", "Posts", "Green", "Total"]

    def draw(page: pymupdf.Page) -> None:
        y = 100.0
        draw_rows(page, [[head[0], "", *head[1:]]], y)
        for group in groups:
            y += 2.8 * SIZE
            put(page, 60, y, group[0])
            for name in group[1:]:
                y += 14
                put(page, 60 + indent, y, name)
                for x in EDGES[2:]:
                    put(page, x, y, "1,234", right=True)

    loaded = loaded_from(draw)
    assert cells(loaded)[0] == head
    assert [row[0] for row in cells(loaded)[1:]] == [name for group in groups for name in group]


def test_only_the_first_of_some_rows_may_have_a_name() -> None:
    rows = [["County", "Date", "Posts", "Green", "Total"]]
    rows += [["" if n % 3 else f"County {n}", "JUL 2023", "44", "*", f"{n}31"] for n in range(12)]
    assert cells(loaded_from(table(rows))) == rows


def test_figures_may_have_a_unit() -> None:
    rows = [["Cord", "Use", "Width"], *([name, "dock", "8 mm"] for name in ("Rope", "Line", "Tow"))]
    assert cells(loaded_from(table(rows))) == rows


@pytest.mark.parametrize(
    "heads", [["Account", "Note", "2025", "2024"], ["科目", "附注", "本年", "上年"]]
)
def test_heads_to_the_left_of_figures_to_the_right_of_their_column(heads: list[str]) -> None:
    rows = [["Land", "1", "1000", "990"], ["Plant", "3", "1074", "1052"], ["Fees", "12", "7", "5"]]

    def draw(page: pymupdf.Page) -> None:
        edges = (60, 200, 260, 320)
        for x, head in zip(edges, heads, strict=True):
            put(page, x, 100, head)
        for number, row in enumerate(rows, start=1):
            y = 100 + LEADING * number
            put(page, 60, y, row[0])
            for x, text in zip(edges[1:], row[1:], strict=True):
                put(page, x + 55, y, text, right=True)

    assert cells(loaded_from(draw)) == [heads, *rows]


@pytest.mark.parametrize(
    ("wrapped", "head"),
    [
        (["", "", "", "Earnings"], ["Year", "Income", "Profit", "Earnings a share"]),
        (["", "", "Profit", "Earnings"], ["Year", "Income", "Profit in all", "Earnings a share"]),
        (["", "Income", "Profit", "Gain"], ["Year", "Income now", "Profit in all", "Gain a share"]),
    ],
)
def test_a_head_wrapped_upwards_is_whole(wrapped: list[str], head: list[str]) -> None:
    rows = [["2023", "80,112", "6,020", "11.2"], ["2024", "84,930", "7,415", "13.8"]]
    rest = [whole.removeprefix(first).strip() for whole, first in zip(head, wrapped, strict=True)]
    edges = (60, 240, 330, 420)

    def draw(page: pymupdf.Page) -> None:
        put(page, 60, 80, "Five years of the Group:")
        for y, row in ((110, wrapped), (122, rest), (140, rows[0]), (155, rows[1])):
            for number, (x, text) in enumerate(zip(edges, row, strict=True)):
                if text:
                    put(page, x, y, text, right=number > 0)

    loaded = loaded_from(draw)
    assert cells(loaded) == [head, *rows]
    assert "Five years of the Group:" in loaded.md.split("\n")


def test_years_are_heads_of_columns() -> None:
    rows = [["Bird", "Place", "2023", "2024", "2025"], *(["Tern", "Leith", "1", "24", "311"],) * 4]
    assert cells(loaded_from(table(rows))) == rows


def test_a_table_over_two_columns_of_text_is_whole() -> None:
    rows = [["Creek", "Party", "Salt", "Depth", "Oxygen"], *(["One", "A", "1", "2.5", "7"],) * 4]

    def draw(page: pymupdf.Page) -> None:
        draw_rows(page, rows)
        for n in range(20):
            for x in (60, 310):
                put(page, x, 230 + 13 * n, PROSE[: 44 - n % 3])

    assert cells(loaded_from(draw)) == rows


def test_the_head_of_the_names_may_be_empty() -> None:
    rows = [["", "2022", "2023", "2024"], *([f"Rope {n}", "11", "24", "311"] for n in range(5))]
    assert cells(loaded_from(table(rows))) == rows


def test_a_head_stands_over_long_and_short_names_and_a_cell_close_behind_one() -> None:
    names = ["Rope", "Deck paint", "Tar", "Fenders, Stockholm", "Wax"]
    rows = [["Item", "Note", "2023", "2024"]]
    rows += [[name, f"n. {n}", f"{n}1.50", f"{n}7.25"] for n, name in enumerate(names)]

    def draw(page: pymupdf.Page) -> None:
        for n, row in enumerate(rows):
            behind = 60 + pymupdf.get_text_length("Fenders, Stockholm", fontsize=SIZE) + 9
            edges = (60 if n else 120, behind, 330, 420)
            for x, text in zip(edges, row, strict=True):
                put(page, x, 100 + 18 * n, text)

    assert cells(loaded_from(draw)) == rows


@st.composite
def odd_layouts(draw: st.DrawFn) -> list[list[str]]:
    """Rows of one to five cells, some of them blank; each text is unique."""
    rows = []
    for number in range(draw(st.integers(3, 9))):
        row = []
        for column in range(draw(st.integers(1, 5))):
            kind = draw(st.sampled_from(["blank", "word", "figure", "figure", "names"]))
            at = f"{number}{column}"
            word = {"word": f"rope{at}", "figure": f"1{at}.5", "names": f"tar{at} oil{at} wax{at}"}
            row.append(word.get(kind, ""))
        rows.append(row)
    return rows


@given(odd_layouts(), st.sampled_from([14, 24]))
def test_no_layout_of_cells_costs_a_word(rows: list[list[str]], leading: int) -> None:
    texts = " ".join(text for row in rows for text in row).split()
    loaded = loaded_from(table([["Item"], *rows], leading=leading))
    assert sorted(re.findall(r"[a-z]+\d+|\d+\.5", loaded.md)) == sorted(texts)
    assert not loaded.warnings


def test_a_fault_in_the_hunt_for_tables_costs_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(lines: object) -> None:
        raise IndexError("list index out of range")

    rows = [HEADS["en"], *(["Rope", "A", "1", "2", "3.5"],) * 5]
    plain = loaded_from(table(rows), tables=False)
    monkeypatch.setattr("rag_assets.loading.pdf.pages.page.aligned_tables", fail)
    loaded = loaded_from(table(rows))
    assert loaded.md == plain.md
    assert loaded.warnings == ["PAGE_INCOMPLETE: page 1: list index out of range"]


@pytest.mark.parametrize("offset", [0, 3, 6.5])
@pytest.mark.parametrize("words", [9, 40])
def test_a_table_in_a_column_of_text_is_found(offset: float, words: int) -> None:
    """With rows on the baselines of the other column and between them, short and long columns."""
    rows = [["Creek", "Salt", "Depth"], *([f"Reed {n}", f"1{n}.5", f"{n}7"] for n in range(6))]

    def draw(page: pymupdf.Page) -> None:
        for n in range(words):
            put(page, 60, 80 + 13 * n, PROSE[: 44 - n % 3])
        for n in range(words // 2):
            put(page, 330, 80 + 13 * n, PROSE[: 44 - n % 3])
        top = 106 + 13 * (words // 2) + offset
        for n, row in enumerate(rows):
            for x, text in zip((330, 420, 480), row, strict=True):
                put(page, x, top + 13 * n, text)
        for n in range(max(5, words // 2)):
            put(page, 330, top + 13 * (n + 9), PROSE[: 44 - n % 3])

    loaded = loaded_from(draw)
    assert cells(loaded) == rows
    text = " ".join(loaded.md.split())
    assert text.index(PROSE[:42]) < text.index("| Creek")


def test_tables_are_not_looked_for_when_nobody_asks() -> None:
    rows = [HEADS["en"], *(["Rope", "A", "1", "2", "3.5"],) * 5]
    assert loaded_from(table(rows), tables=False).summary["tables"] == 0


def prose(columns: int) -> Draw:
    def draw(page: pymupdf.Page) -> None:
        width = 480 / columns
        for n in range(30):
            for column in range(columns):
                text = PROSE[n % 5 :][: round(width / 6)]
                put(page, 60 + (width + 14) * column, 80 + 13 * n, text)

    return draw


def prose_beside_figures(page: pymupdf.Page) -> None:
    for n in range(30):
        put(page, 60, 80 + 13 * n, PROSE[: 44 - n % 3])
        put(page, 330, 80 + 13 * n, f"Creek {n}" if n else "Creek")
        put(page, 520, 80 + 13 * n, f"{n}.5" if n else "Salt", right=True)


def list_beside_table(page: pymupdf.Page) -> None:
    for n in range(6):
        put(page, 60, 100 + 18 * n, "• Waders -12 %")
        put(page, 300, 100 + 18 * n, "Curlew" if n else "Species")
        put(page, 420, 100 + 18 * n, f"{n}11" if n else "Count")


def code(page: pymupdf.Page) -> None:
    for n in range(6):
        for x, text in ((60, "mov" if n else "op"), (200, "ax"), (330, f"{n}1" if n else "size")):
            page.insert_text((x, 100 + 18 * n), text, fontname="cour", fontsize=SIZE)


def figures_that_do_not_line_up(page: pymupdf.Page) -> None:
    for n in range(8):
        put(page, 60, 100 + 18 * n, "Curlew" if n else "Species")
        put(page, 180, 100 + 18 * n, "Leith")
        put(page, 300 + 27 * (n * n % 5), 100 + 18 * n, f"{n}1" if n else "Count")


def label_among_cells(page: pymupdf.Page) -> None:
    draw_rows(page, [["from", "to", "miles"], *(["Leith", "Aberdour", "12"],) * 5])
    page.insert_text((130, 145), "up", fontsize=SIZE, rotate=90)
    page.insert_text((130, 190), "a long name of an axis", fontsize=SIZE, rotate=90)


LINES: dict[str, list[list[str]]] = {
    "contents": [[str(n), f"Chapter {n}", "", str(11 * n)] for n in range(1, 9)],
    "contents after a preface": [
        ["A", "Preface", "", "iii"],
        *([str(n), "Tides", "", str(9 * n)] for n in range(1, 9)),
    ],
    "contents with leaders": [
        ["No.", "Title . . . . . . . .", "", "Page"],
        *([str(n), "Tides . . . . . . . . .", "", str(9 * n)] for n in range(1, 9)),
    ],
    "index": [["anchor, 12", "buoy, 3", "", "creek, 41", "dyke, 7"] for _ in range(12)],
    "authors": [
        ["A. Okafor", "B. Lindqvist", "", "C. Chen"],
        ["Leith", "Lund", "", "Wuhan"],
        ["a@leith.example", "b@lund.example", "", "c@wuhan.example"],
    ],
    "curriculum": [
        ["Nordwind", "Leith", "", "2019-2021"],
        ["Chandlers", "Lund", "", "2015-2019"],
        ["Harbour", "Kiel", "", "2010-2015"],
    ],
    "form": [
        ["Name:", "Okafor", "Town:", "Leith"],
        ["Phone:", "555 12", "Code:", "12345"],
        ["Age:", "41", "Number:", "99123"],
    ],
    "matrix": [["1", "0", "", "0"], ["0", "1", "", "0"], ["0", "0", "", "1"]],
    "目录": [[f"第{n}章", "湿地调查", "", str(7 * n)] for n in range(1, 9)],
    "表单": [
        ["姓名：", "王明", "城市：", "武汉"],
        ["电话：", "5551234", "邮编：", "430000"],
        ["年龄：", "41", "编号：", "99123"],
    ],
}


@pytest.mark.parametrize(
    "draw",
    [
        prose(2),
        prose(3),
        prose_beside_figures,
        list_beside_table,
        code,
        figures_that_do_not_line_up,
        label_among_cells,
        *map(table, LINES.values()),
    ],
    ids=[
        "two columns",
        "three columns",
        "prose beside",
        "list beside",
        "code",
        "scattered",
        "axis",
        *LINES,
    ],
)
def test_what_only_lines_up_is_no_table(draw: Draw) -> None:
    assert loaded_from(draw).md == loaded_from(draw, tables=False).md
