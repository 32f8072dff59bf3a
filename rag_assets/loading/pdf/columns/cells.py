"""What stands on one baseline, parted into the cells of tables that no grid rules."""

from __future__ import annotations

from collections.abc import Iterable

from rag_assets.loading.pdf.extraction.blocks import Line

Cell = list[Line]
#: Left and right of a column.
Span = tuple[int, int]


def on_one_baseline(one: Line, other: Line) -> bool:
    return 3 * abs(one.base - other.base) < one.size


def on_baselines(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines in their order, those next to each other on one baseline together."""
    found: list[list[Line]] = []
    for line in lines:
        if found and on_one_baseline(line, found[-1][0]):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def cells_of(row: list[Line], gap: float) -> list[Cell]:
    """The cells of a row, whose lines go from left to right; ``gap``, in font sizes, parts two."""
    cells = [[row[0]]]
    for line in row[1:]:
        if line.x0 - cells[-1][-1].x1 < gap * line.size:
            cells[-1].append(line)
        else:
            cells.append([line])
    return cells
