"""Heads of a ruled table in rows below each other: one over several columns, and theirs below it.

Markdown knows one row of heads, and so does whoever reads a row of a table alone: each column is
named by all its heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure, is_year
from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import GridOf
from rag_assets.loading.pdf.tables.drawn_cells import LEFT, TOP, Cells

#: The columns of a cell.
Span = list[int]


def in_one_head_row(
    grid: GridOf, rows: list[Cells], numbers: Sequence[int], starts: Sequence[int]
) -> list[Cells]:
    """The rows of a table, those of its heads as one, in which a head stands before the heads of
    each of its columns.

    Args:
        numbers: at which rows of the grid the rows begin.
        starts: at which columns of the grid the columns begin.
    """
    used = [column for column, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    texts = [at for at, row in enumerate(rows) if any(row)]
    last, *others = texts
    head = rows[last]
    spans = _spans(grid.flags[numbers[last]], used, starts)
    for at, behind in pairwise(others):
        flags = grid.flags[numbers[at]]
        parts = _spans(flags, used, starts)
        apart = {column for column in used if flags[starts[column]] & TOP}
        if not _are_heads_of(head, spans, rows[at], parts, apart) or _may_be_body(
            head, spans, rows[at], rows[behind]
        ):
            break
        head = _joined(head, spans, rows[at])
        spans, last = parts, at
    return rows if last == texts[0] else [head, *rows[last + 1 :]]


def _spans(flags: list[int], used: Span, starts: Sequence[int]) -> list[Span]:
    """The columns of each drawn cell of a row, of those in ``used``."""
    spans = [[used[0]]]
    for before, column in pairwise(used):
        between = flags[starts[before] + 1 : starts[column] + 1]
        if any(map(LEFT.__and__, between)):
            spans.append([column])
        else:
            spans[-1].append(column)
    return spans


def _are_heads_of(
    head: Cells, spans: list[Span], below: Cells, parts: list[Span], apart: set[int]
) -> bool:
    """Whether some heads, though not one alone, are drawn over several heads in the row below, and
    all others over nothing, below nothing or around both rows.

    Args:
        spans: the columns of the heads.
        parts: those of the cells of the row below.
        apart: the columns in which a line is drawn between both rows.
    """
    if len(spans) == 1:
        return False
    for span in spans:
        inner = [part for part in parts if part[0] in span]
        if len(span) == 1:
            if span[0] in apart and head[span[0]] and below[span[0]]:
                return False
        elif (
            not head[span[0]]
            or len(inner) < 2
            or [column for part in inner for column in part] != span
            or not all(below[part[0]] for part in inner)
        ):
            return False
    return not any(_is_datum(line.text) for part in parts for line in below[part[0]])


def _may_be_body(head: Cells, spans: list[Span], below: Cells, behind: Cells) -> bool:
    """Whether a row in the place of heads may be the first of the body: it has a label of its own,
    or is in another style than heads that leave no column to labels. Neither when it is bold and
    the next row, ``behind``, is not, or has figures below its words."""
    beside = {span[0] for span in spans if len(span) == 1}
    inner = [column for column in range(len(below)) if column not in beside]
    is_bold = are_bold([below[column] for column in inner])
    if not any(below[column] for column in beside) and (beside or is_bold >= are_bold(head)):
        return False
    if is_bold and not are_bold([behind[column] for column in inner]):
        return False
    return not any(_is_datum(line.text) for column in inner for line in behind[column])


def are_bold(cells: Sequence[list[Line]]) -> bool:
    """Whether all that stands in some cells is bold."""
    return all(line.bold for cell in cells for line in cell)


def _is_datum(text: str) -> bool:
    """Whether a text is a figure, and no year, which heads columns too."""
    return is_figure(text) and not is_year(text)


def _joined(head: Cells, spans: list[Span], below: Cells) -> Cells:
    joined: Cells = [[] for _ in head]
    for span in spans:
        over: list[Line] = head[span[0]]
        for column in span:
            joined[column] = over + below[column]
        if len(span) > 1:
            # One line in the cells of all its columns: it ends in each, and theirs begin below it.
            over[-1].short = True
    return joined
