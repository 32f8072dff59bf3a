"""One page of a PDF as lines, tables and images, in the order of its content stream.

Coordinates are integers, hundredths of a PDF point.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rag_assets.loading.base import PageLink
from rag_assets.loading.pdf_links import Target, links_of
from rag_assets.loading.pdf_stext import (
    UNIT,
    BoxOf,
    GridOf,
    ImageOf,
    Node,
    StructureOf,
    TextOf,
    VectorOf,
    structured_text,
)

_MONOSPACED = re.compile(r"mono|courier|consol|typewriter|menlo|inconsolata|code|cmtt", re.I)
#: A list mark alone, as it stands in a grid made of a list.
_MARK = re.compile(r"[•◦▪‣●○■□∙\uf000-\uf0ff☐-☒-]")


class Box(NamedTuple):
    x0: int
    y0: int
    x1: int
    y1: int


class Line:
    """A run of text on one baseline, or a column of vertical writing.

    ``box`` is in the frame of anchors (before the page's rotation); the other coordinates are in
    the frame of the page as it is displayed, which is the one text is read in.
    """

    __slots__ = ("base", "bold", "box", "mono", "size", "text", "vertical", "x0", "x1", "y0", "y1")

    def __init__(
        self, text: str, box: Box, base: int, size: int, *, bold: bool, mono: bool
    ) -> None:
        self.text = text
        self.box = box
        self.x0, self.y0, self.x1, self.y1 = box
        self.base = base
        self.size = size
        self.bold = bold
        self.mono = mono
        self.vertical = False

    def goes_down_to(self, box: Box) -> bool:
        """Whether a character of vertical writing stands next below this column's last one."""
        return (
            self.vertical
            and abs(self.box.x0 - box.x0) <= self.size // 2
            and -self.size // 2 <= box.y0 - self.box.y1 <= self.size
        )

    def extend(self, text: str, box: Box) -> None:
        """Add a character below."""
        self.text += text
        self.box = Box(min(self.box.x0, box.x0), self.box.y0, max(self.box.x1, box.x1), box.y1)


@dataclass(slots=True)
class TextBlock:
    """Lines the extraction saw as one piece."""

    box: Box
    lines: list[Line]


@dataclass(slots=True)
class TableBlock:
    """A grid of cells; a cell is its lines."""

    box: Box
    rows: list[list[list[Line]]]


@dataclass(slots=True)
class ImageBlock:
    """``index`` counts the images drawn on the page; ``box`` and ``raw`` as in :class:`Line`."""

    box: Box
    raw: Box
    index: int


Block = TextBlock | TableBlock | ImageBlock


@dataclass(slots=True)
class PageContent:
    """``number`` is 1-based; sizes are those of the page as displayed.

    ``flat`` is PyMuPDF's matrix from the page as displayed to the frame of anchors, null when both
    are the same.
    """

    number: int
    width: int
    height: int
    blocks: list[Block] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    flat: Any = None


class _Turn(NamedTuple):
    """Display rotation, clockwise, of a page ``width`` x ``height`` before it."""

    degrees: int
    width: int
    height: int

    def point(self, x: int, y: int) -> tuple[int, int]:
        if self.degrees == 90:
            return self.height - y, x
        if self.degrees == 180:
            return self.width - x, self.height - y
        return y, self.width - x

    def box(self, box: Box) -> Box:
        ax, ay = self.point(box.x0, box.y0)
        bx, by = self.point(box.x1, box.y1)
        return Box(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def read_page(page: Any, number: int, targets: dict[str, Target], *, tables: bool) -> PageContent:
    """Extract a page; ``targets`` are those of links known so far.

    Raises whatever PyMuPDF raises for a page it cannot load.
    """
    import pymupdf

    flags = pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_PRESERVE_IMAGES
    # A glyph nobody can name is U+FFFD, not the character whose number happens to be its own.
    flags &= ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    # The letters of a ligature, which are what people search for.
    flags &= ~pymupdf.TEXT_PRESERVE_LIGATURES
    if tables:
        flags |= pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_TABLE_HUNT
    # PyMuPDF's own frame of coordinates: before rotation.
    text_page = page.get_textpage(flags=flags)
    degrees = page.rotation % 360
    width, height = (round(side * UNIT) for side in (page.rect.width, page.rect.height))
    turn = None
    if degrees:
        flat = (height, width) if degrees in (90, 270) else (width, height)
        turn = _Turn(degrees, *flat)
    content = PageContent(number, width, height, flat=page.derotation_matrix if turn else None)
    reader = _Reader(content, turn)
    reader.read(structured_text(text_page))
    if reader.doubtful_tables:
        # What was laid out as a grid is no table; without the hunt it keeps its own blocks.
        return read_page(page, number, targets, tables=False)
    content.links = links_of(page, content.flat, number, targets)
    return content


class _Reader:
    """Fills a :class:`PageContent`; ``doubtful_tables`` tells that a grid was no table."""

    def __init__(self, content: PageContent, turn: _Turn | None) -> None:
        self._content = content
        self._turn = turn
        self._images = 0
        self._last: Line | None = None
        self._mono: dict[str, bool] = {}
        self.doubtful_tables = False

    def read(self, nodes: Iterable[Node]) -> None:
        add = self._content.blocks.append
        for node in nodes:
            if isinstance(node, VectorOf):
                continue
            if isinstance(node, TextOf):
                if lines := self._lines(node):
                    add(TextBlock(bounds(lines), lines))
            elif isinstance(node, ImageOf):
                raw = _box(node.bbox)
                add(ImageBlock(self._turn.box(raw) if self._turn else raw, raw, self._images))
                self._images += 1
            elif isinstance(node, StructureOf):
                table = self._table(node) if node.std == "Table" else None
                if table is None:
                    self.read(node.contents)
                else:
                    add(table)

    def _lines(self, node: TextOf) -> list[Line]:
        found: list[Line] = []
        last, turn = self._last, self._turn
        for given in node.lines:
            text = given.text.strip()
            if not text:
                continue
            font, bbox = given.font, given.bbox
            x, y = bbox.x, bbox.y
            box = Box(x, y, x + bbox.w, y + bbox.h)
            if given.wmode and last is not None and last.goes_down_to(box):
                last.extend(text, box)
                if turn:
                    last.x0, last.y0, last.x1, last.y1 = turn.box(last.box)
                else:
                    last.x0, last.y0, last.x1, last.y1 = last.box
                continue
            # Some producers draw bold by drawing twice.
            if (
                last is not None
                and last.text == text
                and abs(last.box[0] - x) < UNIT
                and abs(last.box[1] - y) < UNIT
            ):
                continue
            mono = self._mono.get(font.name)
            if mono is None:
                mono = font.family == "monospace" or bool(_MONOSPACED.search(font.name))
                self._mono[font.name] = mono
            last = Line(text, box, given.y, font.size, bold=font.weight == "bold", mono=mono)
            if given.wmode:
                last.vertical = True
            if turn:
                last.x0, last.y0, last.x1, last.y1 = turn.box(box)
                last.base = turn.point(given.x, given.y)[1]
            found.append(last)
        self._last = last
        return found

    def _table(self, table: StructureOf) -> TableBlock | None:
        """The grid, or None when it is no table worth the name (one column, one row)."""
        grid = next((node for node in table.contents if isinstance(node, GridOf)), None)
        if grid is None or grid.w < 2 or grid.h < 2:
            return None
        edges = [round(x * UNIT) for x in grid.xpos]
        rows: list[list[list[Line]]] = []
        images, last = self._images, self._last
        for row in table.contents:
            if not isinstance(row, StructureOf) or row.std != "TR":
                continue
            cells: list[list[Line]] = [[] for _ in range(grid.w)]
            for line in self._cell_lines(row.contents):
                middle = (line.box.x0 + line.box.x1) // 2
                column = min(max(bisect_right(edges, middle) - 1, 0), grid.w - 1)
                cells[column].append(line)
            if any(cells):
                rows.append(cells)
        used = [column for column in range(grid.w) if any(row[column] for row in rows)]
        if len(rows) < 2 or len(used) < 2 or self._images != images:
            self._images, self._last = images, last
            return None
        kept = [[row[column] for column in used] for row in rows]
        if not _is_table(kept):
            self.doubtful_tables = True
            return None
        return TableBlock(bounds([line for row in kept for cell in row for line in cell]), kept)

    def _cell_lines(self, nodes: Iterable[Node]) -> list[Line]:
        found: list[Line] = []
        for node in nodes:
            if isinstance(node, TextOf):
                found += self._lines(node)
            elif isinstance(node, ImageOf):
                self._images += 1
            elif isinstance(node, StructureOf):
                found += self._cell_lines(node.contents)
        return found


def _is_table(rows: list[list[list[Line]]]) -> bool:
    """Whether a grid found by MuPDF is a table, not columns of text that happen to line up.

    Text set in columns gives cells of many lines, or bullets in a column of their own beside them.
    """
    cells = [cell for row in rows for cell in row]
    full = [cell for cell in cells if cell]
    if len(full) < 0.4 * len(cells):
        return False
    if sum(len(cell) > 3 for cell in full) > 0.2 * len(full):
        return False
    marks = sum(_MARK.fullmatch(line.text) is not None for cell in full for line in cell)
    return marks <= 0.25 * len(full)


def bounds(lines: list[Line]) -> Box:
    """The smallest box, as displayed, around some lines."""
    if len(lines) == 1:
        line = lines[0]
        return Box(line.x0, line.y0, line.x1, line.y1)
    return Box(
        min(line.x0 for line in lines),
        min(line.y0 for line in lines),
        max(line.x1 for line in lines),
        max(line.y1 for line in lines),
    )


def _box(bbox: BoxOf) -> Box:
    return Box(bbox.x, bbox.y, bbox.x + bbox.w, bbox.y + bbox.h)
