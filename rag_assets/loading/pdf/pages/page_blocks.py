"""The blocks of a page's structured text: paragraphs, tables that are ruled, images.

Coordinates are integers, hundredths of a PDF point.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.blocks import (
    TOUCHING,
    ImageBlock,
    Line,
    PageContent,
    TableBlock,
    TextBlock,
    bounds,
)
from rag_assets.loading.pdf.extraction.stext import (
    UNIT,
    Box,
    BoxOf,
    FontOf,
    GridOf,
    ImageOf,
    LineOf,
    Node,
    StructureOf,
    TextOf,
    VectorOf,
    shapes_of,
)
from rag_assets.loading.pdf.pages.backgrounds import STAMPED, boxes, may_hold_box
from rag_assets.loading.pdf.pages.pages_before import PagesBefore
from rag_assets.loading.pdf.pages.pieces import (
    Gap,
    goes_on,
    may_be_underscore,
)
from rag_assets.loading.pdf.pages.scans import is_glyphless
from rag_assets.loading.pdf.tables.boxedcode import is_boxed_code
from rag_assets.loading.pdf.tables.figurerows import in_rows
from rag_assets.loading.pdf.tables.grid import (
    begins_or_ends_unparted,
    boxes_of_row,
    by_rulings,
    edges_of,
    filled,
    fills,
    in_one_row,
    is_drawing,
    row_going_on,
)
from rag_assets.loading.pdf.tables.judged import is_table

#: The names of monospaced fonts. "Monotype", "Unicode", "Encode" and "Barcode" are none of them.
#: Those of TeX's fonts are short; a V is in the names of the ones that only look typewritten.
_MONOSPACED = re.compile(
    r"mono(?!type)|monaco|nimbusmon|courier|consol|typewriter|menlo|inconsolata|letter ?gothic"
    r"|(?<!uni)(?<!en)(?<!bar)code|cmtt|(?<![a-z])(?:(?:cm|cs|ec|la|sf|vn)(?:i|sl)?tt\d"
    r"|(?:ec|sf)(?:it|st|tc)\d|(?:newt|t[1c]?)xb?tt(?![a-z]))",
    re.I,
)
#: What the rest of a line of code begins with where it was broken, in a font of signs.
_BROKEN_CODE = frozenset("↪↳⤷˓")
#: How the names of bold fonts end whose file does not say that they are.
_BOLD = ".B"
#: A character of the scripts that are written downwards too, and how many make a column.
_DOWNWARDS = re.compile("[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_COLUMN = 4
#: What ticked boxes are drawn with, in a font that has signs in the place of letters.
_DINGBATS = dict(zip("345678lnuH", "✓✔✕✖✗✘●■◆★", strict=True))
#: What ends so near to the page's edge ends there.
_EDGE = UNIT


class Turn(NamedTuple):
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


class PageReader:
    """Fills a :class:`PageContent`, and notes what is looked at later.

    Attributes:
        tables: how many were read so far.
        images: how many were drawn so far, in tables too.
        shapes: how many others were, outside of tables.
        run: the most of those that were drawn before one text.
        underscores: gaps of lines that a rule may fill.
        beside: lines that were drawn right before a single shape or right after it, and the first
            of the page, which all backgrounds may be drawn before.
        crossed: lines beside a few shapes, which may strike them out.
        crossing: those shapes.
        doubtful_tables: whether a grid was no table.
        frames: the cells of single rows that were taken for a grid, and are no tables.
        is_framed: whether a grid was the frame of a slide.
        is_boxed: whether a grid may be a box around text.
        has_large: whether type is as large as of what is stamped across a page.
    """

    def __init__(self, content: PageContent, turn: Turn | None, before: PagesBefore) -> None:
        self._content = content
        self._turn = turn
        self._before = before
        self._width, self._height = turn[1:] if turn else (content.width, content.height)
        self.tables = 0
        self.images = 0
        self.shapes = 0
        self.run = 0
        self.underscores: list[Gap] = []
        self.beside: list[Line] = []
        self.crossed: list[Line] = []
        self.crossing: list[VectorOf] = []
        self._last: Line | None = None
        self._drawn: list[Box] | None = None
        self.doubtful_tables = False
        self.frames: list[Box] = []
        self.is_framed = False
        self.is_boxed = False
        self.has_large = False

    def read(self, nodes: Iterable[Node]) -> None:
        add = self._content.blocks.append
        block: TextBlock | None = None
        before: list[Line] = []
        drawn: list[VectorOf] = []
        for node in nodes:
            if isinstance(node, TextOf):
                lines = self._lines(node.lines)
                if not lines:
                    continue
                if drawn:
                    self._note(drawn, before, lines[0])
                # Asked of every block, and so first without a call.
                if (
                    block is not None
                    and (drawn or 3 * abs(lines[0].base - block.lines[-1].base) < lines[0].size)
                    and goes_on(block, lines, is_cut=bool(drawn))
                ):
                    gap = Gap(block.lines[-1], lines[0])
                    if len(drawn) == 1 and may_be_underscore(gap):
                        self.underscores.append(gap)
                    block.lines += lines
                    block.box = bounds(block.lines)
                else:
                    block = TextBlock(bounds(lines), lines)
                    add(block)
                before = lines
                drawn = []
                continue
            if isinstance(node, VectorOf):
                drawn.append(node)
                self.shapes += 1
                continue
            block = None
            if isinstance(node, ImageOf):
                raw = _box(node.bbox)
                image = ImageBlock(self._turn.box(raw) if self._turn else raw, raw, self.images)
                add(image)
                self._content.images.append(image)
                self.images += 1
            elif isinstance(node, StructureOf):
                table = self._table(node) if node.std == "Table" else None
                if table is None:
                    self.read(_contents(node))
                else:
                    add(table)
        self._note_last(drawn, before)

    def _note(self, shapes: list[VectorOf], before: list[Line], line: Line) -> None:
        """Note the shapes right before a line, and behind those ``before`` them."""
        drawn = len(shapes)
        self.run = max(self.run, drawn)
        if drawn == 1 or not before:
            self.beside += [*before[-1:], line]
        in_row = before and 3 * abs(line.base - before[-1].base) < line.size
        if drawn <= len(before) or drawn == 1 or in_row:
            self.crossed += [*before, line]
            self.crossing += shapes

    def _note_last(self, shapes: list[VectorOf], before: list[Line]) -> None:
        """Note shapes that end a page: one for each line; more are a drawing."""
        if 0 < len(shapes) <= len(before):
            self.crossed += before
            self.crossing += shapes
        if len(shapes) == 1:
            self.beside += before[-1:]

    def drawn(self, text_page: Any, nodes: Sequence[Node]) -> list[Box]:
        """What is drawn outside of tables."""
        if self._drawn is None:
            self._drawn = shapes_of(text_page, nodes)
        return self._drawn

    def drawn_across(self, text_page: Any, nodes: Sequence[Node]) -> list[Box]:
        """Of what is drawn outside of tables, what may cross lines; all of it when it is known."""
        if self._drawn is not None:
            return self._drawn
        # Those within a grid that is no table have no place of their own on the page.
        wanted = set(map(id, self.crossing))
        return shapes_of(
            text_page, nodes, [n for n, node in enumerate(nodes) if id(node) in wanted]
        )

    @property
    def knows_drawn(self) -> bool:
        return self._drawn is not None

    def holds_box(self, text_page: Any, nodes: Sequence[Node]) -> bool:
        """Whether a grid may be, or a page without any holds, a box around a table and more."""
        if self.tables:
            return self.is_boxed
        return may_hold_box(self._content, self.shapes, self.run) and any(
            boxes(self.drawn(text_page, nodes), self._width)
        )

    def _lines(self, given: Sequence[LineOf]) -> list[Line]:
        # Called for every line of a document, and so written for speed.
        found: list[Line] = []
        last, turn, known = self._last, self._turn, self._before
        is_mono, bold, glyphless = known.mono, known.bold, known.glyphless
        extracted = self._content.extracted
        width, height = self._width, self._height
        in_column = len(given) >= _COLUMN and len(given[1].text) == 1 and _is_column(given)
        for each in given:
            raw = each.text
            text = raw.strip()
            if not text:
                extracted.append(None)
                continue
            font, bbox = each.font, each.bbox
            x0, y0, size = bbox.x, bbox.y, font.size
            x1, y1 = x0 + bbox.w, y0 + bbox.h
            mono = is_mono.get(font.name)
            if mono is None:
                mono = self._meets(font)
            if glyphless and font.name in glyphless:
                size = min(bbox.w, bbox.h)  # whichever way it runs
            self.has_large |= size >= STAMPED * UNIT
            if mono and raw[0] == " " and not turn:
                # The blanks of an indentation are no text.
                x0 += round((len(raw) - len(raw.lstrip())) * known.pitch(font, raw, bbox.w))
            mono = mono or text[0] in _BROKEN_CODE
            if len(text) == 1 and font.name == "ZapfDingbats":
                text = _DINGBATS.get(text, text)
            box = Box(x0, y0, x1, y1)
            if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
                box = _clipped(box, width, height)
            vertical = in_column or each.wmode == 1
            glued = False
            if last is not None:
                before = last.box
                if vertical and last.goes_down_to(box):
                    last.extend(text, box)
                    last.stand_at(turn.box(last.box) if turn else last.box)
                    extracted.append(None)
                    continue
                # Some producers draw bold by drawing twice.
                if (
                    last.text == text
                    and abs(before.x0 - box.x0) < UNIT
                    and abs(before.y0 - box.y0) < UNIT
                ):
                    extracted.append(None)
                    continue
                if -size <= TOUCHING * (before.x1 - x0) <= size:
                    same_row = abs(before.y0 - y0) * 3 < size
                    glued = same_row and not (last.raw[-1].isspace() or raw[0].isspace())
            last = Line(
                text, box, x0, y0, x1, y1, each.y, size,
                font.weight == "bold" or font.name in bold, mono, vertical, glued, raw, font.name,
            )  # fmt: skip
            if turn:
                last.stand_at(turn.box(box))
                last.base = turn.point(each.x, each.y)[1]
            found.append(last)
            extracted.append(last)
        self._last = last
        return found

    def _meets(self, font: FontOf) -> bool:
        """Note what is known of a font by its name, and tell whether it is monospaced."""
        name, before = font.name, self._before
        if name.endswith(_BOLD):
            before.bold.add(name)
        if is_glyphless(name):
            before.glyphless.add(name)
            mono = False
        else:
            mono = font.family == "monospace" or bool(_MONOSPACED.search(name))
        before.mono[name] = mono
        return mono

    def _table(self, table: StructureOf) -> TableBlock | TextBlock | None:
        """The grid, or None when it is no table worth the name (one column, one row); text when
        its rulings are only a frame."""
        grid = next((node for node in table.contents if isinstance(node, GridOf)), None)
        if grid is None or grid.w < 2 or grid.h < 2:
            return None
        if self._is_frame(grid):
            self.is_framed = True
            return None
        inner_edges = [round(x * UNIT) for x in grid.xpos[1 : grid.w]]
        rows: list[list[list[Line]]] = []
        images, last, extracted = self.images, self._last, len(self._content.extracted)
        given = [
            self._within(row)
            for row in table.contents
            if isinstance(row, StructureOf) and row.std == "TR"
        ]
        edges = self._before.edges
        may_go_on = edges and sum(map(bool, given)) == 1
        if self.images != images or not (may_go_on or fills(given, inner_edges)):
            self.images = images
            return None
        for texts in given:
            cells: list[list[Line]] = [[] for _ in range(grid.w)]
            for line in self._lines(texts):
                middle = (line.box.x0 + line.box.x1) // 2
                cells[bisect_right(inner_edges, middle)].append(line)
            rows.append(cells)
        found = filled(rows)
        if len(found) < 2 or len(found[0]) < 2:
            if may_go_on and found and (row := row_going_on(grid, rows, edges)):
                self.tables += 1
                return TableBlock(bounds([line for cell in row for line in cell]), [row], edges)
            self._last = last
            del self._content.extracted[extracted:]
            return None
        merged, ruled = by_rulings(grid, rows)
        if not merged:
            self.frames += boxes_of_row(grid)
            self.doubtful_tables = True
            return None
        if merged is not rows:
            found = filled(merged)
        elif row := in_one_row(grid, rows):
            # A label and what it is about: a warning, mostly.
            self.frames += boxes_of_row(grid)
            lines = [line for cell in row for line in cell]
            return TextBlock(bounds(lines), lines)
        found = in_rows(found)
        lines = [line for row in found for cell in row for line in cell]
        if len(found[0]) < 2:
            return TextBlock(bounds(lines), lines)
        if (
            len(found) < 2
            or not is_table(found, ruled=ruled)
            or is_drawing(grid, len(found[0]))
            or (not ruled and is_boxed_code(found))
        ):
            self.frames += boxes_of_row(grid)
            self.doubtful_tables = True
            return None
        self.is_boxed = self.is_boxed or begins_or_ends_unparted(grid)
        self.tables += 1
        return TableBlock(bounds(lines), found, edges_of(grid, found) if ruled else ())

    def _is_frame(self, grid: GridOf) -> bool:
        """Whether a grid ends at all four edges of the page: what is drawn around its text."""
        left, right, top, low = grid.xpos[0], grid.xpos[grid.w], grid.ypos[0], grid.ypos[grid.h]
        return (
            max(left, top) * UNIT < _EDGE
            and right * UNIT > self._width - _EDGE
            and low * UNIT > self._height - _EDGE
        )

    def _within(self, structure: StructureOf) -> list[LineOf]:
        """The lines of a row of a table, from all its cells."""
        found: list[LineOf] = []
        for node in structure.contents:
            if isinstance(node, StructureOf):
                if node.contents:
                    found += self._within(node)
            elif isinstance(node, TextOf):
                found += node.lines
            elif isinstance(node, ImageOf):
                self.images += 1
        return found


def _contents(structure: StructureOf) -> list[Node]:
    """What stands in a grid that is no table, one after the other."""
    found: list[Node] = []
    for node in structure.contents:
        if not isinstance(node, StructureOf) or node.std == "Table":
            found.append(node)
        elif node.contents:
            found += _contents(node)
    return found


def _is_column(lines: Sequence[LineOf]) -> bool:
    """Whether a block is a column of vertical writing that was set character by character."""
    x, size = lines[0].bbox.x, lines[0].font.size
    return all(
        _DOWNWARDS.fullmatch(line.text) and abs(line.bbox.x - x) < size // 4 for line in lines
    ) and all(size // 2 < line.bbox.y - above.bbox.y < 2 * size for above, line in pairwise(lines))


def _clipped(box: Box, width: int, height: int) -> Box:
    """What of a box lies on a page: a row may have been cut off in its middle."""
    return Box(
        min(max(box.x0, 0), width),
        min(max(box.y0, 0), height),
        min(max(box.x1, 0), width),
        min(max(box.y1, 0), height),
    )


def _box(bbox: BoxOf) -> Box:
    return Box(bbox.x, bbox.y, bbox.x + bbox.w, bbox.y + bbox.h)
