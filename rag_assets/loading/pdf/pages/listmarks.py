"""List marks that were drawn apart from their items.

Programs that set marks last make blocks of nothing but marks, and some set each behind the first
line of its item; browsers draw marks as shapes, and some slides have small images of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    ImageBlock,
    Line,
    PageContent,
    TextBlock,
    bounds,
    on_one_baseline,
)
from rag_assets.loading.pdf.extraction.stext import Box

#: Signs that mark items, with or without a blank behind them, and stand in sentences too; a list of
#: signs has their commands behind them. Ticks and crosses say something, and are kept.
SIGNS = "▶►▸➢➤❖◆◇"
TICKS = "✓✔✗✘"
#: What such programs set; dashes and what has brackets may be part of a formula.
_MARK = re.compile(f"[•◦▪‣●○■∙⁃·{SIGNS}{TICKS}]|(?:\\d{{1,3}}|[a-z]|[ivx]{{1,5}})\\.", re.I)
_LONGEST = 6
#: An item begins so many font sizes behind its mark, at most, and nothing ends as near before it.
_GAP = 1.5
#: A drawn mark is as wide and high as so many font sizes, and about as wide as high; the box of
#: what is stroked is larger than it.
_SMALLEST, _LARGEST, _UNEVEN = 0.15, 0.9, 1.5
#: So many stand below each other; a page with more shapes than that is a drawing.
_ENOUGH = 2
_MAX_SHAPES = 400
_DRAWN = "•"


def give_marks(blocks: list[Block]) -> None:
    """Put the marks of blocks that hold nothing else in front of what they stand before, and those
    behind a line in front of it; a block stays where one of them stands before nothing."""
    for block in blocks:
        if isinstance(block, TextBlock):
            _swap_marks(block.lines)
    # Asked of every block: most end, and begin, with more than a mark is long.
    if any(isinstance(b, TextBlock) and len(b.lines[-1].text) <= _LONGEST for b in blocks):
        blocks[:] = [part for block in blocks for part in _without_last_marks(block)]
    marked = [
        block
        for block in blocks
        if isinstance(block, TextBlock)
        and len(block.lines[0].text) <= _LONGEST
        and _is_marks(block)
    ]
    if not marked:
        return
    apart = set(map(id, marked))
    texts = [b for b in blocks if isinstance(b, TextBlock) and id(b) not in apart]
    lines = sorted([x for block in texts for x in block.lines], key=lambda line: line.base)
    marks: dict[int, Line] = {}
    for block in marked:
        items = [_item(mark, lines) for mark in block.lines]
        given = {id(item): mark for item, mark in zip(items, block.lines, strict=True) if item}
        if len(given) == len(items) and not given.keys() & marks.keys():
            marks |= given
            apart.discard(id(block))
    if not marks:
        return
    _set_in_front(texts, marks)
    kept = apart.union(map(id, texts))
    blocks[:] = [b for b in blocks if not isinstance(b, TextBlock) or id(b) in kept]


def _swap_marks(lines: list[Line]) -> None:
    """Put each mark that was drawn right behind the line it stands before in front of that."""
    for at, mark in enumerate(lines[1:], 1):
        line = lines[at - 1]
        # Asked of every line, and so first what is quickly told.
        if (
            mark.x0 < line.x0 <= mark.x1 + _GAP * mark.size
            and on_one_baseline(mark, line)
            and len(mark.text) <= _LONGEST
            and _MARK.fullmatch(mark.text)
        ):
            lines[at - 1 : at + 1] = [mark, line]


def _without_last_marks(block: Block) -> list[Block]:
    """A block, and apart from it the marks that were drawn last, each left of a line above."""
    if not isinstance(block, TextBlock) or not _MARK.fullmatch(block.lines[-1].text):
        return [block]
    lines = block.lines
    marks = list(takewhile(lambda line: _MARK.fullmatch(line.text), reversed(lines)))[::-1]
    items = lines[: len(lines) - len(marks)]
    bases = {line.base for line in items if line.x0 > marks[0].x0}
    if not items or any(mark.base not in bases for mark in marks):
        return [block]
    return [TextBlock(bounds(items), items), TextBlock(bounds(marks), marks)]


def may_have_drawn_marks(blocks: Sequence[Block], beside: Sequence[Line], shapes: int) -> bool:
    """Whether some of the lines that were drawn ``beside`` a single one of so many ``shapes`` may
    be items: two begin below each other, right of other text. Asked first: it is quickly told."""
    if len(beside) < _ENOUGH or shapes > _MAX_SHAPES:
        return False
    left = min([block.box.x0 for block in blocks])
    places = Counter([line.x0 for line in beside if line.x0 - left >= line.size])
    return max(places.values(), default=0) >= _ENOUGH


def give_drawn_marks(
    blocks: Sequence[Block], beside: Sequence[Line], shapes: Sequence[Box]
) -> None:
    """Put a mark in front of the lines that are drawn ``beside`` one of some ``shapes`` which looks
    like a mark."""
    marks: dict[int, Line] = {}
    # Most shapes are rules.
    shapes = [shape for shape in shapes if _is_even(shape)]
    for line in beside:
        shape = next((shape for shape in shapes if _marks(shape, line)), None)
        if shape is not None:
            marks[id(line)] = _drawn_mark(shape, line)
    if _stand_below_each_other(marks):
        _set_in_front((b for b in blocks if isinstance(b, TextBlock)), marks)


def give_image_marks(content: PageContent) -> None:
    """Put a mark in the place of the images that look like one and are drawn before a text."""
    marks: dict[int, Line] = {}
    images: set[int] = set()
    for image, text in pairwise(content.blocks):
        if isinstance(image, ImageBlock) and isinstance(text, TextBlock):
            line = text.lines[0]
            if _is_even(image.box) and _marks(image.box, line):
                marks[id(line)] = _drawn_mark(image.box, line)
                images.add(id(image))
    if _stand_below_each_other(marks):
        _set_in_front((b for b in content.blocks if isinstance(b, TextBlock)), marks)
        content.blocks = [block for block in content.blocks if id(block) not in images]
        content.images = [image for image in content.images if id(image) not in images]


def _is_even(shape: Box) -> bool:
    """Whether a shape is about as wide as high."""
    width, height = shape.x1 - shape.x0, shape.y1 - shape.y0
    return width <= _UNEVEN * height and height <= _UNEVEN * width


def _marks(shape: Box, line: Line) -> bool:
    """Whether a shape is small and stands right before the middle of a line; what stands before a
    single letter may be the square of a puzzle."""
    width, height, size = shape.x1 - shape.x0, shape.y1 - shape.y0, line.size
    return (
        len(line.text) > 1
        and _SMALLEST * size <= width <= _LARGEST * size
        and _SMALLEST * size <= height <= _LARGEST * size
        and 0 <= line.x0 - shape.x1 <= _GAP * size
        and line.y0 < (shape.y0 + shape.y1) // 2 < line.base
    )


def _drawn_mark(shape: Box, line: Line) -> Line:
    """A mark that stands where a shape is drawn, in the row of a line."""
    x0, y0, x1, y1 = shape.x0, shape.y0, shape.x1, shape.y1
    return Line(
        _DRAWN, shape, x0, y0, x1, y1, line.base, line.size, line.bold, False, False,
        raw=_DRAWN, font=line.font,
    )  # fmt: skip


def _stand_below_each_other(marks: dict[int, Line]) -> bool:
    places = Counter([mark.x0 for mark in marks.values()])
    return max(places.values(), default=0) >= _ENOUGH


def _set_in_front(texts: Iterable[TextBlock], marks: dict[int, Line]) -> None:
    """Put each mark in front of its line; ``marks`` are given by the ``id`` of that."""
    for block in texts:
        if any(id(line) in marks for line in block.lines):
            block.lines = [
                each
                for line in block.lines
                for each in ((marks[id(line)], line) if id(line) in marks else (line,))
            ]
            block.box = bounds(block.lines)


def _is_marks(block: TextBlock) -> bool:
    # Asked of many blocks: most begin with something else.
    return _MARK.fullmatch(block.lines[0].text) is not None and all(
        _MARK.fullmatch(line.text) and not line.vertical for line in block.lines
    )


def _item(mark: Line, lines: list[Line]) -> Line | None:
    """What begins right behind a mark, on its baseline; ``lines`` are sorted by theirs."""
    near = mark.size // 3
    begin = bisect_left(lines, mark.base - near, key=lambda line: line.base)
    end = bisect_right(lines, mark.base + near, key=lambda line: line.base)
    room = _GAP * mark.size
    found: Line | None = None
    for line in lines[begin:end]:
        if line.x0 < mark.x0:
            if line.x1 > mark.x0 - room:
                return None
        elif line.x0 <= mark.x1 + room and (found is None or line.x0 < found.x0):
            found = line
    return found
