"""Reading order of a page: columns from left to right, each from top to bottom.

A page is cut at a gutter: a vertical line few blocks cross, with running text on both sides. The
blocks that cross it (titles, wide figures) part the page into bands; within a band the left side
is read before the right, and then what stands below both and was drawn after both. A side may have
a gutter of its own. Without a gutter the order of the content stream stands, unless it runs
upwards. Two pages that face each other on one sheet are read one after the other, whatever stands
on them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, takewhile

import msgspec

from rag_assets.loading.pdf.blocks import Block, Line, PageContent, TextBlock, bounds
from rag_assets.loading.pdf.figures import is_figure

_MAX_DEPTH = 2
_MIN_LINES = 5
#: Share of a page's lines that may cross a gutter.
_MAX_CROSSING = 0.25
#: Mean share of a column's width that its lines fill when it is running text.
_MIN_FILL = 0.55
#: A block of so many pieces on one baseline is the row of a table.
_MIN_PIECES = 4
#: Values, and what floats, are at most so many font sizes wide. This share of the values stand
#: beside a name, and no more than this are as wide as the lines of a paragraph, beside the widest.
#: Marks below each other are narrower than any column of text.
_MAX_VALUE = 15
_MAX_MARK = 6
_LISTED = 0.9
_MAX_FULL = 0.5
_FULL = 0.85
#: A sheet so much wider than high may hold two pages, with a blank strip of this share of its width
#: between them.
_SHEET = 1.2
_FOLD = 0.125
#: The width of two A4 pages side by side, in hundredths of a point; the share of it that is blank
#: between them, how many lines a side has at least, and the share of all that may stand across.
_A3 = (116_500, 121_500)
_STRIP = 0.04
_SIDE = 15
_MAX_ACROSS = 0.05
#: What stands so many gaps of the size of its font apart on one baseline are cells.
_MIN_GAPS = 2
#: Floats are looked for before so many places where the stream runs upwards.
_MAX_JUMPS = 3
#: Share of a page's height at its top and its foot that may be drawn out of order.
_MARGIN = 0.15


class Placed(msgspec.Struct, eq=False, gc=False):
    """A block and the horizontal extent of the column it stands in."""

    block: Block
    left: int
    right: int


def reading_order(page: PageContent) -> list[Placed]:
    """The blocks of a page in the order a person reads them."""
    ordering = _Ordering(page)
    fold = _fold(page)
    if fold is None:
        return ordering.order(page.blocks, _MAX_DEPTH, _middle(page))
    parts = [part for block in page.blocks for part in ordering.parted(block, fold)]
    return ordering.sides(parts, fold, _MAX_DEPTH + 1)


def columns_of(lines: list[Line], depth: int = _MAX_DEPTH) -> list[list[Line]]:
    """The lines of each column of running text; what stands across them is in none."""
    gutter = _gutter(lines, depth)
    if gutter is None:
        return [lines]
    left = [line for line in lines if line.x1 <= gutter]
    right = [line for line in lines if line.x0 >= gutter]
    return columns_of(left, depth - 1) + columns_of(right, depth - 1)


def _fold(page: PageContent) -> int | None:
    """The x of the middle of a sheet that holds two pages side by side, or None."""
    if page.width < _SHEET * page.height:
        return None
    middle = page.width // 2
    lines = _lines(page.blocks)
    spans = [(line.x0, line.x1) for line in lines]
    spans += [(b.box.x0, b.box.x1) for b in page.blocks if not isinstance(b, TextBlock)]
    end = max([x1 for x0, x1 in spans if x0 + x1 < page.width], default=0)
    start = min([x0 for x0, x1 in spans if x0 + x1 >= page.width], default=page.width)
    if not (end < middle < start and start - end >= _FOLD * page.width):
        return None
    left = sum(line.x1 < middle for line in lines)
    return middle if min(left, len(lines) - left) >= _MIN_LINES else None


def _middle(page: PageContent) -> int | None:
    """The x of the blank strip in the middle of a sheet of two A4 pages that a title or a header
    may cross, or None. Its sides need not be running text: they may be full of formulas."""
    if not (_A3[0] < page.width < _A3[1] and 1.38 * page.height < page.width < 1.45 * page.height):
        return None
    lines = _lines(page.blocks)
    half = page.width // 2
    ends = [line.x1 for line in lines if line.x1 <= half]
    starts = [line.x0 for line in lines if line.x0 >= half]
    if min(len(ends), len(starts)) < _SIDE or (
        len(lines) - len(ends) - len(starts) > _MAX_ACROSS * len(lines)
    ):
        return None
    strip = min(starts) - max(ends)
    return (min(starts) + max(ends)) // 2 if strip >= _STRIP * page.width else None


class _Ordering:
    """Puts the blocks of one page in order, by their places and that in the content stream."""

    def __init__(self, page: PageContent) -> None:
        self._top = _MARGIN * page.height
        self._foot = page.height - self._top
        self._blocks = page.blocks

    @cached_property
    def _drawn(self) -> dict[int, int]:
        """``id`` of a block or a part of it -> its number in the content stream."""
        return {id(block): number for number, block in enumerate(self._blocks)}

    def order(self, blocks: list[Block], depth: int, gutter: int | None = None) -> list[Placed]:
        """The blocks by columns, those beside ``gutter`` where it is known."""
        if gutter is None:
            gutter = _gutter(_lines(blocks), depth)
        if gutter is None:
            return _column(self._downwards(blocks))
        parts = [part for block in blocks for part in self.parted(block, gutter)]
        # Runs of blocks over both sides, and of blocks on one of them.
        runs: list[tuple[bool, list[Block]]] = []
        for block in sorted(parts, key=lambda b: (b.box.y0, b.box.x0)):
            is_wide = block.box.x0 < gutter < block.box.x1
            if not is_wide and runs and runs[-1][0]:
                is_wide = _is_end(runs[-1][1][-1], block)
            if not runs or runs[-1][0] != is_wide:
                above = runs[-1][1] if runs else []
                runs.append((is_wide, [above.pop()] if is_wide and _heads(above, block) else []))
            runs[-1][1].append(block)
        return [
            placed
            for is_wide, run in runs
            for placed in (_column(run) if is_wide else self._band(run, gutter, depth))
        ]

    def parted(self, block: Block, gutter: int) -> list[Block]:
        """A block whose lines stand on both sides of the gutter, one part a side.

        Programs that set columns row by row make such blocks; the row of a table is another."""
        if not (isinstance(block, TextBlock) and block.box.x0 < gutter < block.box.x1):
            return [block]
        right = [line for line in block.lines if line.x0 >= gutter]
        if not right:
            # Short rows of a wide paragraph.
            return [block]
        if len(block.lines) >= _MIN_PIECES and _is_row(block.lines):
            return [block]
        left = [line for line in block.lines if line.x1 <= gutter]
        across = [line for line in block.lines if line.x0 < gutter < line.x1]
        parts: list[Block] = [
            TextBlock(bounds(lines), lines) for lines in (left, across, right) if lines
        ]
        self._drawn |= {id(part): self._drawn[id(block)] for part in parts}
        return parts

    def _band(self, blocks: list[Block], gutter: int, depth: int) -> list[Placed]:
        top = self._below(blocks, gutter)
        if top is None:
            return self.sides(blocks, gutter, depth)
        columns = [block for block in blocks if block.box.y0 < top]
        below = [block for block in blocks if block.box.y0 >= top]
        return self.sides(columns, gutter, depth) + self.order(below, depth - 1)

    def sides(self, blocks: list[Block], gutter: int, depth: int) -> list[Placed]:
        """The blocks left of a gutter, then the others."""
        left = [block for block in blocks if block.box.x1 <= gutter]
        right = [block for block in blocks if block.box.x1 > gutter]
        return [p for side in (left, right) if side for p in self.order(side, depth - 1)]

    def _below(self, blocks: list[Block], gutter: int) -> int | None:
        """The y at which begins what stands on the left below both columns and was drawn after
        the right one; None when there is nothing.

        What was drawn before the left side, a box with a background perhaps, is no column."""
        left = [block for block in blocks if block.box.x1 <= gutter]
        first = min([self._drawn[id(block)] for block in left], default=0)
        right = [b for b in blocks if b.box.x1 > gutter and self._drawn[id(b)] > first]
        if not left or not right:
            return None
        low = max([block.box.y1 for block in right])
        begun = min([self._drawn[id(block)] for block in right])
        drawn = max([self._drawn[id(block)] for block in right])
        late = [block for block in left if self._drawn[id(block)] > drawn]
        # Columns that were drawn in turns tell nothing.
        if any(begun <= self._drawn[id(block)] <= drawn for block in left):
            return None
        return min([block.box.y0 for block in late if block.box.y0 >= low], default=None)

    def _downwards(self, blocks: list[Block]) -> list[Block]:
        blocks = _with_floats(blocks)
        if _runs_down(blocks):
            return blocks
        # Headers and footers are often drawn before all else, or after it.
        first = list(takewhile(self._is_margin, blocks))
        last = list(takewhile(self._is_margin, reversed(blocks[len(first) :])))[::-1]
        body = blocks[len(first) : len(blocks) - len(last)]
        if not body or not _runs_down(body):
            return _by_rows(blocks)
        top = [block for block in (*first, *last) if block.box.y1 <= self._top]
        foot = [block for block in (*first, *last) if block.box.y1 > self._top]
        return _by_rows(top) + body + _by_rows(foot)

    def _is_margin(self, block: Block) -> bool:
        return block.box.y1 <= self._top or block.box.y0 >= self._foot


def _heads(above: list[Block], block: Block) -> bool:
    """Whether the last block above a wide one is the heading of it: larger or bold, and nothing
    stands beside it."""
    last = above[-1] if above else None
    if not (isinstance(last, TextBlock) and isinstance(block, TextBlock) and _is_row(last.lines)):
        return False
    heading, first = last.lines[0], block.lines[0]
    return (
        (heading.size > first.size or heading.bold > first.bold)
        and abs(heading.x0 - first.x0) < first.size
        and block.box.y0 - last.box.y1 < 2 * heading.size
        and all(other.box.y1 <= last.box.y0 for other in above[:-1])
    )


def _with_floats(blocks: list[Block]) -> list[Block]:
    """The blocks with what floats right behind the rows it stands beside."""
    jumps = 0
    # Asked of every page, which mostly begins with text too wide to float.
    for number, block in enumerate(blocks):
        if number and block.box.y1 <= blocks[number - 1].box.y0:
            if floats := _floats(blocks[:number], blocks[number:]):
                return _put_behind(blocks, number, floats)
            jumps += 1
        # The foot and the head of a page may be drawn before the floats.
        if jumps >= _MAX_JUMPS or (isinstance(block, TextBlock) and _is_wide(block)):
            break
    return blocks


def _is_wide(block: TextBlock) -> bool:
    """Whether a block is too wide to float at a row; what has more rows may be a column of text."""
    width, size = block.box.x1 - block.box.x0, block.lines[0].size
    if width < _MAX_MARK * size:
        return False
    return width >= _MAX_VALUE * size or not _is_row(block.lines)


def _floats(first: list[Block], others: list[Block]) -> dict[int, Line]:
    """``id`` of a line -> the one right of it, when most of what was drawn first stands so."""
    before, lines = _lines(first), sorted(_lines(others), key=lambda line: line.base)
    found: dict[int, Line] = {}
    for line in before:
        near = line.size // 3
        low = bisect_left(lines, line.base - near, key=lambda other: other.base)
        high = bisect_right(lines, line.base + near, key=lambda other: other.base)
        left = [other for other in lines[low:high] if other.x1 <= line.x0]
        if left:
            found[id(max(left, key=lambda other: other.x1))] = line
    return found if 2 * len(found) >= len(before) else {}


def _put_behind(blocks: list[Block], first: int, floats: dict[int, Line]) -> list[Block]:
    """The blocks with the ``floats``, which stand among the ``first`` of them, in their places."""
    moved = {id(line) for line in floats.values()}
    return [
        part
        for number, block in enumerate(blocks)
        for part in (_without(block, moved) if number < first else _followed(block, floats))
    ]


def _without(block: Block, moved: set[int]) -> list[Block]:
    if not isinstance(block, TextBlock):
        return [block]
    kept = [line for line in block.lines if id(line) not in moved]
    return [TextBlock(bounds(kept), kept)] if kept else []


def _followed(block: Block, floats: dict[int, Line]) -> list[Block]:
    """A block with what floats beside it: in its rows, or behind it where that would part a
    paragraph."""
    if not isinstance(block, TextBlock):
        return [block]
    beside = [line for line in block.lines if id(line) in floats]
    if not beside:
        return [block]
    apart = [floats[id(line)] for line in beside]
    if len(beside) == len(block.lines):
        lines = [each for pair in zip(beside, apart, strict=True) for each in pair]
    elif beside[0] is block.lines[-1]:
        lines = block.lines + apart
    else:
        return [block, TextBlock(bounds(apart), apart)]
    return [TextBlock(bounds(lines), lines)]


def _column(blocks: list[Block]) -> list[Placed]:
    if not blocks:
        return []
    left = min([block.box.x0 for block in blocks])
    right = max([block.box.x1 for block in blocks])
    return [Placed(block, left, right) for block in blocks]


def _is_end(above: Block, block: Block) -> bool:
    """Whether a block is the last row of the paragraph above it."""
    if not (isinstance(above, TextBlock) and isinstance(block, TextBlock)):
        return False
    last, first = above.lines[-1], block.lines[0]
    return (
        len(block.lines) == 1
        and first.size == last.size
        and abs(block.box.x0 - above.box.x0) < 2.5 * last.size
        and block.box.y0 - above.box.y1 < last.size
    )


def _runs_down(blocks: list[Block]) -> bool:
    """Whether no block stands above the one before it."""
    for above, below in pairwise(blocks):
        a, b = above.box, below.box
        if b.y1 <= a.y0 and b.x0 < a.x1 and b.x1 > a.x0:
            return False
    return True


def _by_rows(blocks: list[Block]) -> list[Block]:
    ordered: list[Block] = []
    row: list[Block] = []
    for block in sorted(blocks, key=lambda b: b.box.y0):
        # Blocks that begin beside another's upper half are read from left to right.
        if row and block.box.y0 > (row[0].box.y0 + row[0].box.y1) // 2:
            ordered += sorted(row, key=lambda b: b.box.x0)
            row = []
        row.append(block)
    return ordered + sorted(row, key=lambda b: b.box.x0)


def _lines(blocks: list[Block]) -> list[Line]:
    return [line for block in blocks if isinstance(block, TextBlock) for line in block.lines]


def _gutter(lines: list[Line], depth: int) -> int | None:
    """The x of a gutter, or None; each side is running text or has a gutter of its own."""
    if not depth or len(lines) < 2 * _MIN_LINES:
        return None
    starts, ends = [line.x0 for line in lines], [line.x1 for line in lines]
    first, last = min(starts), max(ends)
    lowest, highest = first + 0.2 * (last - first), last - 0.2 * (last - first)
    most = _MAX_CROSSING * len(lines)
    # Lines over all the middle of the page cross whatever stands there; most pages are known by it.
    if sum([x0 < lowest and x1 > highest for x0, x1 in zip(starts, ends, strict=True)]) > most:
        return None
    starts.sort()
    ends.sort()
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
    good = _reads(left, depth - 1) and _reads(right, depth - 1) and _beside(left, right)
    # Further down, the lines are no longer in the order they were drawn in.
    drawn = lines if depth == _MAX_DEPTH else ()
    return best[1] if good and not _is_list(left, right, drawn) else None


def _is_list(left: list[Line], right: list[Line], drawn: Sequence[Line]) -> bool:
    """Whether two sides are the names and the values of one list, which is read row by row.

    The lines of one are narrow and stand beside those of the other; they are figures, or each was
    ``drawn`` next to the other's, while columns of text are drawn one after the other."""
    for side, other in ((right, left), (left, right)):
        widths = [line.x1 - line.x0 for line in side]
        widest = max(widths)
        if widest >= _MAX_VALUE * side[0].size:
            continue
        most = _LISTED * len(side)
        figures = sum([is_figure(line.text) for line in side]) >= most
        # Browsers draw first what floats.
        floats = side is right and widest < _MAX_MARK * side[0].size and _is_first(side, drawn)
        if figures or floats:
            bases = sorted([line.base for line in other])
            if sum([_stands_beside(line, bases) for line in side]) >= most:
                return True
        if sum([width > _FULL * widest for width in widths]) > _MAX_FULL * len(side):
            continue
        own = {id(line) for line in side}
        turns = [
            3 * abs(a.base - b.base) < a.size
            for a, b in pairwise(drawn)
            if (id(a) in own) != (id(b) in own)
        ]
        if sum(turns) >= most:
            return True
    return False


def _is_first(side: list[Line], drawn: Sequence[Line]) -> bool:
    """Whether all of a side was drawn before what stands beside it."""
    own = {id(line) for line in side}
    # The foot and the head of a page may have been drawn before.
    first = [id(line) in own for line in drawn[: len(side) + _MAX_JUMPS]]
    return sum(first) == len(side)


def _stands_beside(line: Line, bases: list[int]) -> bool:
    """Whether a line stands on one of some baselines, in their order."""
    at = bisect_left(bases, line.base - line.size // 3)
    return at < len(bases) and 3 * abs(bases[at] - line.base) <= line.size


def _is_row(lines: list[Line]) -> bool:
    """Whether all lines stand on one baseline."""
    first = lines[0]
    return all(3 * abs(line.base - first.base) < first.size for line in lines)


def _reads(lines: list[Line], depth: int) -> bool:
    return _is_running_text(lines) or _gutter(lines, depth) is not None


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


def _beside(left: list[Line], right: list[Line]) -> bool:
    """Whether two sides stand at the same height for at least half of the shorter one."""
    tops = [min([line.y0 for line in side]) for side in (left, right)]
    ends = [max([line.y1 for line in side]) for side in (left, right)]
    shared = min(ends) - max(tops)
    return shared >= 0.5 * min(ends[0] - tops[0], ends[1] - tops[1])
