"""Reading order of a page: columns from left to right, each from top to bottom.

A page is cut at a gutter: a vertical line few blocks cross, with columns on both sides. The blocks
that cross it (titles, wide figures) part the page into bands; within a band the left side is read
before the right, and then what stands below both and was drawn after both. A side may have a gutter
of its own. Without a gutter the order of the content stream stands, but for the cells of rows that
it draws apart and the few blocks it draws late, unless it runs upwards. Two pages that face each
other on one sheet are read one after the other, whatever stands on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise, takewhile
from operator import gt

import msgspec

from rag_assets.loading.pdf.columns.floats import with_floats
from rag_assets.loading.pdf.columns.gutter import MAX_DEPTH, gutter_of
from rag_assets.loading.pdf.columns.split_rows import with_whole_rows
from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    ImageBlock,
    PageContent,
    TextBlock,
    bounds,
    is_row,
    lines_of,
    on_one_baseline,
)
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.order.sheets import fold_of, middle_of

#: A block of so many pieces on one baseline is the row of a table.
_MIN_PIECES = 4
#: Share of a page's height at its top and its foot that may be drawn out of order.
_MARGIN = 0.15
#: Share of the blocks that may be drawn later than what they stand above, as programs do that draw
#: what has a background, or another font, last.
_MAX_LATE = 0.2
#: Names of authors begin so many font sizes further in than the columns below them.
_INSET = 2


class Placed(msgspec.Struct, eq=False, gc=False):
    """A block and the horizontal extent of the column it stands in."""

    block: Block
    left: int
    right: int


def reading_orders(pages: Iterable[PageContent]) -> Iterator[list[Placed]]:
    """The blocks of each page in the order a person reads them.

    On a page that follows a page in columns, the left one may stand alone."""
    width = None
    for page in pages:
        ordering = _Ordering(page)
        placed = ordering.read()
        if ordering.gutter is not None:
            lefts = [each for each in placed if each.right <= ordering.gutter]
            width = max([each.right - each.left for each in lefts], default=None)
        elif width is not None:
            placed = ordering.in_left_column(placed, width)
            width = None
        yield placed


class _Ordering:
    """Puts the blocks of one page in order, by their places and that in the content stream."""

    def __init__(self, page: PageContent) -> None:
        self.gutter: int | None = None
        self._page = page
        self._top = _MARGIN * page.height
        self._foot = page.height - self._top
        self._blocks = page.blocks

    @cached_property
    def _drawn(self) -> dict[int, int]:
        """``id`` of a block or a part of it -> its number in the content stream."""
        return {id(block): number for number, block in enumerate(self._blocks)}

    def read(self) -> list[Placed]:
        """All blocks; sets ``gutter`` to that of the whole page, where it has one."""
        fold = fold_of(self._page)
        if fold is None:
            return self.order(self._blocks, MAX_DEPTH, middle_of(self._page))
        parts = [part for block in self._blocks for part in self.parted(block, fold)]
        return self.sides(parts, fold, MAX_DEPTH + 1)

    def in_left_column(self, placed: list[Placed], width: int) -> list[Placed]:
        """What is ordered, in a column of a ``width`` when the text is no wider than one; the head
        and the foot of a page may be."""
        head = min([each.block.box.y1 for each in placed], default=0)
        foot = max([each.block.box.y0 for each in placed], default=0)
        body = [
            box
            for box in [each.block.box for each in placed]
            if (box.y0 >= head or head > self._top) and (box.y1 <= foot or foot < self._foot)
        ]
        left, right = (
            min([box.x0 for box in body], default=0),
            max([box.x1 for box in body], default=0),
        )
        if not 0 < right - left <= width + UNIT:
            return placed
        right = max(right, left + width)
        return [
            Placed(each.block, left, right)
            if left <= each.block.box.x0 and each.block.box.x1 <= right
            else each
            for each in placed
        ]

    def order(self, blocks: list[Block], depth: int, gutter: int | None = None) -> list[Placed]:
        """The blocks by columns, those beside ``gutter`` where it is known."""
        facing = gutter is not None
        if gutter is None:
            blocks = self._as_drawn(blocks, depth)
            gutter = gutter_of(lines_of(blocks), depth)
        if gutter is None:
            return _column(self._downwards(blocks))
        if depth == MAX_DEPTH:
            self.gutter = gutter
        ends = self._rows_of_margins(blocks, gutter) if depth == MAX_DEPTH else []
        parts = [
            part
            for block in blocks
            for part in ([block] if block in ends else self.parted(block, gutter))
        ]
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
        for (is_wide, above), (_, run) in pairwise(runs):
            if is_wide and not facing:
                _move_authors(run, above, gutter)
        return [
            placed
            for is_wide, run in runs
            for placed in (_column(run) if is_wide else self._band(run, gutter, depth))
        ]

    def _rows_of_margins(self, blocks: list[Block], gutter: int) -> list[Block]:
        """The first and the last block of a page in columns where each is a row of its margin on
        both sides of the gutter, and nothing beside it: parts of a running header stand at either
        edge of the page, and so the right one does not begin where the column does. Headings in the
        middle of their columns reach no edge."""
        starts = [line.x0 for line in lines_of(blocks) if line.x0 >= gutter]
        left = min([block.box.x0 for block in blocks], default=0)
        right = max([block.box.x1 for block in blocks], default=0)
        return [
            block
            for block in (min(blocks, key=lambda b: b.box.y0), max(blocks, key=lambda b: b.box.y1))
            if isinstance(block, TextBlock)
            and block.box.x0 - left <= _INSET * block.lines[0].size >= right - block.box.x1
            and self._is_margin(block)
            and is_row(block.lines)
            and min([line.x0 for line in block.lines if line.x0 >= gutter], default=0)
            > min(starts, default=0) + _INSET * block.lines[0].size
            and all(
                other is block or other.box.y0 >= block.box.y1 or other.box.y1 <= block.box.y0
                for other in blocks
            )
        ]

    def _as_drawn(self, blocks: list[Block], depth: int) -> list[Block]:
        """Blocks in the order of the content stream; those of a whole page are."""
        return blocks if depth == MAX_DEPTH else sorted(blocks, key=lambda b: self._drawn[id(b)])

    def parted(self, block: Block, gutter: int) -> list[Block]:
        """A block whose lines stand on both sides of the gutter, one part a side.

        Programs that set columns row by row make such blocks; the row of a table is another."""
        if not (isinstance(block, TextBlock) and block.box.x0 < gutter < block.box.x1):
            return [block]
        right = [line for line in block.lines if line.x0 >= gutter]
        if not right:
            # Short rows of a wide paragraph.
            return [block]
        if len(block.lines) >= _MIN_PIECES and is_row(block.lines):
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
        # Asked of every page: on most no block stands above the one before it.
        tops, ends = [block.box.y0 for block in blocks], [block.box.y1 for block in blocks[1:]]
        if all(map(gt, ends, tops)):
            return blocks
        blocks = with_floats(with_whole_rows(blocks))
        if _runs_down(blocks):
            return blocks
        # Headers and footers are often drawn before all else, or after it.
        first = list(takewhile(self._is_margin, blocks))
        last = list(takewhile(self._is_margin, reversed(blocks[len(first) :])))[::-1]
        body = blocks[len(first) : len(blocks) - len(last)]
        if not body or not (_runs_down(body) or (body := _with_late(body))):
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
    if not (isinstance(last, TextBlock) and isinstance(block, TextBlock) and is_row(last.lines)):
        return False
    heading, first = last.lines[0], block.lines[0]
    return (
        (heading.size > first.size or heading.bold > first.bold)
        and abs(heading.x0 - first.x0) < first.size
        and block.box.y0 - last.box.y1 < 2 * heading.size
        and all(other.box.y1 <= last.box.y0 for other in above[:-1])
    )


def _move_authors(band: list[Block], title: list[Block], gutter: int) -> None:
    """Move what is centred in two pieces above both columns of a band, as the names of authors
    are, to the title above it, which is centred so and nearer than the columns: what is nearer to
    these heads them."""
    begin = min([block.box.x0 for block in band], default=0)
    middle = title[-1].box.x0 + title[-1].box.x1
    while len(band) > 2:
        left, right = band[:2]
        if not (isinstance(left, TextBlock) and isinstance(right, TextBlock)):
            return
        size = left.lines[0].size
        low = max(left.box.y1, right.box.y1)
        if (
            not left.box.x1 < gutter < right.box.x0
            or not on_one_baseline(left.lines[0], right.lines[0])
            or abs(left.box.x0 + right.box.x1 - middle) > size
            or left.box.x0 - begin < _INSET * size
            or min(block.box.y0 for block in band[2:]) - low
            < min(left.box.y0, right.box.y0) - title[-1].box.y1
        ):
            return
        title += band[:2]
        del band[:2]


def _column(blocks: list[Block]) -> list[Placed]:
    if not blocks:
        return []
    boxes = [block.box for block in blocks]
    if images := [block.box for block in blocks if isinstance(block, ImageBlock)]:
        behind = [box for box in images if _is_behind(box, boxes)]
        boxes = [box for box in boxes if box not in behind] or boxes
    left = min([box.x0 for box in boxes])
    right = max([box.x1 for box in boxes])
    return [Placed(block, left, right) for block in blocks]


def _is_behind(image: Box, boxes: list[Box]) -> bool:
    """Whether an image stands behind all else of a column, as a scan does behind its text."""
    return all(
        image.x0 <= box.x0 and box.x1 <= image.x1 and image.y0 <= box.y0 and box.y1 <= image.y1
        for box in boxes
    )


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
    return not any(_is_above(below, above) for above, below in pairwise(blocks))


def _is_above(block: Block, other: Block) -> bool:
    a, b = block.box, other.box
    return a.y1 <= b.y0 and a.x0 < b.x1 and a.x1 > b.x0


def _with_late(blocks: list[Block]) -> list[Block]:
    """Blocks of which few were drawn later than what they stand above, these at their places; empty
    when there are more."""
    ordered = blocks[:1]
    late: list[Block] = []
    for block in blocks[1:]:
        (late if _is_above(block, ordered[-1]) else ordered).append(block)
        if len(late) > _MAX_LATE * len(blocks):
            return []
    for block in late:
        at = next(n for n, other in enumerate(ordered) if _is_above(block, other))
        ordered.insert(at, block)
    return ordered


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
