"""What is found on a page of a PDF: lines, blocks, tables, images.

Coordinates are integers, hundredths of a PDF point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from rag_assets.loading.base import PageLink
from rag_assets.loading.pdf.extraction.reading import Reading
from rag_assets.loading.pdf.extraction.stext import Box

#: Nothing stands between two lines at most this part of the size away from each other.
TOUCHING = 50


class Line(msgspec.Struct, eq=False, gc=False):
    """A run of text on one baseline, or a column of vertical writing.

    ``box`` is in the frame of anchors (before the page's rotation); the other coordinates are in
    the frame of the page as it is displayed, which is the one text is read in. ``glued`` tells
    that the line was extracted behind another that ends where it begins, without a blank, or goes
    on with the word of a drop cap; ``raw`` is the text with the blanks beside it. ``font`` names
    that of the first character. ``short`` is a line of a cell which ended though there was room.
    """

    text: str
    box: Box
    x0: int
    y0: int
    x1: int
    y1: int
    base: int
    size: int
    bold: bool
    mono: bool
    vertical: bool
    glued: bool = False
    raw: str = ""
    font: str = ""
    short: bool = False

    def goes_down_to(self, box: Box) -> bool:
        """Whether a character of vertical writing stands next below this column's last one."""
        return (
            self.vertical
            and abs(self.box.x0 - box.x0) <= self.size // 2
            and -self.size // 2 <= box.y0 - self.box.y1 <= self.size
        )

    def touches(self, before: Line) -> bool:
        """Whether no room is left between the end of ``before`` and this line."""
        return TOUCHING * abs(self.box.x0 - before.box.x1) <= self.size

    def extend(self, text: str, box: Box) -> None:
        """Add a character below."""
        self.text += text
        self.box = Box(min(self.box.x0, box.x0), self.box.y0, max(self.box.x1, box.x1), box.y1)

    def stand_at(self, box: Box) -> None:
        """Set where the line stands on the page as displayed."""
        self.x0, self.y0, self.x1, self.y1 = box.x0, box.y0, box.x1, box.y1


class TextBlock(msgspec.Struct, eq=False, gc=False):
    """Lines the extraction saw as one piece."""

    box: Box
    lines: list[Line]


@dataclass(slots=True)
class TableBlock:
    """A grid of cells; a cell is its lines.

    ``edges`` are where the columns of a ruled table begin and the last one ends, in the frame of
    anchors; empty where lines do not part them all. ``elsewhere`` has the page of each line, by its
    id, that stands on another one than the table.
    """

    box: Box
    rows: list[list[list[Line]]]
    edges: tuple[int, ...] = ()
    elsewhere: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class ImageBlock:
    """``index`` counts the images drawn on the page; ``box`` and ``raw`` as in :class:`Line`."""

    box: Box
    raw: Box
    index: int


Block = TextBlock | TableBlock | ImageBlock


class Raised(NamedTuple):
    """A raised run of text, blanks around it left out.

    ``at`` is its offset in the text of ``line``; ``first`` tells that it begins the line, where
    only its size, smaller than what follows, makes it one.
    """

    line: Line
    at: int
    text: str
    first: bool


@dataclass(slots=True)
class PageContent:
    """One page as it was extracted. Coordinates are hundredths of a PDF point.

    Attributes:
        number: from 1.
        width, height: of the page as displayed.
        images: those of ``blocks`` that are images; of a page that is a drawing and nothing else
            the page itself.
        image_sizes: width and height, in pixels, of the images by their index; empty when they are
            not known.
        flat: PyMuPDF's matrix from the page as displayed to the frame of anchors, null when both
            are the same.
        extracted: all lines MuPDF extracted, those in tables too, null where one was left out.
        reading: how they were extracted.
        plain: see ``stext.is_plain``.
        across: the ``id`` of the lines of text that runs aslant, across the rest.
        numbers: how many lines of text are a number and nothing else.
        raised: what stands raised on the page, null when nobody looked.
        is_drawing: whether the page is a drawing and nothing else.
        high_words: whether words of nothing but letters above U+00BF stand on it.
    """

    number: int
    width: int
    height: int
    reading: Reading
    blocks: list[Block] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    images: list[ImageBlock] = field(default_factory=list)
    image_sizes: list[tuple[int, int]] = field(default_factory=list)
    flat: Any = None
    extracted: list[Line | None] = field(default_factory=list)
    plain: bool = False
    across: frozenset[int] = frozenset()
    numbers: int = 0
    raised: list[Raised] | None = None
    is_drawing: bool = False
    high_words: bool = False

    def lines(self) -> list[Line]:
        """The lines of text outside of tables."""
        return lines_of(self.blocks)


def bounds(lines: list[Line]) -> Box:
    """The smallest box, as displayed, around some lines."""
    first = lines[0]
    x0, y0, x1, y1 = first.x0, first.y0, first.x1, first.y1
    if len(lines) == 1:
        return Box(x0, y0, x1, y1)
    # Compared one by one: most blocks have few lines, and min and max take longer to call.
    for line in lines:
        x0 = line.x0 if line.x0 < x0 else x0
        y0 = line.y0 if line.y0 < y0 else y0
        x1 = line.x1 if line.x1 > x1 else x1
        y1 = line.y1 if line.y1 > y1 else y1
    return Box(x0, y0, x1, y1)


def lines_of(blocks: Sequence[Block]) -> list[Line]:
    """The lines of the blocks that are text."""
    return [line for block in blocks if isinstance(block, TextBlock) for line in block.lines]


def on_one_baseline(one: Line, other: Line) -> bool:
    """Whether two lines stand on one baseline: what is raised or lowered by less than a third of
    the size of ``one`` still does. What is called for every line asks the same without a call."""
    return 3 * abs(one.base - other.base) < one.size


def is_row(lines: list[Line]) -> bool:
    """Whether all lines stand on one baseline."""
    first = lines[0]
    return all(on_one_baseline(first, line) for line in lines)
