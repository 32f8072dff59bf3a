"""Tables told by the cells that are filled: the head and every other row, mostly, or all of them.

Browsers fill a row cell by cell, and draw a frame around each where borders are kept apart. Boxes
side by side make the columns of a table; what stands between two rows of such boxes is one row that
is not filled, and so may one below the last.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby, pairwise

from rag_assets.loading.pdf.columns.cells import Cell
from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.tables.judged import is_table

#: How high and wide a cell is at least, how far apart those of a row, and rows of them, may be,
#: and how near to each other edges are that line up.
_SMALLEST = 6 * UNIT
_APART = 4 * UNIT
_NEAR = UNIT
#: What is not filled is at most so many times as high as the highest filled row.
_HIGHER = 3
#: Text that lines up is so many font sizes off at most.
_OFF = 0.3
#: The head of so many columns has names of all of them.
_MIN_COLUMNS = 2
#: So many boxes at least: two, below a part of a table that is a grid.
_MIN_BOXES = 2

#: The cells of one filled row, from left to right.
Band = list[Box]
#: Where a row begins and ends.
Span = tuple[int, int]


def filled_tables(
    lines: list[Line], shapes: list[Box], ruled: list[TableBlock]
) -> dict[int, TableBlock]:
    """``id`` of a line -> the table of filled cells it stands in.

    Args:
        lines: the text of a page outside of other tables.
        shapes: what is drawn on the page.
        ruled: the tables whose edges are known; the first rows of one may be a grid, and it gets
            the others.
    """
    found: dict[int, TableBlock] = {}
    for bands in _tables(_bands(shapes)):
        above = next((table for table in ruled if _ends_above(table, bands[0])), None)
        if above is None and len(bands) < 2:
            continue
        rows = _rows(bands, lines, above)
        if rows and is_table(rows, ruled=True):
            table = TableBlock(bounds(_lines(rows)), rows)
            if above:
                table = above
                above.rows += rows
                above.box = bounds(_lines(above.rows))
            found |= {id(line): table for line in _lines(rows)}
    return found


def _lines(rows: list[list[Cell]]) -> list[Line]:
    return [line for row in rows for cell in row for line in cell]


def _bands(shapes: list[Box]) -> list[Band]:
    """The boxes that stand side by side, downwards."""
    found: list[Band] = []
    boxes = [box for box in shapes if box.y1 - box.y0 >= _SMALLEST and box.x1 - box.x0 >= _SMALLEST]
    if len(boxes) < _MIN_BOXES:
        return []
    last: Box | None = None
    for box in sorted(boxes, key=lambda box: (box.y0, box.y1, box.x0, box.x1)):
        if box == last:
            continue  # a cell that is filled and framed
        if last and (last.y0, last.y1) == (box.y0, box.y1) and -_NEAR <= box.x0 - last.x1 <= _APART:
            found[-1].append(box)
        else:
            found.append([box])
        last = box
    return [band for band in found if len(band) > 1]


def _tables(bands: list[Band]) -> list[list[Band]]:
    """The filled rows of each table: of the same cells, with no room for more than one between."""
    found: list[list[Band]] = []
    for band in bands:
        for table in found:
            last = table[-1]
            gap = band[0].y0 - last[0].y1
            # Asked of every two, and most stand elsewhere.
            if gap < -_NEAR or not _is_below(last, band):
                continue
            if gap <= _HIGHER * max([row[0].y1 - row[0].y0 for row in (*table, band)]):
                table.append(band)
                break
        else:
            found.append([band])
    return found


def _is_below(above: Band, band: Band) -> bool:
    return len(above) == len(band) and all(
        max(abs(a.x0 - b.x0), abs(a.x1 - b.x1)) <= _NEAR for a, b in zip(above, band, strict=True)
    )


def _ends_above(table: TableBlock, band: Band) -> bool:
    """Whether a table has the columns of a filled row, with room for no more than one between."""
    edges = _edges(band)
    height = band[0].y1 - band[0].y0
    return (
        len(table.edges) == len(edges)
        and all(abs(a - b) <= _NEAR for a, b in zip(table.edges, edges, strict=True))
        and 0 <= band[0].y0 - table.box.y1 <= _HIGHER * height
    )


def _edges(band: Band) -> list[int]:
    return [*(box.x0 for box in band), band[-1].x1]


def _rows(bands: list[Band], lines: list[Line], above: TableBlock | None) -> list[list[Cell]]:
    """The rows of the table with some filled ones, those below the part of it that is a grid
    ``above`` them; none when text stands across its columns, or more than a row between two."""
    edges = _edges(bands[0])
    top = above.box.y1 if above else bands[0][0].y0
    within = [line for line in lines if line.x0 < edges[-1] and line.x1 > edges[0]]
    heights = [top]
    for band in bands:
        if band[0].y0 - heights[-1] > _APART:
            heights.append(band[0].y0)
        heights.append(band[0].y1)
    filled = {band[0].y1 for band in bands}
    pitch = min([band[0].y1 - band[0].y0 for band in bands])
    rows: list[list[Cell]] = []
    for begin, end in pairwise(heights):
        row = _row(_between(within, (begin, end)), edges)
        if row and not any(row) and not rows and end not in filled:
            continue  # nothing but the foot of a grid
        if not row or not any(row) or not (end in filled or _is_one(row, pitch)):
            return []
        rows.append(row)
    highest = max([end - begin for begin, end in pairwise(heights)])
    head = [] if above else _head(_between(within, (top - 2 * highest, top)), edges)
    below = _between(within, (heights[-1], heights[-1] + highest))
    return head + rows + _last_row(below, edges, rows)


def _row(lines: list[Line], edges: list[int]) -> list[Cell]:
    """The cells of some lines by the columns they stand in; none when text reaches out of one."""
    row: list[Cell] = [[] for _ in edges[1:]]
    for line in lines:
        at = bisect_right(edges, line.x0 + _NEAR) - 1
        if not 0 <= at < len(row) or line.x1 > edges[at + 1] + _NEAR:
            return []
        row[at].append(line)
    return row


def _between(lines: list[Line], span: Span) -> list[Line]:
    top, low = span
    held = [line for line in lines if top < line.base - line.size // 3 < low]
    return sorted(held, key=lambda line: (line.base, line.x0))


def _is_one(row: list[Cell], pitch: int) -> bool:
    """Whether the lines of each cell stand closer than rows do."""
    return all(b.base - a.base < pitch for cell in row for a, b in pairwise(cell))


def _head(lines: list[Line], edges: list[int]) -> list[list[Cell]]:
    """The row that is not filled right above the first that is: names of all columns, but perhaps
    of that of the names."""
    row: list[Cell] = [[] for _ in edges[1:]]
    for group in reversed(_on_baselines(lines)):
        cells = _row(group, edges)
        if not cells or max(map(len, cells)) > 1:
            break
        row = [cell + below for cell, below in zip(cells, row, strict=True)]
        if all(row[1:]) and (row[0] or len(row) > _MIN_COLUMNS):
            return [row]
    return []


def _last_row(lines: list[Line], edges: list[int], rows: list[list[Cell]]) -> list[list[Cell]]:
    """The row that is not filled right below the last that is: more than one cell, in line with
    those of the others."""
    row: list[Cell] = [[] for _ in edges[1:]]
    for group in _on_baselines(lines):
        cells = _row(group, edges)
        if not cells or not all(
            len(cell) < 2 and any(_lines_up(line, up) for r in rows for up in r[at])
            for at, cell in enumerate(cells)
            for line in cell
        ):
            break
        row = [cell + below for cell, below in zip(row, cells, strict=True)]
    return [row] if sum(map(bool, row)) > 1 else []


def _on_baselines(lines: list[Line]) -> list[list[Line]]:
    return [list(group) for _, group in groupby(lines, key=lambda line: line.base)]


def _lines_up(line: Line, above: Line) -> bool:
    """Whether two lines begin, end or have their middle at one x."""
    left, right = line.x0 - above.x0, line.x1 - above.x1
    return min(abs(left), abs(right), abs(left + right) / 2) <= _OFF * line.size
