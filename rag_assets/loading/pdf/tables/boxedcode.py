"""What is monospaced in a filled box, whose blanks are gaps: code, mostly, but tables too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.tables.drawn_cells import Cells

#: Share of the lines that are monospaced, and of the cells of a table that are filled.
_MOST = 0.9
#: Rows of a table that is told by what stands in it, its heads too.
_MIN_ROWS = 3
#: The head of a column: words, none of which ends or joins a statement.
_HEAD = re.compile(r"[^\W\d_][^\W_]*(?:[ /-][^\W_]+)*\.?")
_DIGIT = re.compile(r"\d")


def is_boxed_code(rows: Sequence[Cells]) -> bool:
    """Whether the cells of a grid that no line is drawn in are those of code."""
    lines = [line for row in rows for cell in row for line in cell]
    if not lines[0].mono or sum([line.mono for line in lines]) < _MOST * len(lines):
        return False
    return not _has_figures_below_heads(rows)


def _has_figures_below_heads(rows: Sequence[Cells]) -> bool:
    """Whether nearly all cells of some rows are filled, those of the first one with words, below
    one of which stand figures or dates."""
    cells = [cell for row in rows for cell in row]
    if len(rows) < _MIN_ROWS or sum(map(bool, cells)) < _MOST * len(cells):
        return False
    heads, *body = [[" ".join([line.text for line in cell]) for cell in row] for row in rows]
    return all(map(_HEAD.fullmatch, heads)) and any(
        2 * sum(map(_is_number, column)) >= len(column) for column in zip(*body, strict=True)
    )


def _is_number(text: str) -> bool:
    return is_figure(text) and _DIGIT.search(text) is not None
