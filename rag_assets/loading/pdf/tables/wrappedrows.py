"""Tables that nothing is ruled in and whose cells are wrapped: rows stand further apart than the
lines of their cells.

A column begins at each word of the head, and all its lines there. What tells the table from text in
columns is the step from one baseline to the next, which is wider wherever a row begins, and a
column of figures: times, dates, sums.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from rag_assets.loading.pdf.columns.cells import Cell
from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds

#: Rows below the head, and lines that were wrapped, at least.
_MIN_ROWS = 2
_MIN_WRAPPED = 2
#: Lines of type of a table, at most: each that may be a head is tried.
_MOST = 120
#: In font sizes: how far apart the baselines of one line of type may be, the gap between heads, how
#: far apart lines of a column begin, the widest step, and how much wider that to a row is.
_BASELINE = 0.45
_GAP = 1.0
_EDGE = 0.3
_STEP = 3.0
_WIDER = 0.15
#: Share of the rows that fill all columns, and of the cells of a column that are figures.
_FULL = 0.6
_FIGURES = 0.75

#: The cells of one line of type, by column.
_Cells = list[Cell]


def wrapped_tables(lines: list[Line], wide: Iterable[int]) -> dict[int, TableBlock]:
    """``id`` of a line -> the table of wrapped cells it stands in.

    Args:
        lines: the text of a page outside of other tables.
        wide: the baselines on which several lines stand.
    """
    on_base: dict[int, list[Line]] = {base: [] for base in sorted(wide)}
    for line in lines:
        if line.base in on_base:
            on_base[line.base].append(line)
    begun = Counter([line.x0 for line in lines])
    heads = [
        base
        for base, head in on_base.items()
        # Quickly told, and few have columns below them.
        if all(begun[line.x0] > _MIN_ROWS for line in head) and _are_heads(head)
    ]
    found: dict[int, TableBlock] = {}
    groups = _groups(lines) if heads else []
    places = {line.base: at for at, group in enumerate(groups) for line in group}
    for base in heads:
        at = places[base]
        head = groups[at]
        if any(id(line) in found for line in head):
            continue
        table = _table(head, groups[at + 1 : at + 1 + _MOST])
        if table is not None:
            found |= {id(line): table for row in table.rows for cell in row for line in cell}
    return found


def _are_heads(lines: list[Line]) -> bool:
    """Whether what stands on a baseline are words, each wide of the others."""
    if any(line.mono or line.vertical or is_figure(line.text) for line in lines):
        return False
    in_order = sorted(lines, key=lambda line: line.x0)
    return all(b.x0 - a.x1 >= _GAP * a.size for a, b in pairwise(in_order))


def _groups(lines: list[Line]) -> list[list[Line]]:
    """The lines of type of a page, downwards, each from left to right."""
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.base):
        if groups and line.base - groups[-1][0].base < _BASELINE * line.size:
            groups[-1].append(line)
        else:
            groups.append([line])
    for group in groups:
        group.sort(key=lambda line: line.x0)
    return groups


def _table(head: list[Line], below: list[list[Line]]) -> TableBlock | None:
    """The table a head has, or None."""
    size = head[0].size
    lefts = [line.x0 for line in head]
    body: list[_Cells] = []
    steps: list[int] = []
    before = head
    for group in below:
        step = group[0].base - before[0].base
        cells = _in_columns(group, lefts) if step <= _STEP * size else None
        if cells is None:
            break
        body.append(cells)
        steps.append(step)
        before = group
    if len(steps) < _MIN_ROWS + _MIN_WRAPPED:
        return None
    wide = min(steps) + _WIDER * size
    rows: list[_Cells] = [[[line] for line in head]]
    full = wrapped = 0
    for cells, step in zip(body, steps, strict=True):
        if step < wide:
            wrapped += 1
            rows[-1] = [above + more for above, more in zip(rows[-1], cells, strict=True)]
            continue
        # Right below the head stands the end of a row that was broken at the end of a page.
        if sum(map(bool, cells)) < 2 and len(rows) > 1:
            break
        full += all(cells)
        rows.append(cells)
    if len(rows) <= _MIN_ROWS or wrapped < _MIN_WRAPPED or full < _FULL * (len(rows) - 1):
        return None
    if len(rows[0][0]) > 1 or not any(map(_has_figures, zip(*rows[1:], strict=True))):
        return None
    return TableBlock(bounds([line for row in rows for cell in row for line in cell]), rows)


def _in_columns(group: list[Line], lefts: list[int]) -> _Cells | None:
    """What stands on a baseline by column; None where a line reaches over the next one, or begins
    elsewhere than a column."""
    cells: _Cells = [[] for _ in lefts]
    for line in group:
        near = _EDGE * line.size
        at = bisect_right(lefts, line.x0 + near) - 1
        if at < 0 or line.vertical:
            return None
        begins = not cells[at]
        if begins and line.x0 - lefts[at] > near:
            return None
        if at + 1 < len(lefts) and line.x1 > lefts[at + 1]:
            return None
        cells[at].append(line)
    return cells


def _has_figures(column: tuple[Cell, ...]) -> bool:
    filled = [cell for cell in column if cell]
    return sum([is_figure(cell[0].text) for cell in filled]) >= max(2, _FIGURES * len(filled))
