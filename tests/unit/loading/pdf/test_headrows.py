"""Heads of a ruled table in rows below each other, as its cells are drawn."""

import pytest

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box, GridOf
from rag_assets.loading.pdf.tables.headrows import in_one_head_row

LEFT, TOP = 4, 8


def line(text: str) -> Line:
    """A line that is bold where its text is in asterisks."""
    words = text.strip("*")
    return Line(
        words, Box(0, 0, 1, 1), 0, 0, 1, 1, 0, 1000, words != text, mono=False, vertical=False
    )


def read(*drawn: str) -> list[str]:
    """The rows of a table whose cells are drawn so: "<" belongs to the cell on its left, "^" and
    what stands behind it to the one above it."""
    cells = [[cell.strip() for cell in row.split("|")] for row in drawn]
    flags = [[(cell != "<") * LEFT | (cell[:1] != "^") * TOP for cell in row] for row in cells]
    wide, high = len(cells[0]), len(cells)
    grid = GridOf([], [], wide, high, flags)
    rows = [[[line(text)] if (text := cell.strip("<^")) else [] for cell in row] for row in cells]
    found = in_one_head_row(grid, rows, range(high), range(wide))
    return ["|".join(" ".join(line.text for line in cell) for cell in row) for row in found]


@pytest.mark.parametrize(
    ("drawn", "head"),
    [
        (("Station|Depth|<|Note", "^|min|max|^", "A|1|2|x"), "Station|Depth min|Depth max|Note"),
        # Words of the body: nothing stands beside the lower heads.
        (("Station|Keeper|<", "^|first|second", "A|Ann|Bob"), "Station|Keeper first|Keeper second"),
        (("|Keeper|<", "|first|second", "A|Ann|Bob"), "|Keeper first|Keeper second"),
        (("Keeper|<|Owner|<", "of day|of night|old|new", "Ann|Bob|Ed|Flo"),
         "Keeper of day|Keeper of night|Owner old|Owner new"),
        (("Place|Depth|<", "|min|max", "Quay|1|2"), "Place|Depth min|Depth max"),
        (("|*Slope*|<", "|Bias|Error", "Portnoy||", "Quay|1|2"), "|Slope Bias|Slope Error"),
        # One name on both sides of where the other heads part.
        (("Name of|Depth|<", "^place|min|max", "Quay|1|2"), "Name of place|Depth min|Depth max"),
        # A name in the corner, and what tells that it is one.
        (("|Depth|<", "Place|min|max", "Quay|1|2"), "Place|Depth min|Depth max"),
        (("|*Keeper*|<", "*Place*|*first*|*second*", "Quay|Ann|Bob"),
         "Place|Keeper first|Keeper second"),
        (("|Depth|<", "Place|2023|2024", "Quay|1|2"), "Place|Depth 2023|Depth 2024"),
        (("|Sea|<|<|<", "|Depth|<|Speed|<", "|min|max|min|max", "Quay|1|2|3|4"),
         "|Sea Depth min|Sea Depth max|Sea Speed min|Sea Speed max"),
    ],
)  # fmt: skip
def test_a_column_is_named_by_all_its_heads(drawn: tuple[str, ...], head: str) -> None:
    assert read(*drawn)[0] == head


@pytest.mark.parametrize(
    "drawn",
    [
        ("|*Spring*|<|*Autumn*|<", "North|rain|wind|snow|fog", "South|sun|heat|dew|mist"),
        ("|*Spring*|<|*Autumn*|<", "*North*|rain|wind|snow|fog", "*South*|sun|heat|dew|mist"),
        (
            "|*Spring*|<|*Autumn*|<",
            "*North*|*rain*|*wind*|*snow*|*fog*",
            "*South*|*sun*|*heat*|*dew*|*mist*",
        ),
        ("|Members|<", "A|Ann|Bob", "B|Cy|Di"),
        ("|Members|<", "A|Ann|Bob", "12|Cy|Di"),
        ("*Members*|<|*Guests*|<", "Ann|Bob|Ed|Flo", "Cy|Di|Al|Bo"),
    ],
)
def test_a_first_row_of_words_below_wide_heads_is_no_heads(drawn: tuple[str, ...]) -> None:
    assert read(*drawn)[1] == drawn[1].replace("*", "")


@pytest.mark.parametrize(
    "drawn",
    [
        ("Team|Members|<|Note", "A|Ann|Bob|x", "B|Cy|Di|y"),
        ("Stations|<|<", "Quay|Lock|Pier", "1|2|3"),
        # Without a line between rows, and without a wide cell.
        ("Place|Keeper|Owner", "^Quay|^Ann|^Bob", "Lock|Cy|Di"),
        ("Item|Value|<", "Pump|old|new", "Tank|1|2"),
        ("|<|Depth|<", "a|b|min|max", "c|d|1|2"),
        ("Place|Depth|<", "^|both|<", "Quay|1|2"),
        ("Place|Depth|<|Note|Sum", "^|min|max|<|^", "Quay|1|2|x|5"),
        ("Place|Depth|<|Sum", "^|min||^", "Quay|1|2|5"),
        ("Place|Depth|<", "^|1|2", "Quay|3|4"),
    ],
    ids=[
        "labels", "title", "plain", "label", "no head", "one cell", "cells across",
         "empty cell", "figures"],
)  # fmt: skip
def test_what_the_cells_of_heads_do_not_span_stays_a_row(drawn: tuple[str, ...]) -> None:
    rows = [row.replace("<", "").replace("^", "") for row in drawn]
    assert read(*drawn) == rows


def test_what_stands_between_two_lines_of_a_border_parts_no_heads() -> None:
    drawn = ("Place|Depth|<|<", "|||", "^|min||max", "Quay|1||2")
    assert read(*drawn) == ["Place|Depth min||Depth max", "Quay|1||2"]
