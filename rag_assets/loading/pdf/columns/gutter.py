"""Gutters: vertical lines that few lines of a page cross, with running text on both sides.

Columns of nothing but lists, tables and headings fill little of their width. What tells them are
their equal widths and that one was drawn after the other; the cells of a table are drawn in turns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise

from rag_assets.loading.pdf.columns.values import is_list_of_values
from rag_assets.loading.pdf.extraction.blocks import Line

#: A side may have a gutter of its own, a side of that may not.
MAX_DEPTH = 2
_MIN_LINES = 5
#: Share of a page's lines that may cross a gutter.
_MAX_CROSSING = 0.25
#: Mean share of a column's width that its lines fill when it is running text.
_MIN_FILL = 0.55
#: What stands so many gaps of the size of its font apart on one baseline are cells.
_MIN_GAPS = 2
#: Columns drawn one after the other: how often the drawing may go over to another side (heads and
#: feet of pages), how much their widths may differ, how many lines may cross their gutter and, as
#: shares of their width, how wide a line is full.
_MAX_TURNS = 4
_ALIKE = 0.1
_TITLES = 3
_FULL = 0.85
#: Each has so many full lines, unless the other one is running text.
_MIN_FULL = 3


def columns_of(lines: list[Line], depth: int = MAX_DEPTH) -> list[list[Line]]:
    """The lines of each column of running text; what stands across them is in none."""
    gutter = gutter_of(lines, depth)
    if gutter is None:
        return [lines]
    left = [line for line in lines if line.x1 <= gutter]
    right = [line for line in lines if line.x0 >= gutter]
    return columns_of(left, depth - 1) + columns_of(right, depth - 1)


def gutter_of(lines: list[Line], depth: int) -> int | None:
    """The x of a gutter, or None; each side is running text or has a gutter of its own, or the
    sides were drawn one after the other. The ``lines`` are in the order they were drawn in."""
    if not depth or len(lines) < 2 * _MIN_LINES:
        return None
    starts, ends = sorted([line.x0 for line in lines]), sorted([line.x1 for line in lines])
    first, last = starts[0], ends[-1]
    lowest, highest = first + 0.2 * (last - first), last - 0.2 * (last - first)
    most = _MAX_CROSSING * len(lines)
    # Lines over all the middle of the page, of which there are so many at least, cross whatever
    # stands there; most pages are known by it.
    if bisect_left(starts, lowest) - bisect_right(ends, highest) > most:
        return None
    best: tuple[int, int] | None = None
    for x in dict.fromkeys(ends[bisect_left(ends, lowest) : bisect_right(ends, highest)]):
        crossing = bisect_left(starts, x) - bisect_right(ends, x)
        if crossing <= most and (best is None or crossing < best[0]):
            after = bisect_left(starts, x)
            following = starts[after] if after < len(starts) else x
            best = (crossing, (x + following) // 2)
    if best is None:
        return None
    left = [line for line in lines if line.x1 <= best[1]]
    right = [line for line in lines if line.x0 >= best[1]]
    if min(len(left), len(right)) < _MIN_LINES or not _beside(left, right):
        return None
    reads = [_reads(side, depth - 1) for side in (left, right)]
    if not all(reads) and not (
        best[0] <= _TITLES
        and _are_drawn_apart(lines, best[1])
        and _are_alike([c for side in (left, right) for c in columns_of(side, depth - 1)], reads)
    ):
        return None
    return None if is_list_of_values(left, right, lines) else best[1]


def _reads(lines: list[Line], depth: int) -> bool:
    return _is_running_text(lines) or gutter_of(lines, depth) is not None


def _is_running_text(lines: list[Line]) -> bool:
    # A mark before the text of a list is no line of its own.
    lines = [line for line in lines if len(line.text) > 1]
    if len(lines) < _MIN_LINES:
        return False
    if _fills(lines):
        return True
    # The cells of a table in a column of text fill little of it.
    if len(lines) - len({line.base for line in lines}) < _MIN_GAPS:
        return False
    in_order = sorted(lines, key=lambda line: (line.base, line.x0))
    gaps = Counter(
        [b.base for a, b in pairwise(in_order) if a.base == b.base and b.x0 - a.x1 >= a.size]
    )
    others = [line for line in lines if gaps[line.base] < _MIN_GAPS]
    return _MIN_LINES <= len(others) < len(lines) and _fills(others)


def _fills(lines: list[Line]) -> bool:
    starts, ends = [line.x0 for line in lines], [line.x1 for line in lines]
    return sum(ends) - sum(starts) >= _MIN_FILL * (max(ends) - min(starts)) * len(lines)


def _are_drawn_apart(drawn: list[Line], gutter: int) -> bool:
    """Whether one side of a gutter was drawn after the other."""
    sides = [line.x0 >= gutter for line in drawn if line.x0 >= gutter or line.x1 <= gutter]
    return sum([a != b for a, b in pairwise(sides)]) <= _MAX_TURNS


def _are_alike(columns: list[list[Line]], reads: list[bool]) -> bool:
    """Whether columns are as wide as each other and each has full lines, or a side ``reads``."""
    widths, full = [], []
    for column in columns:
        width = max([line.x1 for line in column]) - min([line.x0 for line in column])
        widths.append(width)
        full.append(sum([line.x1 - line.x0 > _FULL * width for line in column]))
    alike = max(widths) - min(widths) <= _ALIKE * max(widths)
    return alike and (any(reads) or min(full) >= _MIN_FULL)


def _beside(left: list[Line], right: list[Line]) -> bool:
    """Whether two sides stand at the same height for at least half of the shorter one."""
    tops = [min([line.y0 for line in side]) for side in (left, right)]
    ends = [max([line.y1 for line in side]) for side in (left, right)]
    shared = min(ends) - max(tops)
    return shared >= 0.5 * min(ends[0] - tops[0], ends[1] - tops[1])
