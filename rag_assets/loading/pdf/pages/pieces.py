"""Pieces of one text: the extraction begins a block where something is drawn, the underline of a
link perhaps, and where a program set the words of a line one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Block, Line, PageContent, TextBlock
from rag_assets.loading.pdf.extraction.stext import Box, characters_before

#: Text goes on behind a gap of at most this share of the font size, or begins so little before its
#: end; what stands further apart may be columns or cells.
_GAP = 0.6
_OVERLAP = 0.35
#: How much the sizes of what is one row may differ, as those of code and prose do; those of rows
#: below each other.
_UNLIKE = 0.15
_UNLIKE_BELOW = 0.05
#: The rule TeX draws for an underscore, in font sizes: how far it may leave the baseline and its
#: gap, how wide a gap is, and how much of it the rule fills.
_OFF = 0.1
_MIN_GAP = 0.3
_FILLS = 0.5


class Gap(NamedTuple):
    """Two lines of a row, one behind the other."""

    before: Line
    line: Line


def goes_on(block: TextBlock, lines: Sequence[Line], *, is_cut: bool) -> bool:
    """Whether the text of a block goes on in ``lines``: on its last row, or below it where
    something is drawn between the two (``is_cut``)."""
    last, first = block.lines[-1], lines[0]
    unlike = abs(last.size - first.size)
    if last.vertical or unlike > _UNLIKE * last.size:
        return False
    step = first.base - last.base
    if 3 * abs(step) < last.size:
        upright = max(last.y1 - last.y0, first.y1 - first.y0) < 3 * last.size
        return upright and -_OVERLAP * last.size <= first.x0 - last.x1 <= _GAP * last.size
    # Only what would be torn in the middle of a sentence.
    begins = first.text[0].islower() or not first.text[0].isascii()
    same = first.bold == last.bold and not first.mono and not last.mono
    if not (is_cut and begins and same and unlike <= _UNLIKE_BELOW * last.size):
        return False
    if not last.size < step < 1.7 * last.size:
        return False
    right = max(block.box.x1, *[line.x1 for line in lines])
    word = (first.x1 - first.x0) * (first.text.find(" ") + 1) // len(first.text)
    return abs(first.x0 - block.box.x0) < last.size and last.x1 + word > right - last.size


class Inner(NamedTuple):
    """A line, and a piece that stands within its box, on its baseline."""

    line: Line
    piece: Line


def write_inner(content: PageContent, text_page: Any) -> None:
    """Write pieces into the gaps of the lines they stand in, on a page that is not turned: programs
    draw what their font lacks after the rest of its row. Nobody looks for what is raised there."""
    inner = [] if content.flat else _inner(content.blocks)
    written: set[int] = set()
    # The last gap first, so that the places of the others stay.
    for line, piece in sorted(inner, key=lambda each: -each.piece.x0):
        at = characters_before(text_page, line.box, piece.box)
        if at is not None:
            line.raw = line.raw[:at] + piece.text + line.raw[at:]
            line.text = line.raw.strip()
            written |= {id(line), id(piece)}
    gone = {id(piece) for _, piece in inner} & written
    for block in content.blocks if gone else ():
        if isinstance(block, TextBlock):
            block.lines = [line for line in block.lines if id(line) not in gone]
    if written:
        content.extracted = [None if id(line) in written else line for line in content.extracted]


def _inner(blocks: Sequence[Block]) -> list[Inner]:
    # Looked for on every page.
    found: list[Inner] = []
    for block in blocks:
        if isinstance(block, TextBlock) and len(block.lines) > 1:
            outer = block.lines[0]
            for line in block.lines:
                if line.base == outer.base and outer.x0 < line.x0 and line.x1 < outer.x1:
                    found.append(Inner(outer, line))
                else:
                    outer = line
    return found


def may_be_underscore(gap: Gap) -> bool:
    """Whether a gap is as wide as an underscore and stands in a word."""
    before, line = gap
    in_word = before.raw[-1].isalnum() and line.raw[0].isalnum()
    return in_word and line.x0 - before.x1 > _MIN_GAP * before.size


def write_underscores(gaps: Sequence[Gap], shapes: Sequence[Box]) -> None:
    """Write the underscores that are drawn as rules, as TeX does outside of monospaced type: a
    rule on the baseline that fills a gap within a word."""
    for before, line in gaps:
        left, right, base = before.box.x1, line.box.x0, before.base
        near = _OFF * before.size
        for rule in shapes:
            if (
                left - near <= rule.x0
                and rule.x1 <= right + near
                and rule.x1 - rule.x0 > _FILLS * (right - left)
                and base - near <= rule.y0
                and rule.y1 <= base + near
            ):
                before.text += "_"
                before.raw += "_"
                before.box = Box(before.box.x0, before.box.y0, right, before.box.y1)
                before.x1, line.glued = line.x0, True
                break
