"""What stands on one baseline, parted into the cells of tables that no grid rules."""

from __future__ import annotations

from rag_assets.loading.pdf.extraction.blocks import Line

Cell = list[Line]
#: Left and right of a column.
Span = tuple[int, int]


def cells_of(row: list[Line], gap: float) -> list[Cell]:
    """The cells of a row, whose lines go from left to right; ``gap``, in font sizes, parts two."""
    cells = [[row[0]]]
    for line in row[1:]:
        if line.x0 - cells[-1][-1].x1 < gap * line.size:
            cells[-1].append(line)
        else:
            cells.append([line])
    return cells
