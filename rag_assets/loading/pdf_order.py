"""Reading order of a page: columns from left to right, each from top to bottom.

A page is cut at a gutter: a vertical line few blocks cross, with running text on both sides. The
blocks that cross it (titles, wide figures) part the page into bands; within a band the left side
is read before the right. A side may have a gutter of its own. Without a gutter the order of the
content stream stands, unless it runs upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rag_assets.loading.pdf_page import Block, PageContent, TextBlock

_MAX_DEPTH = 2
_MIN_LINES = 5
#: A page of more pieces than this is a form or a drawing, and looking for columns is quadratic.
_MAX_BLOCKS = 400
#: Share of a page's lines that may cross a gutter.
_MAX_CROSSING = 0.25
#: Mean share of a column's width that its lines fill when it is running text.
_MIN_FILL = 0.55


@dataclass(slots=True)
class Placed:
    """A block and the horizontal extent of the column it stands in."""

    block: Block
    left: int
    right: int


def reading_order(page: PageContent) -> list[Placed]:
    """The blocks of a page in the order a person reads them."""
    return _order(page.blocks, _MAX_DEPTH)


def _order(blocks: list[Block], depth: int) -> list[Placed]:
    gutter = _gutter(blocks) if depth else None
    if gutter is None:
        return _column(_downwards(blocks))
    placed: list[Placed] = []
    band: list[Block] = []
    for block in sorted(blocks, key=lambda b: (b.box.y0, b.box.x0)):
        if block.box.x0 < gutter < block.box.x1:
            placed += _band(band, gutter, depth)
            placed += _column([block])
            band = []
        else:
            band.append(block)
    return placed + _band(band, gutter, depth)


def _band(blocks: list[Block], gutter: int, depth: int) -> list[Placed]:
    left = [block for block in blocks if block.box.x1 <= gutter]
    right = [block for block in blocks if block.box.x1 > gutter]
    return [p for side in (left, right) if side for p in _order(side, depth - 1)]


def _column(blocks: list[Block]) -> list[Placed]:
    if not blocks:
        return []
    left = min(block.box.x0 for block in blocks)
    right = max(block.box.x1 for block in blocks)
    return [Placed(block, left, right) for block in blocks]


def _downwards(blocks: list[Block]) -> list[Block]:
    for above, below in pairwise(blocks):
        a, b = above.box, below.box
        if b.y1 <= a.y0 and b.x0 < a.x1 and b.x1 > a.x0:
            break
    else:
        return blocks
    ordered: list[Block] = []
    row: list[Block] = []
    for block in sorted(blocks, key=lambda b: b.box.y0):
        # Blocks that begin beside another's upper half are read from left to right.
        if row and block.box.y0 > (row[0].box.y0 + row[0].box.y1) // 2:
            ordered += sorted(row, key=lambda b: b.box.x0)
            row = []
        row.append(block)
    return ordered + sorted(row, key=lambda b: b.box.x0)


def _gutter(blocks: list[Block]) -> int | None:
    """The x of a gutter, or None."""
    texts = [(block.box, len(block.lines)) for block in blocks if isinstance(block, TextBlock)]
    total = sum(count for _, count in texts)
    if not 4 <= len(texts) <= _MAX_BLOCKS or total < 2 * _MIN_LINES:
        return None
    left, right = min(box.x0 for box, _ in texts), max(box.x1 for box, _ in texts)
    width = right - left
    best: tuple[int, int] | None = None
    for x in sorted({box.x1 for box, _ in texts}):
        if not left + 0.2 * width <= x <= right - 0.2 * width:
            continue
        crossing = sum(count for box, count in texts if box.x0 < x < box.x1)
        if crossing <= _MAX_CROSSING * total and (best is None or crossing < best[0]):
            following = min((box.x0 for box, _ in texts if box.x0 >= x), default=x)
            best = (crossing, (x + following) // 2)
    if best is None:
        return None
    gutter = best[1]
    sides = (
        [b for b in blocks if isinstance(b, TextBlock) and b.box.x1 <= gutter],
        [b for b in blocks if isinstance(b, TextBlock) and b.box.x0 >= gutter],
    )
    return gutter if all(_is_running_text(side) for side in sides) and _beside(*sides) else None


def _is_running_text(blocks: list[TextBlock]) -> bool:
    lines = [line for block in blocks for line in block.lines]
    if len(lines) < _MIN_LINES:
        return False
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    return sum(line.x1 - line.x0 for line in lines) >= _MIN_FILL * width * len(lines)


def _beside(left: list[TextBlock], right: list[TextBlock]) -> bool:
    """Whether two sides stand at the same height for at least half of the shorter one."""
    tops = [min(block.box.y0 for block in side) for side in (left, right)]
    ends = [max(block.box.y1 for block in side) for side in (left, right)]
    shared = min(ends) - max(tops)
    return shared >= 0.5 * min(ends[0] - tops[0], ends[1] - tops[1])
