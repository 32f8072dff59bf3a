"""What floats beside the rows of a page: programs draw it before them, readers read it behind."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    Line,
    TextBlock,
    bounds,
    is_row,
    lines_of,
)

#: What floats, and a value of a list, is at most so many font sizes wide. Marks below each other
#: are narrower than any column of text.
MAX_VALUE = 15
MAX_MARK = 6
#: Floats are looked for before so many places where the stream runs upwards.
MAX_JUMPS = 3


def with_floats(blocks: list[Block]) -> list[Block]:
    """The blocks with what floats right behind the rows it stands beside."""
    jumps = 0
    # Asked of every page, which mostly begins with text too wide to float.
    for number, block in enumerate(blocks):
        if number and block.box.y1 <= blocks[number - 1].box.y0:
            if floats := _floats(blocks[:number], blocks[number:]):
                return _put_behind(blocks, number, floats)
            jumps += 1
        # The foot and the head of a page may be drawn before the floats.
        if jumps >= MAX_JUMPS or (isinstance(block, TextBlock) and _is_wide(block)):
            break
    return blocks


def _is_wide(block: TextBlock) -> bool:
    """Whether a block is too wide to float at a row; what has more rows may be a column of text."""
    width, size = block.box.x1 - block.box.x0, block.lines[0].size
    if width < MAX_MARK * size:
        return False
    return width >= MAX_VALUE * size or not is_row(block.lines)


def _floats(first: list[Block], others: list[Block]) -> dict[int, Line]:
    """``id`` of a line -> the one right of it, when most of what was drawn first stands so."""
    before, lines = lines_of(first), sorted(lines_of(others), key=lambda line: line.base)
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
