"""Printed line numbers leave the sentences; the numbers of tables and lists stay."""

from pathlib import Path

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams

TEXT = (
    "The survey of coastal wetlands began in the spring and went on until the first storms of",
    "autumn made the tracks impassable. Observers counted birds at dawn from nine fixed hides",
    "and wrote down the wind and the tide, while a second party measured the salt of each creek",
    "twice a day. Most of the waders fed on the upper shore, where the sediment holds many worms",
)
TITLES = ("Of the tides and of the currents", "How the gauges are read", "Of the wind")


def load(path: Path, *pages: list[tuple[float, float, str]]) -> Loaded:
    """A PDF of pages of (x, baseline, text), read."""
    document = pymupdf.open()
    for pieces in pages:
        page = document.new_page(width=595, height=842)
        for x, y, text in pieces:
            page.insert_text((x, y), text, fontsize=10)
    document.save(path)
    document.close()
    return PdfLoader(PdfParams()).load(path, LoadRequest("f.pdf"))


def marked(loaded: Loaded) -> list[tuple[str, str]]:
    return [(loaded.md[f.char_start : f.char_end], f.kind) for f in loaded.furniture]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=st.integers(1, 400),
    counts=st.tuples(st.integers(8, 24), st.integers(0, 6)),
    on_right=st.booleans(),
    drawn_last=st.booleans(),
)
def test_line_numbers_leave_the_text(
    tmp_path: Path, first: int, counts: tuple[int, int], on_right: bool, drawn_last: bool
) -> None:
    count, beyond = counts
    text = [(90.0, 110 + 22.0 * n, TEXT[n % 4]) for n in range(count)]
    values = [str(first + n) for n in range(count + beyond)]
    x = [570.0 if on_right else 70 - pymupdf.get_text_length(v, fontsize=10) for v in values]
    numbers = [(x[n], 110 + 22.0 * n, value) for n, value in enumerate(values)]
    pieces = [*text, *numbers] if drawn_last else sorted([*text, *numbers], key=lambda p: p[1])
    loaded = load(tmp_path / "a.pdf", pieces)
    assert marked(loaded) == [(" ".join(values), "line_number")]
    assert " ".join(TEXT[:4]) in loaded.md
    assert [loaded.md[a.char_start : a.char_end] for a in loaded.anchors][count:] == values


def test_every_fifth_line_may_be_numbered(tmp_path: Path) -> None:
    text = [(90.0, 110 + 14.0 * n, TEXT[n % 4]) for n in range(30)]
    numbers = [(60.0, 110 + 14.0 * n, f"{n + 1:2d}") for n in range(4, 30, 5)]
    assert marked(load(tmp_path / "a.pdf", [*text, *numbers])) == [
        ("5 10 15 20 25 30", "line_number")
    ]


VERSE = ("The lamp is lit above the bay,", "a keeper climbs", "The gulls have gone", "with the day")


def test_every_fifth_line_of_verse_may_be_numbered(tmp_path: Path) -> None:
    text = [(90.0, 110 + 18.0 * n, VERSE[n % 4]) for n in range(30)]
    numbers = [(400.0, 110 + 18.0 * n, f"{n + 1:2d}") for n in range(4, 30, 5)]
    assert marked(load(tmp_path / "a.pdf", [*text, *numbers])) == [
        ("5 10 15 20 25 30", "line_number")
    ]


def test_lines_that_a_page_of_a_bill_has_room_for_may_be_numbered(tmp_path: Path) -> None:
    numbers = [(540.0, 180 + 84.0 * n, f"{5 * n + 5:2d}") for n in range(7)]
    pages = [
        [(90.0, 110 + (19.5 + page) * n, TEXT[n % 4]) for n in range(28)] + numbers
        for page in range(2)
    ]
    loaded = load(tmp_path / "a.pdf", *pages)
    assert marked(loaded) == [("5 10 15 20 25 30 35", "line_number")] * 2
    assert " ".join(TEXT[:4]) in loaded.md


def test_rows_of_a_table_over_pages_may_count_by_fives(tmp_path: Path) -> None:
    rows = [
        piece
        for n in range(7)
        for piece in (
            (60.0, 180 + 84.0 * n, f"{5 * n + 5:2d}"),
            *((x, 180 + 84.0 * n, f"{x + n:.1f} m") for x in (150.0, 300.0, 450.0)),
        )
    ]
    assert marked(load(tmp_path / "a.pdf", rows, rows)) == []


@pytest.mark.parametrize("kind", ["table", "list", "contents", "within"])
def test_other_numbers_below_each_other_stay(tmp_path: Path, kind: str) -> None:
    pieces = [(70.0, 110 + 20.0 * n, str(n + 1)) for n in range(12)]
    for n in range(12):
        y = 110 + 20.0 * n
        if kind == "table":
            pieces += [(100, y, f"Hide {n}"), (250, y, "Harper"), (400, y, f"{17 * n} birds")]
        elif kind == "list":
            pieces.append((100, y, TITLES[n % 3]))
        elif kind == "contents":
            pieces.append((100, y, f"{TITLES[n % 3]} {'. ' * (70 - len(TITLES[n % 3]))}{4 + n}"))
        else:
            pieces.append((100, y, TEXT[n % 4]))
    if kind == "within":
        # Items of a text, which stand where its other lines do.
        pieces += [(70, 400 + 14.0 * n, TEXT[n % 4]) for n in range(12)]
    loaded = load(tmp_path / "a.pdf", pieces)
    assert marked(loaded) == []


#: Of a page whose rows are mostly short: headings, items of lists, pieces of equations.
MIXED = ("1.2", "Radar gauges", *TEXT[:3], "the moorings are:", "u(x, t) =")


def mixed_page(first: int, count: int) -> list[tuple[float, float, str]]:
    pieces = []
    for n in range(count):
        y = 110 + 22.0 * n
        pieces += [(60.0, y, f"{first + n:3d}"), (90.0, y, MIXED[n % 7])]
    return pieces


def test_line_numbers_that_run_on_leave_pages_of_headings_lists_and_equations(
    tmp_path: Path,
) -> None:
    counts = [(1, 21), (22, 21), (43, 3)]
    loaded = load(tmp_path / "a.pdf", *(mixed_page(*each) for each in counts))
    values = [" ".join(map(str, range(first, first + n))) for first, n in counts]
    assert [numbers for numbers, kind in marked(loaded) if kind == "line_number"] == values
    assert " ".join(TEXT[:2]) in loaded.md
    # One page alone may be anything.
    assert marked(load(tmp_path / "b.pdf", mixed_page(1, 21))) == []


def test_the_numbers_of_a_table_that_goes_over_pages_stay(tmp_path: Path) -> None:
    pages = [
        [
            piece
            for n in range(20)
            for y in [110 + 20.0 * n]
            for piece in [
                (70.0, y, str(20 * page + n + 1)),
                (100, y, f"Hide {n}"),
                (250, y, "harper and teal"),
                (400, y, f"{17 * n} birds"),
            ]
        ]
        for page in range(3)
    ]
    assert marked(load(tmp_path / "a.pdf", *pages)) == []


def test_numbers_down_both_margins_of_a_copy_for_review_leave_the_text(tmp_path: Path) -> None:
    text = [(90.0, 110 + 17.3 * n, TEXT[n % 4]) for n in range(12)]
    values = [str(n + 1) for n in range(100)]
    left = [(70 - 5.56 * len(v), 80 + 13.0 * n, v) for n, v in enumerate(values[:50])]
    right = [(560.0, 80 + 13.0 * n, v) for n, v in enumerate(values[50:])]
    loaded = load(tmp_path / "a.pdf", [*left, *text, *right])
    assert marked(loaded) == [(" ".join(values), "line_number")]
    # A table down the whole page has its numbers on the lines of its rows.
    rows = [(90.0, 80 + 13.0 * n, f"Pier {TEXT[0][:n]}") for n in range(50)]
    assert marked(load(tmp_path / "b.pdf", [*left, *rows])) == []


def test_line_numbers_that_run_on_beside_rules_of_few_lines_each(tmp_path: Path) -> None:
    # Two of three lines begin a rule, and one goes on with it.
    lines = [TEXT[0].capitalize(), "P" + TEXT[3], "and " + TEXT[2][4:]]
    pages = []
    for at in range(3):
        values = range(12 * at + 1, 12 * at + 13)
        page = [(90.0, 110 + 22.0 * n, lines[n % 3]) for n in range(12)]
        page += [(60.0, 110 + 22.0 * n, f"{value:2d}") for n, value in enumerate(values)]
        pages.append(page)
    kinds = [kind for _, kind in marked(load(tmp_path / "a.pdf", *pages))]
    assert kinds.count("line_number") == 3
