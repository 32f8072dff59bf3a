"""Running headers that are drawn as boxes of cells."""

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import check_anchors, load
from tests.unit.loading.pdf.test_drawn_cells import Cell, draw_cells


def read(path: Path, count: int, name: str, above: str = "") -> Loaded:
    """Pages with a box above their text: ``name`` may hold the number of the page as {}."""
    with pymupdf.open() as document:
        for number in range(1, count + 1):
            page = document.new_page()
            cells = [
                Cell(0, 0, "Harbour office"),
                Cell(1, 0, name.format("abcdef"[number]), across=2),
                Cell(3, 0, "Manual"),
                Cell(0, 1, "Issue 2"),
                Cell(1, 1, "Berths", across=2),
                Cell(3, 1, f"Page {number}"),
            ]
            draw_cells(page, 40, cells)
            page.insert_text((280, 38), above, fontsize=10)
            for line in range(8):
                text = f"The keeper of berth {number}{line} writes down every boat that comes in"
                page.insert_text((60, 200 + 14 * line), text, fontsize=10)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded


def test_a_boxed_header_on_each_page_is_no_table(tmp_path: Path) -> None:
    loaded = read(tmp_path / "h.pdf", 4, "Guide")
    assert loaded.summary["tables"] == 0
    marked = [loaded.md[item.char_start : item.char_end] for item in loaded.furniture]
    assert sum("Harbour office" in text for text in marked) == 4
    assert not any("keeper" in text for text in marked)


@pytest.mark.parametrize(("count", "name"), [(2, "Guide"), (4, "Station {}")])
def test_tables_at_the_top_of_pages_stay(count: int, name: str, tmp_path: Path) -> None:
    assert read(tmp_path / "t.pdf", count, name).summary["tables"] == count


def test_what_stands_close_above_a_boxed_header_goes_with_it(tmp_path: Path) -> None:
    loaded = read(tmp_path / "h.pdf", 4, "Guide", "Public")
    marked = [loaded.md[item.char_start : item.char_end] for item in loaded.furniture]
    assert marked.count("Public") == 4
