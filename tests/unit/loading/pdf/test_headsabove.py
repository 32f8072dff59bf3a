"""Tables with a double rule below their heads."""

from itertools import pairwise
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import check_anchors, load
from tests.unit.loading.pdf.test_drawn_cells import COLUMN, Cell, draw_cells, row

ROWS = (("1", "Anne", "4455", "Quay"), ("2", "Carl", "2423", "Lock"), ("3", "John", "4584", "Mole"))
EDGES = [50 + COLUMN * column for column in range(5)]


def test_rows_below_a_double_rule_belong_to_the_table(tmp_path: Path) -> None:
    path = tmp_path / "r.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        heads = [Cell(0, 0, "People", across=4), *row(1, "No", "Name", "Phone", "Place")]
        top = draw_cells(page, 60, heads) + 2.4
        for number, texts in enumerate(ROWS):
            for (left, right), text in zip(pairwise(EDGES), texts, strict=True):
                y = top + 14 * number
                page.insert_text((left + 4, y + 10), text, fontsize=10)
                page.draw_rect((left, y, right, y + 14), width=0.5)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    assert loaded.md.split("\n") == [
        "| People | | | |",
        "|---|---|---|---|",
        "| No | Name | Phone | Place |",
        "| 1 | Anne | 4455 | Quay |",
        "| 2 | Carl | 2423 | Lock |",
        "| 3 | John | 4584 | Mole |",
    ]
