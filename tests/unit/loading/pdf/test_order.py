"""Reading order of pages that mix columns and full width, and of what is drawn out of order."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.layout import PdfLayoutLoader
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.pdfs import write_columns, write_pdf
from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
LEADING = 13
ROW = "row {} of the {} column says what it has to say"
NAMES = ["Albumin", "Bilirubin", "Glucose", "Creatinine"]
WIDE = "This paragraph goes over the whole width of the page and tells of the {} of the harbour, "


def draw(page: pymupdf.Page, x: float, y: float, rows: Sequence[str], size: float = SIZE) -> float:
    """Rows below each other; where the next would stand."""
    for row in rows:
        page.insert_text((x, y), row, fontsize=size)
        y += LEADING * size / SIZE
    return y


def column(name: str, rows: int) -> list[str]:
    return [ROW.format(number, name) for number in range(rows)]


def places(loaded: Loaded, *texts: str) -> list[int]:
    flat = " ".join(loaded.md.split())
    return [flat.index(text) for text in texts]


def mixed(left: int, right: int) -> bytes:
    """A title in the middle, a wide paragraph that ends in a short row, two columns, a heading and
    another wide paragraph."""
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 290, 50, ["Notices"], 20)
        y = draw(page, 60, 80, [WIDE.format("north"), WIDE.format("east"), "and ends here."])
        low = draw(page, 60, y + 20, column("left", left))
        low = max(low, draw(page, 310, y + 20, column("right", right)))
        low = draw(page, 60, low + 24, ["What follows"], 14)
        draw(page, 60, low + 4, [WIDE.format("south"), WIDE.format("west"), "and stops there."])
        data: bytes = document.tobytes()
    return data


@given(st.integers(7, 14), st.integers(7, 14))
def test_what_stands_below_two_columns_is_read_after_both(left: int, right: int) -> None:
    loaded = PdfLoader(PdfParams()).load(mixed(left, right), LoadRequest("f.pdf"))
    texts = ["Notices", "of the north", "ends here"]
    texts += [*column("left", left), *column("right", right)]
    found = places(loaded, *texts, "What follows", "of the south", "stops there")
    assert found == sorted(found)
    assert "of the harbour, and ends here." in loaded.md
    assert "of the harbour, and stops there." in loaded.md
    assert loaded.md.count("of the harbour, This paragraph") == 2


def test_the_layout_loader_reads_mixed_pages_in_the_same_order() -> None:
    loaded = PdfLayoutLoader(PdfParams()).load(mixed(10, 9), LoadRequest("f.pdf"))
    texts = ["Notices", "of the north", *column("left", 10), *column("right", 9)]
    found = places(loaded, *texts, "What follows", "of the south", "stops there")
    assert found == sorted(found)


def test_a_longer_left_column_stays_before_the_right_one() -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        y = draw(page, 60, 80, column("left", 12))
        draw(page, 60, y + 10, ["The left column", "goes on below", "the end of the other"])
        draw(page, 310, 80, column("right", 12))
        data = document.tobytes()
    loaded = PdfLoader(PdfParams()).load(data, LoadRequest("f.pdf"))
    found = places(loaded, "goes on below", ROW.format(0, "right"))
    assert found == sorted(found)


@pytest.mark.parametrize("footer_first", [True, False])
def test_a_footer_drawn_first_moves_only_itself(tmp_path: Path, footer_first: bool) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        if footer_first:
            page.insert_text((270, 805), "Page 1 of 2", fontsize=9)
        y = draw(page, 60, 80, [f"{WIDE.format(name)}every day" for name in "abcdefghijklmnopqr"])
        # Two short columns of two paragraphs each: too little for a gutter.
        for x, name in ((60, "left"), (310, "right")):
            draw(page, x, y + 20 + (name == "left") * 4, column(f"{name} upper", 3))
            draw(page, x, y + 90 + (name == "left") * 4, column(f"{name} lower", 3))
        if not footer_first:
            page.insert_text((270, 805), "Page 1 of 2", fontsize=9)
        document.save(tmp_path / "f.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "f.pdf", LoadRequest("f.pdf"))
    names = [f"{side} {part}" for side in ("left", "right") for part in ("upper", "lower")]
    found = places(loaded, "of the a of", *(ROW.format(0, n) for n in names), "Page 1 of 2")
    assert found == sorted(found)


def test_a_header_in_two_parts_is_read_before_both_columns(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((60, 50), "Harbour office", fontsize=9)
        page.insert_text((510, 50), "For members", fontsize=9)
        for x, name in ((60, "left"), (310, "right")):
            draw(page, x, 90, column(name, 12))
        page.insert_text((60, 800), "Notice 14", fontsize=9)
        page.insert_text((540, 800), "Spring", fontsize=9)
        document.save(tmp_path / "f.pdf")
    loaded = load(tmp_path / "f.pdf")
    rows = [*column("left", 12), *column("right", 12)]
    found = places(loaded, "Harbour office For members", *rows, "Notice 14 Spring")
    assert found == sorted(found)


def test_headings_in_the_middle_of_two_columns_are_read_each_before_its_own(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for x, name in ((60, "left"), (310, "right")):
            page.insert_text((x + 60, 60), f"The {name} bank", fontsize=14, fontname="hebo")
        for x, name in ((60, "left"), (310, "right")):
            draw(page, x, 90, column(name, 12))
        document.save(tmp_path / "f.pdf")
    loaded = load(tmp_path / "f.pdf")
    rows = [name for side in ("left", "right") for name in (f"The {side} bank", *column(side, 12))]
    found = places(loaded, *rows)
    assert found == sorted(found)


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = [f"left row {n} has several words to fill it" for n in range(12)]
    right = [f"right row {n} has several words to fill" for n in range(12)]
    path = write_columns(tmp_path / "c.pdf", left, right, "A title across both")
    loaded = load(path)
    text = " ".join(loaded.md.split())
    places = [text.index(row) for row in ["A title", *left, *right]]
    assert places == sorted(places)
    check_anchors(loaded, path)


def test_pages_that_face_each_other_on_a_sheet_are_read_one_after_the_other(
    tmp_path: Path,
) -> None:
    document = pymupdf.open()
    for middle in ("", "and goes on over the fold of the sheet to its right half"):
        page = document.new_page(width=842, height=595)
        for row in range(8):
            # Short lines: neither side is running text.
            page.insert_text((60, 80 + 40 * row), f"left {row} " + "word " * (1 + row % 4))
            page.insert_text((500, 81 + 40 * row), f"right {row} " + "word " * (1 + row % 3))
        page.insert_text((250, 420), middle)
    document.save(tmp_path / "sheet.pdf")
    document.close()
    loaded = load(tmp_path / "sheet.pdf")
    sheet, crossed = loaded.md[: loaded.md.index("right 7")], loaded.md.split("right 7")[1]
    assert sheet.index("left 7") < sheet.index("right 0")
    assert crossed.index("right 0") < crossed.index("left 7")
    check_anchors(loaded, tmp_path / "sheet.pdf")


def test_rotated_pages_are_read_in_the_order_they_are_shown(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "flat.pdf", ["first line\nsecond line\nthird line"])
    document = pymupdf.open(path)
    document[0].set_rotation(180)
    document.save(tmp_path / "turned.pdf")
    document.close()
    loaded = load(tmp_path / "turned.pdf")
    check_anchors(loaded, tmp_path / "turned.pdf")
    assert loaded.md == "first line second line third line"


def test_short_lines_are_no_paragraph(tmp_path: Path) -> None:
    tasks = ["Tasks today", "Open the valve", "Write it down", "Tell the boss"]
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 60, 80, [WIDE.format("north"), WIDE.format("east")])
        draw(page, 60, 130, tasks)
        document.save(tmp_path / "t.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "t.pdf", LoadRequest("t.pdf"))
    assert "\n".join(tasks) in loaded.md


@pytest.mark.parametrize("by_rows", [True, False])
def test_lists_beside_each_other_are_read_one_after_the_other(by_rows: bool) -> None:
    sides = [(60, column("left", 12)), (310, column("right", 12))]
    drawn = [
        (x, 60 + LEADING * number, text) for x, rows in sides for number, text in enumerate(rows)
    ]
    if by_rows:
        drawn.sort(key=lambda each: each[1:2])
    with pymupdf.open() as document:
        page = document.new_page()
        for x, y, text in drawn:
            draw(page, x, y, ["•"])
            draw(page, x + 20, y, [text])
        data = document.tobytes()
    loaded = PdfLoader(PdfParams()).load(data, LoadRequest("f.pdf"))
    found = places(loaded, *(text for _, rows in sides for text in rows))
    assert found == sorted(found)


def test_a_row_of_many_pieces_is_not_cut_at_a_gutter() -> None:
    pieces = ["Creek", "Salt", "Oxygen", "Party"]
    with pymupdf.open() as document:
        page = document.new_page()
        for at, piece in enumerate(pieces):
            draw(page, 80 + 120 * at, 60, [piece])
        for x, name in ((60, "left"), (310, "right")):
            draw(page, x, 100, column(name, 12))
        data = document.tobytes()
    assert " ".join(pieces) in PdfLoader(PdfParams()).load(data, LoadRequest("f.pdf")).md


def test_a_heading_above_a_wide_paragraph_stays_with_it() -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 60, 60, ["Care of the engine"], 14)
        draw(page, 190, 60, column("main", 12))
        for y in (73, 180):
            draw(page, 60, y, ["Tool: ring spanner", "part of the set", "in the third box"], 8)
        low = draw(page, 60, 250, ["Care of the belt"], 14)
        draw(page, 60, low, [WIDE.format("south"), WIDE.format("west"), "and stops there."])
        data = document.tobytes()
    loaded = PdfLoader(PdfParams()).load(data, LoadRequest("f.pdf"))
    texts = ["the engine", "Tool", *column("main", 12), "Care of the belt", "of the south"]
    found = places(loaded, *texts)
    assert found == sorted(found)


def test_the_halves_of_a_sheet_are_read_apart_though_a_title_stands_across_them() -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=1190, height=842)
        page.insert_text((420, 60), "General examination of all harbour masters", fontsize=22)
        for number in range(20):
            y = 110 + 30 * number
            for x, side in ((90, "left"), (670, "right")):
                page.insert_text((x, y), f"{number}. {side} x =", fontsize=SIZE)
                for choice in range(4):
                    at = (x + 20 + 105 * choice, y + 14)
                    page.insert_text(at, f"{'ABCD'[choice]}. {number + choice}", fontsize=SIZE)
        loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("sheet.pdf"))
    found = places(loaded, "General examination", "0. left", "19. left", "0. right", "19. right")
    assert found == sorted(found)


#: A column of lists, headings and tables: few of its rows are full.
SPARSE = [
    "1. Open",
    "Notes",
    "Size 14",
    "2. Shut",
    "Weight",
    "Depth",
    "Amber",
    "Ends",
    "x 4",
    "y 7",
]


def sparse(name: str) -> list[str]:
    full = column(name, 4)
    return [
        row for at, short in enumerate(SPARSE) for row in (f"{short} {name}", *full[at : at + 1])
    ]


@pytest.mark.parametrize("in_turns", [False, True])
def test_columns_of_lists_are_read_one_after_the_other_when_drawn_so(in_turns: bool) -> None:
    sides = [(60, sparse("left")), (310, sparse("other"))]
    drawn = [(x, 100 + LEADING * at, text) for x, rows in sides for at, text in enumerate(rows)]
    if in_turns:
        drawn.sort(key=lambda each: each[1:2])
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 60, 50, ["A manual of many short lists"], 20)
        for x, y, text in drawn:
            draw(page, x, y, [text])
        loaded = load(document.tobytes())
    found = places(loaded, *(text for _, rows in sides for text in rows))
    # The rows of a table are drawn in turns; those of a column are full where it ends.
    assert (found == sorted(found)) is not in_turns
    assert (f"{column('left', 1)[0]} Notes left" in loaded.md) is not in_turns


def test_what_was_drawn_last_stands_where_it_is_printed() -> None:
    steps = [f"Step {number} of the long way" for number in range(10)]
    with pymupdf.open() as document:
        page = document.new_page()
        for at, step in enumerate(steps):
            y = 100 + 65 * at
            draw(page, 60, y, [step])
            # A block of its own, which begins higher.
            draw(page, 330, y - 10, [f"note {at} begins", "higher"])
            draw(page, 60, y + 20, [WIDE.format("north"), WIDE.format("south")])
        draw(page, 60, 100 + 65 * 5 + 48, ["SET RPM 5200"], 8)
        loaded = load(document.tobytes())
    texts = [text for at, step in enumerate(steps) for text in (step, f"note {at} ")]
    found = places(loaded, *texts[:12], "SET RPM", *texts[12:])
    assert found == sorted(found)


def test_the_last_page_of_a_paper_may_fill_its_left_column_alone() -> None:
    paragraph = ["The rows of this paragraph go on and on until", "Tuesday."]
    with pymupdf.open() as document:
        page = document.new_page()
        for x, name in ((60, "left"), (310, "right")):
            draw(page, x, 100, column(name, 12))
        page = document.new_page()
        draw(page, 60, 40, ["Harbours of the north"])
        draw(page, 540, 40, ["12"])
        draw(page, 60, 80, paragraph)
        draw(page, 60, 120, [f"Again: {paragraph[0]}"[:45], paragraph[1]])
        loaded = load(document.tobytes())
    assert " ".join(paragraph) in loaded.md


ROWS = [["Item", "Found", "Unit", "Usual"]]
ROWS += [[name, f"{n}.4", "g/L", f"{n}0-{n}5"] for n, name in enumerate(NAMES, 1)]


def draw_cells(page: pymupdf.Page, rows: Sequence[Sequence[str]], columns: range) -> None:
    for number, row in enumerate(rows):
        for at in columns:
            draw(page, 60 + 120 * at, 120 + 40 * number, [row[at]])


@pytest.mark.parametrize("names_first", [True, False])
def test_rows_whose_names_and_figures_were_drawn_apart_are_read_row_by_row(
    names_first: bool,
) -> None:
    parts = [range(1), range(1, 4)]
    with pymupdf.open() as document:
        page = document.new_page()
        draw(page, 60, 80, ["Report of the laboratory"])
        for columns in parts if names_first else parts[::-1]:
            draw_cells(page, ROWS, columns)
        loaded = PdfLoader(PdfParams(tables=False)).load(document.tobytes(), LoadRequest("f.pdf"))
    found = places(loaded, "Report of", *(" ".join(row) for row in ROWS))
    assert found == sorted(found)


def test_addresses_beside_each_other_are_read_one_after_the_other() -> None:
    addresses = [["Dales Museum", "The Old Mill", "Skipton"], ["Museum Shop", "Unit 3", "Settle"]]
    with pymupdf.open() as document:
        page = document.new_page()
        for x, rows in zip((60, 320), addresses, strict=True):
            draw(page, x, 100, rows)
        loaded = load(document.tobytes())
    found = places(loaded, *addresses[0], *addresses[1])
    assert found == sorted(found)


@pytest.mark.parametrize("names", [("Yusra Lindholm", "Pietro Baldassarri"), ("Li Wei", "Ada Ito")])
def test_two_authors_below_a_title_stand_above_both_columns(names: tuple[str, str]) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=612, height=792)
        title = "Biochar lowers the leaching of nitrate from the sandy soils of vineyards"
        width = pymupdf.get_text_length(title, fontsize=14)
        draw(page, 306 - width / 2, 80, [title], 14)
        # Set beside each other, and centred as one.
        ends = [pymupdf.get_text_length(name, fontsize=12) for name in names]
        begin = 306 - (sum(ends) + 50) / 2
        draw(page, begin, 120, [names[0]], 12)
        draw(page, begin + ends[0] + 50, 120, [names[1]], 12)
        draw(page, 57, 160, column("left", 40))
        draw(page, 311, 160, column("right", 8))
        loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("f.pdf"))
    found = places(loaded, title, *names, *column("left", 40), *column("right", 8))
    assert found == sorted(found)


def test_headings_of_two_columns_below_a_title_stay_above_their_text() -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=612, height=792)
        title = "Before and after the reform of the harbour"
        draw(page, 306 - pymupdf.get_text_length(title, fontsize=18) / 2, 80, [title], 18)
        draw(page, 130, 130, ["English"], 14)
        draw(page, 425, 130, ["Deutsch"], 14)
        draw(page, 57, 150, column("left", 40))
        draw(page, 311, 150, column("right", 40))
        loaded = PdfLoader(PdfParams()).load(document.tobytes(), LoadRequest("f.pdf"))
    wanted = [title, "English", *column("left", 40), "Deutsch", *column("right", 40)]
    found = places(loaded, *wanted)
    assert found == sorted(found)
