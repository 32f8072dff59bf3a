"""Heads of a ruled table that MuPDF took for a table alone: a double rule below them ends its grid,
and what goes on below is another one, of the same columns."""

from __future__ import annotations

from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line, PageContent, TableBlock, bounds
from rag_assets.loading.pdf.extraction.stext import UNIT

#: Columns are the same by so much.
_NEAR = 1.5 * UNIT
#: The gap below the heads, in font sizes, and their rows, a title among them.
_GAP = 1.0
_HEADS = 2


def join_heads(content: PageContent) -> None:
    """Make heads that are a table alone, right above one of their columns, part of that."""
    tables = [block for block in content.blocks if isinstance(block, TableBlock) and block.edges]
    for upper, lower in pairwise(tables):
        if _are_heads_of(upper, lower):
            lower.rows[:0] = upper.rows
            lower.box = bounds(_lines(lower))
            content.blocks.remove(upper)


def _lines(table: TableBlock) -> list[Line]:
    return [line for row in table.rows for cell in row for line in cell]


def _are_heads_of(upper: TableBlock, lower: TableBlock) -> bool:
    """Whether a table stands right below heads of its columns, which are a table alone."""
    lines = _lines(upper)
    return (
        len(upper.rows) <= _HEADS
        and len(upper.edges) == len(lower.edges)
        and all(abs(a - b) <= _NEAR for a, b in zip(upper.edges, lower.edges, strict=True))
        and 0 <= lower.box.y0 - upper.box.y1 <= _GAP * lines[-1].size
        and not any(is_figure(line.text) for line in lines)
    )
