"""The blocks of a page's structured text: paragraphs, tables that are ruled, images.

Coordinates are integers, hundredths of a PDF point.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from rag_assets.loading.pdf.extraction.blocks import (
    ImageBlock,
    Line,
    PageContent,
    TableBlock,
    TextBlock,
    bounds,
    on_one_baseline,
)
from rag_assets.loading.pdf.extraction.stext import (
    UNIT,
    Box,
    BoxOf,
    GridOf,
    ImageOf,
    LineOf,
    Node,
    StructureOf,
    TextOf,
    VectorOf,
    shapes_of,
)
from rag_assets.loading.pdf.pages.backgrounds import boxes, may_hold_box
from rag_assets.loading.pdf.pages.page_lines import LineReader
from rag_assets.loading.pdf.pages.pages_before import PagesBefore
from rag_assets.loading.pdf.pages.pieces import Gap, goes_on, may_be_underscore
from rag_assets.loading.pdf.pages.turn import Turn
from rag_assets.loading.pdf.tables.boxedcode import is_boxed_code
from rag_assets.loading.pdf.tables.drawn_cells import Cells
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

#: What ends so near to the page's edge ends there.
_EDGE = UNIT


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
    """

    def __init__(self, content: PageContent, turn: Turn | None, before: PagesBefore) -> None:
        self._content = content
        self._turn = turn
        self._before = before
        self._lines = LineReader(content, turn, before)
        self._width, self._height = turn[1:] if turn else (content.width, content.height)
        self.tables = 0
        self.images = 0
        self.shapes = 0
        self.run = 0
        self.underscores: list[Gap] = []
        self.beside: list[Line] = []
        self.crossed: list[Line] = []
        self.crossing: list[VectorOf] = []
        self._drawn: list[Box] | None = None
        self.doubtful_tables = False
        self.frames: list[Box] = []
        self.is_framed = False
        self.is_boxed = False

    def read(self, nodes: Iterable[Node]) -> None:
        add = self._content.blocks.append
        block: TextBlock | None = None
        before: list[Line] = []
        drawn: list[VectorOf] = []
        for node in nodes:
            if isinstance(node, TextOf):
                lines = self._lines.read(node.lines)
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
        in_row = before and on_one_baseline(line, before[-1])
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
    def has_large(self) -> bool:
        """Whether type is as large as of what is stamped across a page."""
        return self._lines.has_large

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
        rows: list[Cells] = []
        images, mark = self.images, self._lines.mark()
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
            cells: Cells = [[] for _ in range(grid.w)]
            for line in self._lines.read(texts):
                middle = (line.box.x0 + line.box.x1) // 2
                cells[bisect_right(inner_edges, middle)].append(line)
            rows.append(cells)
        found = filled(rows)
        if len(found) < 2 or len(found[0]) < 2:
            if may_go_on and found and (row := row_going_on(grid, rows, edges)):
                self.tables += 1
                return TableBlock(bounds([line for cell in row for line in cell]), [row], edges)
            self._lines.unread(mark)
            return None
        return self._arranged(grid, rows, found)

    def _arranged(
        self, grid: GridOf, rows: list[Cells], found: list[Cells]
    ) -> TableBlock | TextBlock | None:
        """What the rulings of a grid make of its rows, as :meth:`_table` gives it.

        Args:
            found: of ``rows`` those, and those columns, in which something stands.
        """
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


def _box(bbox: BoxOf) -> Box:
    return Box(bbox.x, bbox.y, bbox.x + bbox.w, bbox.y + bbox.h)
