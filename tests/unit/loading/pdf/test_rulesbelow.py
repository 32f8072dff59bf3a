"""Tables as web pages style them: a thin rule below each cell, and nothing above their heads."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import check_anchors, load

EDGES = (60, 150, 250, 330, 420)
HEAD = ["Day", "Place", "Level", "Drift"]


def load_table(path: Path, rows: Sequence[Sequence[str]], above: str = "") -> Loaded:
    """A page with a table of which the rules are drawn first; figures end where their column does,
    their heads begin it."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    for number in range(len(rows)):
        for left, right in pairwise(EDGES):
            y = 120 + 18 * number
            page.draw_line((left, y), (right, y), width=0.3)
    page.insert_text((60, 70), above, fontsize=10)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            x = EDGES[column] + 4
            if number and column > 1:
                x = EDGES[column + 1] - 4 - pymupdf.get_text_length(text, fontsize=10)
            page.insert_text((x, 114 + 18 * number), text, fontsize=10)
    document.save(path)
    document.close()
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded


@pytest.mark.parametrize("count", [4, 30])
def test_a_head_above_the_first_rule_heads_its_table(count: int, tmp_path: Path) -> None:
    rows = [[f"{n:02} May", "Kiel", f"{n}.5", "" if n % 3 else f"{n}.01"] for n in range(count)]
    md = load_table(tmp_path / "a.pdf", [HEAD, *rows], "The levels of the year").md
    table = ["| Day | Place | Level | Drift |", "|---|---|---|---|"]
    table += [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]
    assert md == "The levels of the year\n\n" + "\n".join(table)


def test_text_above_the_first_rule_is_no_head(tmp_path: Path) -> None:
    rows = [[f"{n:02} May", "Kiel", f"{n}.5", f"{n}.01"] for n in range(4)]
    md = load_table(tmp_path / "a.pdf", [["The levels of the year in metres", ""], *rows]).md
    assert md.startswith("The levels of the year in metres\n\n| 00 May |")


def test_rows_may_leave_cells_empty_below_a_whole_head(tmp_path: Path) -> None:
    full = ["Index", "24", "18.5 up to 23.9", "rather too high"]
    rows = [["Height", "162", "", ""], full, ["Weight", "63", "", ""]]
    md = load_table(tmp_path / "e.pdf", [HEAD, *rows]).md
    assert md.split("\n") == [
        "| Day | Place | Level | Drift |",
        "|---|---|---|---|",
        "| Height | 162 | | |",
        "| Index | 24 | 18.5 up to 23.9 | rather too high |",
        "| Weight | 63 | | |",
    ]


def test_places_to_sign_are_no_table(tmp_path: Path) -> None:
    rows = [
        ["Party A:", "", "Party B:", ""],
        ["Name:", "", "Name:", ""],
        ["Date:", "", "Date:", ""],
    ]
    assert "|" not in load_table(tmp_path / "s.pdf", rows).md


def test_the_table_below_another_of_its_width_has_its_own_head(tmp_path: Path) -> None:
    body = [[f"{n:02} May", "Kiel", f"{n}.5", f"{n}.01"] for n in range(4)]
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        for top in (120, 320):
            page.insert_text((60, top - 40), f"Levels of {1900 + top}", fontsize=10)
            for number, row in enumerate([HEAD, *body]):
                y = top + 18 * number
                for (left, right), text in zip(pairwise(EDGES), row, strict=True):
                    page.draw_line((left, y), (right, y), width=0.3)
                    page.insert_text((left + 4, y - 6), text, fontsize=10)
        document.save(tmp_path / "t.pdf")
    md = load(tmp_path / "t.pdf").md
    assert md.count("| Day | Place | Level | Drift |\n|---|---|---|---|\n| 00 May") == 2
    assert "Levels of 2220" in md
