"""Tables with a double rule below their heads."""

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load
from tests.unit.loading.pdf.test_drawn_cells import COLUMN, Cell, draw_cells, row

ROWS = (("1", "Anne", "4455", "Quay"), ("2", "Carl", "2423", "Lock"), ("3", "John", "4584", "Mole"))
EDGES = [50 + COLUMN * column for column in range(5)]


def read(path: Path, rows: list[tuple[str, ...]], *, ruled: bool) -> list[str]:
    """The lines of a text with heads in a grid, and ``rows`` right below it."""
    with pymupdf.open() as document:
        page = document.new_page()
        heads = [Cell(0, 0, "People", across=4), *row(1, "No", "Name", "Phone", "Place")]
        top = draw_cells(page, 60, heads) + 2.4
        for number, texts in enumerate(rows):
            for (left, right), text in zip(pairwise(EDGES), texts, strict=True):
                y = top + 14 * number
                page.insert_text((left + 4, y + 10), text, fontsize=10)
                if ruled:
                    page.draw_rect((left, y, right, y + 14), width=0.5)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded.md.split("\n")


@pytest.mark.parametrize("ruled", [True, False])
def test_rows_below_a_double_rule_belong_to_the_table(ruled: bool, tmp_path: Path) -> None:
    assert read(tmp_path / "r.pdf", list(ROWS), ruled=ruled) == [
        "| People | | | |",
        "|---|---|---|---|",
        "| No | Name | Phone | Place |",
        "| 1 | Anne | 4455 | Quay |",
        "| 2 | Carl | 2423 | Lock |",
        "| 3 | John | 4584 | Mole |",
    ]


@pytest.mark.parametrize(
    "texts",
    [("Source: the office", "", "", ""), ("Seen:", "by Ann", "Signed:", "Bo"), ("1", "", "", "2")],
    ids=["note", "labels", "holes"],
)
def test_other_text_right_below_a_table_is_none_of_its_rows(
    texts: tuple[str, ...], tmp_path: Path
) -> None:
    found = read(tmp_path / "n.pdf", [texts], ruled=False)
    assert len([line for line in found if line.startswith("|")]) == 3
