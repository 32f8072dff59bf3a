"""Tables with rules above, below the head and at the end, and no others: no cell is ruled. Where
one goes on on the next page the last may be missing.

Three rules of one width and from one x, words in columns below the first and more of them below the
second, are the evidence that columns of figures are elsewhere (``aligned``): two columns of words
are a table then. A row is what stands on one baseline; what was wrapped in a cell goes on below it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.cells import Cell, Span, cells_of
from rag_assets.loading.pdf.columns.figures import is_figure, is_year
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds
from rag_assets.loading.pdf.extraction.stext import UNIT, Box, Node, TextOf, VectorOf
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
#: In font sizes: the gap between two cells, the step to what was wrapped, how far what is raised or
#: lowered stands from its baseline, and how far text may stand out of the rules.
_GAP = 0.7
_WRAPPED = 1.6
_RAISED = 0.7
_OUTSIDE = 1.0
#: Rows are further apart, and middles that line up no further.
_NEARER = 0.9
_MIDDLE = 0.35
#: Blanks are narrower, and edges that line up so near each other, in font sizes too.
_BLANK = 0.4
_EDGE = 0.5
#: Letters that make a line of a cell prose, which may be wrapped.
_PROSE = 6
#: What is raised or lowered is at most this share of the size of the text.
_SMALL = 0.85
#: Rows of a head, and its baselines, those of what is raised among them, at most: more are text
#: between rules.
_MAX_HEAD = 4
_MAX_BASELINES = 7
#: A head above the first rule is at most so much higher than the row below it.
_HEAD_HEIGHT = 1.5
#: Share of the rows that may be one cell across columns, or two in one of them; and of the cells
#: of a second column that stand below each other.
_ACROSS = 0.2
_ALIGNED = 0.7


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
                    table = _with_row_below(table, _rows(below) if below else [], ys)
            else:
                table, taken = _table(filled, left, right)
                behind = taken
                if table is not None and above and 2 < taken == len(table.rows):
                    table = with_head(table, _rows(above)[-1])
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
    for row in _rows(below) if below else ():
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
    head = _rows(bands[0])
    if len(head) > _MAX_HEAD or len(head[-1]) < 2:
        return None, 0
    body = _bodies(bands[1:], left, right)
    while body:
        table = None if _stands_out(bands[0], left, right) else _arranged(head, body)
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
    head = _rows(above)[-1] if may_be else []
    # Places to sign have their names above what is filled in.
    if len(head) < 2 or any(cell[-1].text.endswith((":", "：")) for cell in head):
        return None, 0
    body = _bodies(bands, left, right)
    while len(body) > 1:
        table = _arranged([head], body)
        if table is not None and len(table.rows) == len(body) + 1:
            return table, len(body)
        body.pop()
    return None, 0


def _with_row_below(table: TableBlock, rows: list[list[Cell]], ys: Sequence[int]) -> TableBlock:
    """A table with the row below its last rule, where rules part its rows and none ends them: it
    stands as far below that rule as the row above it below its own, and in the same columns."""
    spans = _spans([[cell for cell in row if cell] for row in table.rows])
    last = min([cell[0].base for cell in table.rows[-1] if cell])
    if not rows or not _parts(rows[0], spans) or len(spans) != len(table.rows[0]):
        return table
    first = rows[0][0][0]
    apart = abs(first.base - ys[-1] - (last - ys[-2]))
    if apart > _MIDDLE * first.size or not _stand_in(rows[0], spans):
        return table
    row = _placed(rows[0], spans)
    if not row[0] or 2 * sum(map(bool, row)) <= len(row):
        return table
    spans = _spans([*([cell for cell in each if cell] for each in table.rows), rows[0]])
    for below in rows[1:]:
        more = _placed(below, spans)
        # What is wrapped is no wider than what it goes on from; text that follows may be.
        wide = any(
            c and c[-1].x1 > right + c[0].size for c, (_, right) in zip(more, spans, strict=True)
        )
        if wide or not _goes_on(row, more, spans):
            break
        row = [a + b for a, b in zip(row, more, strict=True)]
    found = [*table.rows, row]
    return TableBlock(bounds([line for each in found for cell in each for line in cell]), found)


def _stand_in(row: list[Cell], spans: list[Span]) -> bool:
    """Whether each cell of a row stands in the column it begins in, and in no other."""
    return all(_width(cell, spans) == 1 for cell in row)


def _bodies(bands: list[list[Line]], left: int, right: int) -> list[list[list[Cell]]]:
    """The rows in some bands, as far as they may be those of a body."""
    body: list[list[list[Cell]]] = []
    for band in bands:
        rows = _rows(band)
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


def _rows(lines: list[Line]) -> list[list[Cell]]:
    """The cells on each baseline, from top to bottom and from left to right."""
    counted = Counter([line.size for line in lines])
    usual = max(counted, key=counted.__getitem__)
    rows: list[list[Line]] = []
    small: list[Line] = []
    for line in sorted(lines, key=lambda line: line.base):
        if line.size < _SMALL * usual:
            small.append(line)
        elif rows and 3 * (line.base - rows[-1][0].base) < usual:
            rows[-1].append(line)
        else:
            rows.append([line])
    for line in small:
        row = min(rows, key=lambda row: abs(row[0].base - line.base))
        if abs(row[0].base - line.base) <= _RAISED * usual:
            row.append(line)
        else:
            rows.append([line])
    rows.sort(key=lambda row: row[0].base)
    return [cells_of(sorted(row, key=lambda line: line.x0), _GAP) for row in rows]


def _arranged(head: list[list[Cell]], body: list[list[list[Cell]]]) -> TableBlock | None:
    """The table of some rows between rules, or None."""
    wide = [row for rows in body for row in rows if len(row) > 1]
    spans = _spans([head[-1], *wide])
    if len(spans) < 2 or not _parts(head[-1], spans):
        return None
    # A formula may have wide gaps, and a wide cell reach into the next column.
    if sum(not _parts(row, spans) for row in wide) > _ACROSS * len(wide):
        return None
    if len({_at(spans, cell) for row in head for cell in row}) < len(spans) - 1:
        return None
    found = [row for band in body for row in _band([_placed(row, spans) for row in band], spans)]
    # Entries with rules around their heads are no rows: their text has no such columns.
    above = body[: max(len(body) - 1, 1)]
    held = {_at(spans, cell) for band in above for row in band for cell in row}
    if len(held) < min(len(spans), 3) or (
        len(spans) == 2 and not _line_up_below([row[1] for row in found if row[1]])
    ):
        return None
    across = sum(_width(row[0], spans) > 1 for band in body for row in band if len(row) == 1)
    if across > _ACROSS * len(found):
        return None
    full = sum(sum(map(bool, row)) > 1 for row in found)
    if 2 * full < len(found) or full + len(spans) < 4:
        return None
    rows = [*_head(head, spans), *found]
    return TableBlock(bounds([line for row in rows for cell in row for line in cell]), rows)


def _band(rows: list[list[Cell]], spans: list[Span]) -> list[list[Cell]]:
    """The rows of a table between two rules, from what stands on each baseline."""
    named = [row for row in rows if row[0]]
    if len(named) == 1 and named[0] is not rows[0] and sum(map(bool, named[0])) > 1:
        columns = list(zip(*rows, strict=True))
        if any(any(column) > bool(cell) for column, cell in zip(columns, named[0], strict=True)):
            # Cells of one row, each set in the middle of its height.
            return [[[line for cell in column for line in cell] for column in columns]]
    if _is_one(rows):
        return [[[line for cell in column for line in cell] for column in zip(*rows, strict=True)]]
    found = rows[:1]
    for row in rows[1:]:
        if _goes_on(found[-1], row, spans):
            found[-1] = [above + below for above, below in zip(found[-1], row, strict=True)]
        else:
            found.append(row)
    return found


def _is_one(rows: list[list[Cell]]) -> bool:
    """Whether what stands on some baselines is one row, each cell in the middle of its height. The
    name of a group of rows stands so too, alone beside them."""
    if not _middles_line_up(rows):
        return False
    lengths = [sum(map(len, column)) for column in zip(*rows, strict=True)]
    return lengths[0] > 1 or len(set(filter(None, lengths[1:]))) > 1


def _middles_line_up(rows: list[list[Cell]]) -> bool:
    """Whether baselines are nearer to each other than rows can be, for all cells are set in the
    middle of one height."""
    bases = [next(cell[0].base for cell in row if cell) for row in rows]
    size = next(cell[0].size for cell in rows[0] if cell)
    if all(below - above >= _NEARER * size for above, below in pairwise(bases)):
        return False
    columns = [
        [line.base for cell in column for line in cell] for column in zip(*rows, strict=True)
    ]
    middles = [sum(column) / len(column) for column in columns if column]
    return bool(max(middles) - min(middles) <= _MIDDLE * size)


def _spans(rows: Sequence[list[Cell]]) -> list[Span]:
    """The columns some rows stand in: what is as wide as their cells, together."""
    spans: list[Span] = []
    for x0, x1 in sorted([(cell[0].x0, cell[-1].x1) for row in rows for cell in row]):
        if spans and x0 < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(x1, spans[-1][1]))
        else:
            spans.append((x0, x1))
    return spans


def _parts(row: list[Cell], spans: list[Span]) -> bool:
    """Whether the cells of a row stand in columns of their own."""
    return len({_at(spans, cell) for cell in row}) == len(row)


def _at(spans: list[Span], cell: Cell) -> int:
    """The column a cell begins in."""
    return max(bisect_right(spans, cell[0].x0, key=lambda span: span[0]) - 1, 0)


def _width(cell: Cell, spans: list[Span]) -> int:
    """Over how many columns a cell stands."""
    return sum(cell[0].x0 < x1 and cell[-1].x1 > x0 for x0, x1 in spans)


def _placed(row: list[Cell], spans: list[Span]) -> list[Cell]:
    cells: list[Cell] = [[] for _ in spans]
    for cell in row:
        at = _at(spans, cell)
        for number, line in enumerate(cell):
            # What stands close behind a long head may be the one beside it.
            if number and line.x0 - cell[number - 1].x1 > _BLANK * line.size:
                at = _at(spans, [line])
            cells[at].append(line)
    return cells


def _head(head: list[list[Cell]], spans: list[Span]) -> list[list[Cell]]:
    """The rows of a head: one where each says in its columns what was wrapped above."""
    rows = [_placed(row, spans) for row in head]
    # What has a figure in it is the row of a table above.
    if any(_is_datum(cell) for row in rows[:-1] for cell in row):
        return rows
    for above, below in pairwise([] if _middles_line_up(rows) else rows):
        for a, b, (left, right) in zip(above, below, spans, strict=True):
            if (a and (a[0].x0 < left or a[-1].x1 > right)) or (a and b and not _line_up(a, b)):
                return rows
        if all(a and b for a, b in zip(above, below, strict=True)):
            return rows
    return [[[line for cell in column for line in cell] for column in zip(*rows, strict=True)]]


def _is_datum(cell: Cell) -> bool:
    text = cell[0].text if cell else ""
    return is_figure(text) and not is_year(text)


def _line_up(above: Cell, below: Cell) -> bool:
    """Whether two cells begin, end or have their middle at one x."""
    left, right = above[0].x0 - below[0].x0, above[-1].x1 - below[-1].x1
    return min(abs(left), abs(right), abs(left + right) // 2) <= _EDGE * below[0].size


def _line_up_below(cells: list[Cell]) -> bool:
    """Whether the cells of a column are figures, or most stand below each other."""
    near = sum(_line_up(a, b) for a, b in pairwise(cells))
    figures = sum(is_figure(cell[0].text) for cell in cells)
    return figures > len(cells) // 2 or near >= _ALIGNED * (len(cells) - 1)


def _goes_on(above: list[Cell], row: list[Cell], spans: list[Span]) -> bool:
    """Whether a row is only what was wrapped in the cells of the one above: the next word had no
    room in any of them."""
    if sum(map(bool, row)) >= sum(map(bool, above)):
        return False
    for cell, more, (_, right) in zip(above, row, spans, strict=True):
        if not more:
            continue
        if not cell or more[0].base - cell[-1].base > _WRAPPED * more[0].size:
            return False
        text = cell[-1].text
        if sum(map(str.isalpha, text)) < _PROSE or (text.isascii() and " " not in text):
            return False
        word = len(more[0].text.split(maxsplit=1)[0]) if more[0].text.isascii() else 1
        width = (more[0].x1 - more[0].x0) / len(more[0].text)
        if cell[-1].x1 + (word + 1) * width < right - more[0].size:
            return False
    return True
