"""Tables without rulings whose cells are wrapped."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

EDGES = (60, 180, 330)
HEAD = ("Time", "Place", "How to get there")
ROWS = (
    (
        "17:30-19:00",
        "Market square\nand the quay",
        "On foot, the quay is\nbehind the church and\nnarrow",
    ),
    ("19:00-20:30", "Lighthouse (floors\n1 to 4)", "Tram 6"),
    ("20:30-21:30", "Bridge of the\nfishermen", "On foot or by tram 6 to\nthe theatre"),
)


def read(path: Path, rows: Sequence[Sequence[str]], padding: float = 3) -> str:
    """The Markdown of a table whose rows stand ``padding`` apart more than their lines."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        y = 100.0
        for row in rows:
            cells = [text.split("\n") for text in row]
            for left, cell in zip(EDGES, cells, strict=True):
                for number, text in enumerate(cell):
                    page.insert_text((left, y + 20 * number), text, fontsize=11)
            y += 20 * max(map(len, cells)) + padding
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded.md


def test_a_wrapped_timetable_keeps_times_and_places_together(tmp_path: Path) -> None:
    assert read(tmp_path / "t.pdf", [HEAD, *ROWS]).split("\n") == [
        "| Time | Place | How to get there |",
        "|---|---|---|",
        "| 17:30-19:00 | Market square and the quay "
        "| On foot, the quay is behind the church and narrow |",
        "| 19:00-20:30 | Lighthouse (floors 1 to 4) | Tram 6 |",
        "| 20:30-21:30 | Bridge of the fishermen | On foot or by tram 6 to the theatre |",
    ]


def test_what_was_wrapped_in_the_first_column_stays_in_its_row(tmp_path: Path) -> None:
    rows = [(f"Day {n}\n(Monday)", f"{n + 20}.5 C", "Sunny\nand dry") for n in range(4)]
    found = read(tmp_path / "d.pdf", [("Date", "Warmth", "Weather"), *rows]).split("\n")
    assert found[2] == "| Day 0 (Monday) | 20.5 C | Sunny and dry |"


def test_the_end_of_a_row_of_the_page_before_follows_the_head(tmp_path: Path) -> None:
    rows = [HEAD, ("", "mouth of the river", ""), *ROWS]
    assert read(tmp_path / "e.pdf", rows).split("\n")[2] == "| | mouth of the river | |"


@pytest.mark.parametrize("figures", [True, False], ids=["even", "words"])
def test_columns_of_text_are_no_table(figures: bool, tmp_path: Path) -> None:
    rows = [(row[0] if figures else "Some words", *row[1:]) for row in ROWS]
    assert "|" not in read(tmp_path / "c.pdf", [HEAD, *rows], 0 if figures else 3)
