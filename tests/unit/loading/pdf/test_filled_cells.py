"""Tables of which the head and every other row are filled cell by cell, or every cell framed."""

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

EDGES = (60, 150, 230, 310)
ROWS = (
    ("Grade", "Full pay", "Approved by"),
    ("Trainee", "none", "Line manager"),
    ("Clerk", "four weeks", "Line manager"),
    ("Senior clerk", "ten weeks", "Head of people"),
)
TABLE = [
    "| Grade | Full pay | Approved by |",
    "|---|---|---|",
    "| Trainee | none | Line manager |",
    "| Clerk | four weeks | Line manager |",
    "| Senior clerk | ten weeks | Head of people |",
]


def read(path: Path, filled: str, *, framed: bool = False, rows: int = 4) -> list[str]:
    """The lines of a text with a table of which some rows are ``filled``, drawn before the text."""
    with pymupdf.open() as document:
        page = document.new_page()
        for number in map(int, filled):
            for left, right in pairwise(EDGES):
                box = (left, 120 + 22 * number, right - 2 * framed, 142 + 22 * number - 2 * framed)
                if framed:
                    page.draw_rect(box, width=0.75)
                else:
                    page.draw_rect(box, color=None, fill=(0.9, 0.9, 0.9))
        page.insert_text((60, 100), "Pay while ill goes on as follows.", fontsize=11)
        for number, texts in enumerate(ROWS[:rows]):
            for x, text in zip(EDGES, texts, strict=False):
                page.insert_text((x + 6, 134 + 22 * number), text, fontsize=10)
        foot = 160 + 22 * rows
        page.insert_text((60, foot), "The table holds for all who have a contract.", fontsize=11)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded.md.split("\n")


@pytest.mark.parametrize(("filled", "framed"), [("02", False), ("013", False), ("0123", True)])
def test_rows_between_and_below_filled_ones_are_those_of_one_table(
    filled: str, framed: bool, tmp_path: Path
) -> None:
    found = read(tmp_path / "z.pdf", filled, framed=framed)
    assert found[2:-2] == TABLE
    assert found[-1] == "The table holds for all who have a contract."


def test_text_below_the_last_filled_row_is_no_row(tmp_path: Path) -> None:
    found = read(tmp_path / "e.pdf", "02", rows=3)
    assert found[2:-2] == TABLE[:-1]


def test_two_rows_between_filled_ones_are_not_made_one(tmp_path: Path) -> None:
    text = "\n".join(read(tmp_path / "t.pdf", "03"))
    assert "none four weeks" not in text
