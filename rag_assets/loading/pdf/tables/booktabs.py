"""Tables with rules above, below the head and at the end, and no others: no cell is ruled. Where
one goes on on the next page the last may be missing.

Three rules of one width and from one x, words in columns below the first and more of them below the
second, are the evidence that columns of figures are elsewhere (``aligned``): two columns of words
are a table then. A row is what stands on one baseline; what was wrapped in a cell goes on below it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag_assets.loading.pdf.columns.cells import Cell
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock
from rag_assets.loading.pdf.extraction.stext import UNIT, Box, Node, TextOf, VectorOf
from rag_assets.loading.pdf.tables.arranged import arranged, rows_of_cells, with_row_below
from rag_assets.loading.pdf.tables.rules import (
    MIN_RULES,
    bands_between,
    filled_from_top,
    groups_of,
    joined,
)
from rag_assets.loading.pdf.tables.rulesbelow import with_head

_MIN_RULES = 3
#: A table that goes on on the next page, and so has two rules, has so many columns; a footer is so
#: many font sizes below it at least.
_MIN_OPEN = 3
_FOOTER = 2.5
#: Pages on which more is drawn hold drawings, or tables with a rule below each cell: of their cells
#: so many for each shape stand beside another. Those on which little is drawn are quickly read.
_MAX_SHAPES = 40
_MAX_CELL_RULES = 400
_CELLS = 0.5
_FEW_SHAPES = 6
#: A table has so many lines on the baselines of others at least.
_BESIDE = 3
#: How high a rule is at most; what is higher and at most so wide, beside the table, is drawn in it:
#: it is ruled upwards too, or a figure.
_RULE_HEIGHT = 3 * UNIT
_DRAWN_HEIGHT = 12 * UNIT
_DRAWN_WIDTH = 0.5
#: In font sizes: how far text may stand out of the rules.
_OUTSIDE = 1.0
#: Rows of a head, and its baselines, those of what is raised among them, at most: more are text
#: between rules.
_MAX_HEAD = 4
_MAX_BASELINES = 7
#: A head above the first rule is at most so much higher than the row below it.
_HEAD_HEIGHT = 1.5


def may_hold_booktabs(nodes: Sequence[Node], lines: Sequence[Line], shapes: int, run: int) -> bool:
    """Whether little but rules may be drawn on a page, or what is parts two runs of text next to
    each other in which lines stand beside others, and the first is as short as a head: many
    programs draw rules with the rows they part, others all rules of a page or table before its
    text. Asked first, for it is quickly told.

    Args:
        nodes: the blocks of a page in the order of its content stream.
        lines: its text.
        shapes: how many of the blocks are drawn; ``run``: how many before the same text.
    """
    if shapes < MIN_RULES:
        return False
    if shapes > _MAX_SHAPES:
        if shapes > _MAX_CELL_RULES or len(lines) < _CELLS * shapes or run < _MIN_RULES:
            return False
        return len(lines) - len({line.base for line in lines}) >= _CELLS * shapes
    if _MIN_RULES <= shapes <= _FEW_SHAPES:
        return True
    if run >= _MIN_RULES or shapes < _MIN_RULES:
        return len(lines) - len({line.base for line in lines}) >= _BESIDE
    text: list[int] = []
    follows_head = is_cut = False
    for node in nodes:
        if isinstance(node, TextOf):
            if is_cut:
                text += [line.y for line in node.lines]
        elif isinstance(node, VectorOf):
            if text:
                rows = len(set(text))
                if rows < len(text) and follows_head:
                    return True
                follows_head, text = rows < len(text) and rows <= _MAX_BASELINES, []
            is_cut = True
    return False


def booktabs(lines: list[Line], shapes: list[Box]) -> dict[int, TableBlock]:
    """``id`` of a line -> the table between rules it stands in.

    Args:
        lines: the text of a page outside of other tables.
        shapes: what is drawn on the page.
    """
    rules = [
        Box(box.x0, middle, box.x1, middle)
        for box in shapes
        if box.y1 - box.y0 <= _RULE_HEIGHT
        for middle in [(box.y0 + box.y1) // 2]
    ]
    found: dict[int, TableBlock] = {}
    high: list[Box] | None = None
    for left, right, drawn_at in groups_of(rules) if len(rules) >= MIN_RULES else ():
        if high is None:
            # The cells of a row that are filled, in one.
            high = joined([box for box in shapes if box.y1 - box.y0 > _DRAWN_HEIGHT])
        within = [line for line in lines if line.x0 < right and line.x1 > left]
        ys = drawn_at if len(drawn_at) > 2 else [*drawn_at, *_end_below(within, drawn_at[-1])]
        drawn = [
            (box.y0, box.y1)
            for box in high
            if box.x1 - box.x0 < _DRAWN_WIDTH * (right - left) and box.x0 < right and box.x1 > left
        ]
        bands = bands_between(within, ys)
        at = 0
        while at + 2 < len(ys):
            top, filled = ys[at], filled_from_top(bands[at:])
            highest = top - _HEAD_HEIGHT * (ys[at + 1] - top)
            above = [
                line for line in within if highest <= line.base < top and id(line) not in found
            ]
            table, taken = _ruled_below(above, filled, left, right)
            if table is not None:
                # What stands below may end with the head of another one.
                behind = taken + 1
                if at + behind == len(drawn_at):
                    below = [line for line in within if line.base > ys[-1]]
                    table = with_row_below(table, rows_of_cells(below) if below else [], ys)
            else:
                table, taken = _table(filled, left, right)
                behind = taken
                if table is not None and above and 2 < taken == len(table.rows):
                    table = with_head(table, rows_of_cells(above)[-1])
            if table is None:
                at += 1
                continue
            end = ys[at + taken]
            if not any(y0 < end and y1 > top for y0, y1 in drawn):
                found |= {id(line): table for row in table.rows for cell in row for line in cell}
            at += behind
    return found


def _end_below(lines: list[Line], head: int) -> list[int]:
    """Where a table ends that goes on on the next page: below the last of the rows of columns below
    the rule of its ``head``, if nothing but a footer far below follows them. Empty otherwise."""
    below = [line for line in lines if line.base > head]
    last: Line | None = None
    for row in rows_of_cells(below) if below else ():
        first = row[0][0]
        if last and first.base - last.base > _FOOTER * last.size:
            break
        if len(row) < _MIN_OPEN:
            return []
        last = first
    return [last.base + last.size] if last else []


def _table(bands: list[list[Line]], left: int, right: int) -> tuple[TableBlock | None, int]:
    """The table that begins with the first band, and how many bands it takes."""
    if len(bands) < 2:
        return None, 0
    head = rows_of_cells(bands[0])
    if len(head) > _MAX_HEAD or len(head[-1]) < 2:
        return None, 0
    body = _bodies(bands[1:], left, right)
    while body:
        table = None if _stands_out(bands[0], left, right) else arranged(head, body)
        if table is not None:
            return table, len(body) + 1
        body.pop()
    return None, 0


def _ruled_below(
    above: list[Line], bands: list[list[Line]], left: int, right: int
) -> tuple[TableBlock | None, int]:
    """The table with a rule below each row whose head stands above the first of some bands, and how
    many of them it takes: each is a row."""
    # Asked at each rule: most have no rows of several cells below.
    may_be = above and len(bands) > 1 and min(len(bands[0]), len(bands[1])) > 1
    head = rows_of_cells(above)[-1] if may_be else []
    # Places to sign have their names above what is filled in.
    if len(head) < 2 or any(cell[-1].text.endswith((":", "：")) for cell in head):
        return None, 0
    body = _bodies(bands, left, right)
    while len(body) > 1:
        table = arranged([head], body)
        if table is not None and len(table.rows) == len(body) + 1:
            return table, len(body)
        body.pop()
    return None, 0


def _bodies(bands: list[list[Line]], left: int, right: int) -> list[list[list[Cell]]]:
    """The rows in some bands, as far as they may be those of a body."""
    body: list[list[list[Cell]]] = []
    for band in bands:
        rows = rows_of_cells(band)
        # Text between two tables, or below one that a rule of its width follows.
        if all(len(row) < 2 for row in rows) or _stands_out(band, left, right):
            break
        body.append(rows)
    return body


def _stands_out(lines: list[Line], left: int, right: int) -> bool:
    return any(
        line.x0 < left - _OUTSIDE * line.size or line.x1 > right + _OUTSIDE * line.size
        for line in lines
    )
