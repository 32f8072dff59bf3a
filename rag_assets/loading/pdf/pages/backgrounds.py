"""What is drawn behind text, around it or across it: the fill or frame of a page or of a box on it,
and watermarks.

MuPDF takes such a box for the outermost lines of a table, and the paragraphs and headings in it for
cells, or finds no table in it at all. It is left out before tables are hunted for. What tells the
box from the frame of a table is that no line inside ends at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from rag_assets.loading.pdf.extraction.blocks import PageContent
from rag_assets.loading.pdf.extraction.pointers import members_of, sides_of
from rag_assets.loading.pdf.extraction.reading import Reading
from rag_assets.loading.pdf.extraction.stext import (
    UNIT,
    Box,
    all_blocks,
    first_block,
    text_flags,
    text_page_of,
)

#: So many shapes are looked at for the background of a page, the first ones.
_FIRST = 8
#: What is so wide and so high, beside the page, may be a background, if it holds so much of the
#: text.
_WIDE = 0.6
_HIGH = 0.25
_SHARE = 0.8
#: A box on a page is at least so wide, beside the page, and so high; it holds at least so many
#: shapes, the lines of the smallest table. Pages with more shapes than that hold drawings.
_BOX_WIDE = 0.25
_BOX_HIGH = 40 * UNIT
_MIN_HELD = 5
_MAX_SHAPES = 400
#: What is thinner is a line; what ends so near to another ends at it. Pages with so many long lines
#: downwards hold drawings too.
_THIN = 4 * UNIT
_NEAR = 2 * UNIT
_MAX_SIDES = 40
#: A page that may hold a table in a box has so many lines on the baselines of others, and so many
#: shapes drawn one after the other, not many more.
_BESIDE = 4
_MIN_RUN = 5
_FEW_SHAPES = 100
#: What is stamped across a page is set so large, in points, and runs aslant, at an angle to the
#: nearest side of the page of a larger sine. What is smaller belongs to the page: the heads of
#: narrow columns may be set so.
STAMPED = 30
_ASLANT = 0.1


def hunted_text_page(page: Any, reading: Reading, *, plain: bool) -> Any:
    """MuPDF's text page, in the frame of a page before its rotation, with the tables it finds where
    it hunts for them.

    Boxes that are drawn behind text are left out when they are drawn first, as browsers do, and of
    a page that is read as ``boxed`` all others. What is stamped ``aslant`` is put behind all other
    blocks, and in no table.
    """
    import pymupdf

    mupdf = pymupdf.mupdf
    flags = text_flags(tables=reading.hunts)
    text_page = text_page_of(page, flags & ~mupdf.FZ_STEXT_TABLE_HUNT, plain=plain)
    stamps = _take_aslant(text_page) if reading.aslant else []
    if reading.hunts:
        _drop_boxes(text_page, everywhere=reading.boxed)
        mupdf.fz_table_hunt(text_page.this, _hunt_options().this)
    for block in stamps:
        _append(text_page.m_internal, block)
    return text_page


def count_aslant(text_page: Any) -> int:
    """How many blocks of a text page, in tables too, are stamped aslant across it: the hunt for
    tables spreads their letters over the cells."""
    return sum(map(_is_aslant, all_blocks(text_page)))


def _take_aslant(text_page: Any) -> list[Any]:
    """Take the blocks that are stamped aslant out of a text page."""
    found = [block for block in all_blocks(text_page) if _is_aslant(block)]
    for block in found:
        _unlink(text_page.m_internal, block)
    return found


def _is_aslant(block: Any) -> bool:
    from pymupdf import mupdf

    if members_of("fz_stext_block").type(block.this) != mupdf.FZ_STEXT_BLOCK_TEXT:
        return False
    for line in mupdf.FzStextBlock(block.this):
        first = line.m_internal
        if not first.first_char or first.first_char.size < STAMPED:
            return False
        return bool(min(abs(first.dir.x), abs(first.dir.y)) > _ASLANT)
    return False


def may_hold_box(content: PageContent, shapes: int, run: int) -> bool:
    """Whether a table may stand in a box on a page on which none was found. Asked first, for it is
    quickly told.

    Args:
        shapes: how many are drawn on the page; ``run``: how many before the same text.
    """
    if not _MIN_HELD < shapes <= _FEW_SHAPES or run < _MIN_RUN:
        return False
    lines = content.lines()
    return len(lines) - len({line.base for line in lines}) >= _BESIDE


def boxes(shapes: Sequence[Box], width: int) -> Iterator[list[int]]:
    """The boxes with lines inside none of which ends at the box: which shapes each is drawn with.

    Args:
        width: that of the page.
    """
    wide = [shape for shape in shapes if shape.x1 - shape.x0 >= _BOX_WIDE * width]
    whole = [shape for shape in wide if shape.y1 - shape.y0 >= _BOX_HIGH]
    for box in [*whole, *_ruled(shapes, wide)]:
        drawn = []
        held = 0
        for at, each in enumerate(shapes):
            if _is_part(each, box):
                drawn.append(at)
            elif _holds(box, each):
                held += 1
            elif _reaches_into(each, box) and not _holds(each, box):
                break
        else:
            if held >= _MIN_HELD:
                yield drawn


def _ruled(shapes: Sequence[Box], wide: Sequence[Box]) -> Iterator[Box]:
    """The boxes between two lines downwards and two across that end where those do."""
    sides = [s for s in shapes if s.x1 - s.x0 <= _THIN and s.y1 - s.y0 >= _BOX_HIGH]
    for one, other in combinations(sides, 2) if len(sides) <= _MAX_SIDES else ():
        if abs(one.y0 - other.y0) > _THIN or abs(one.y1 - other.y1) > _THIN:
            continue
        left, right = (one, other) if one.x0 < other.x0 else (other, one)
        box = Box(left.x0, left.y0, right.x1, left.y1)
        ends = [s for s in wide if s.y1 - s.y0 <= _THIN and _is_part(s, box)]
        if any(s.y0 < box.y0 + _THIN for s in ends) and any(s.y1 > box.y1 - _THIN for s in ends):
            yield box


def _is_part(shape: Box, box: Box) -> bool:
    """Whether a shape is the box, drawn again, or one of its sides."""
    left, right = abs(shape.x0 - box.x0) <= _THIN, abs(shape.x1 - box.x1) <= _THIN
    top, low = abs(shape.y0 - box.y0) <= _THIN, abs(shape.y1 - box.y1) <= _THIN
    if left and right:
        return (top and low) or ((top or low) and shape.y1 - shape.y0 <= _THIN)
    return top and low and (left or right) and shape.x1 - shape.x0 <= _THIN


def _holds(box: Box, shape: Box) -> bool:
    """Whether a shape stands in a box and ends at none of its sides."""
    return (
        box.x0 + _NEAR < shape.x0
        and shape.x1 < box.x1 - _NEAR
        and box.y0 + _NEAR < shape.y0
        and shape.y1 < box.y1 - _NEAR
    )


def _reaches_into(shape: Box, box: Box) -> bool:
    return (
        shape.x0 < box.x1 - _NEAR
        and shape.x1 > box.x0 + _NEAR
        and shape.y0 < box.y1 - _NEAR
        and shape.y1 > box.y0 + _NEAR
    )


def _drop_boxes(text_page: Any, *, everywhere: bool) -> None:
    """Take the boxes around text out of the blocks of a text page."""
    import pymupdf

    vector = pymupdf.mupdf.FZ_STEXT_BLOCK_VECTOR
    of_block = members_of("fz_stext_block")
    block = first_block(text_page)
    blocks: list[Any] = []
    while block and len(blocks) <= _MAX_SHAPES:
        # Asked of every page: few begin with a shape.
        if of_block.type(block.this) == vector:
            blocks.append(block)
        elif not everywhere:
            break
        block = of_block.next(block.this)
    if not blocks:
        return
    page = text_page.m_internal
    left, top, right, low = sides_of(page.mediabox)
    dropped = _backgrounds(blocks[:_FIRST], right - left, low - top)
    if _MIN_HELD < len(blocks) <= _MAX_SHAPES:
        shapes = [_box(block) for block in blocks]
        for box in boxes(shapes, round((right - left) * UNIT)):
            dropped.update(box)
    for at in dropped:
        _unlink(page, blocks[at])


def _backgrounds(blocks: Sequence[Any], width: float, height: float) -> set[int]:
    """Which of the first shapes of a page are behind most of its text."""
    found = set()
    texts: list[tuple[float, float]] | None = None
    for at, block in enumerate(blocks):
        x0, y0, x1, y1 = _sides(block)
        if x1 - x0 >= _WIDE * width and y1 - y0 >= _HIGH * height:
            texts = _middles(block) if texts is None else texts
            held = sum([x0 < x < x1 and y0 < y < y1 for x, y in texts])
            if held >= _SHARE * len(texts):
                found.add(at)
    return found


def _middles(block: Any) -> list[tuple[float, float]]:
    """The middles of the blocks of text behind a block."""
    from pymupdf import mupdf

    text = mupdf.FZ_STEXT_BLOCK_TEXT
    of_block = members_of("fz_stext_block")
    found = []
    while block:
        if of_block.type(block.this) == text:
            x0, y0, x1, y1 = _sides(block)
            found.append(((x0 + x1) / 2, (y0 + y1) / 2))
        block = of_block.next(block.this)
    return found


def _sides(block: Any) -> tuple[float, float, float, float]:
    return sides_of(members_of("fz_stext_block").bbox(block.this))


def _box(block: Any) -> Box:
    return Box(*[round(side * UNIT) for side in _sides(block)])


def _unlink(page: Any, block: Any) -> None:
    before, following = block.prev, block.next
    if before:
        before.next = following
    else:
        page.first_block = following
    if following:
        following.prev = before
    else:
        page.last_block = before


def _append(page: Any, block: Any) -> None:
    last = page.last_block
    block.prev, block.next = last, None
    if last:
        last.next = block
    else:
        page.first_block = block
    page.last_block = block


@cache
def _hunt_options() -> Any:
    from pymupdf import mupdf

    return mupdf.FzTableHuntOptions()
