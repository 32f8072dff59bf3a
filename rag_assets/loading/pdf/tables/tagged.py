"""Tables that a tagged PDF says it has, whatever is drawn of them.

Tags may be wrong, and MuPDF gives no text that is in none. They only tell which of the lines that
were read stand in which cell: a table is taken when its text is that of whole lines, its columns
stand beside each other, its rows below each other, and nothing else in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, bounds
from rag_assets.loading.pdf.extraction.stext import Box, LineOf
from rag_assets.loading.pdf.file.tags import TaggedTable
from rag_assets.loading.pdf.tables.boxedcode import is_boxed_code
from rag_assets.loading.pdf.tables.drawn_cells import Cells
from rag_assets.loading.pdf.tables.grid import filled, mark_short
from rag_assets.loading.pdf.tables.judged import is_table

#: Lines of the smallest table that stand on the baselines of others.
_MIN_BESIDE = 2
#: What has no heads is a table when it has more rows; two columns of fewer may be signatures.
_MIN_ROWS = 2
_MIN_PAIRS = 3
#: And when its largest text is at most so many times as large as its smallest: titles are larger.
_ONE_SIZE = 1.25
#: In font sizes: how far a line reaches into the next column, with the blank it ends with.
_NEAR = 0.5
#: So many characters, at most, are the mark of an item.
_MARK = 3


class Place(NamedTuple):
    """The row of a cell, its first column and over how many it stands."""

    row: int
    column: int
    span: int


Tagged = tuple[LineOf, Place]
Placed = tuple[Line, Place]


def may_hold_tagged(lines: Sequence[Line]) -> bool:
    """Whether enough lines of a page stand on the baselines of others for the smallest table."""
    return len(lines) - len({line.base for line in lines}) >= _MIN_BESIDE


def tagged_tables(tables: Sequence[TaggedTable], lines: Sequence[Line]) -> dict[int, TableBlock]:
    """``id`` of a line -> the table it stands in. The tables learn where their columns begin.

    Args:
        lines: the text of a page outside of other tables.
    """
    found: dict[int, TableBlock] = {}
    for table in tables:
        held = _held(table, lines)
        placed = [each for parts in held.values() for each in parts]
        if not placed or not _is_laid_out(placed) or not _is_alone(held, placed, lines):
            continue
        rows = _rows(table, placed)
        used = [at for at, column in enumerate(zip(*rows, strict=True)) if any(column)]
        rows = filled(rows)
        if len(used) < 2 or not _is_table(rows, table, len(used)):
            continue
        for at, edge in _edges(table, placed).items():
            table.edges.setdefault(at, edge)
        begins = [table.edges[at] for at in (*used, table.columns)]
        mark_short(rows, begins)
        block = TableBlock(bounds([line for line, _ in placed]), rows, tuple(begins))
        found |= dict.fromkeys(held, block)
    return found


def _is_table(rows: list[Cells], table: TaggedTable, columns: int) -> bool:
    """Whether the cells of so many columns are a table, not something that was laid out with one:
    nobody gives heads to that, what leads from page to page has two rows, and a cover, a CV or a
    leaflet has titles in its cells."""
    if table.has_heads:
        return table.length > 1
    sizes = [line.size for row in rows for cell in row for line in cell]
    return (
        table.length > (_MIN_ROWS if columns > 2 else _MIN_PAIRS)
        and max(sizes) <= _ONE_SIZE * min(sizes)
        and is_table(rows, ruled=False)
        and not is_boxed_code(rows)
    )


def _held(table: TaggedTable, lines: Sequence[Line]) -> dict[int, list[Placed]]:
    """What stands where of each line of a table, by its ``id``; nothing when its text is not that
    of whole lines."""
    tagged = [
        (each, Place(row, cell.column, cell.span))
        for row, cells in enumerate(table.rows)
        for cell in cells
        for each in cell.lines
    ]
    tagged.sort(key=_middle)
    middles = list(map(_middle, tagged))
    held: dict[int, list[Placed]] = {}
    for line, behind in zip(lines, [*lines[1:], None], strict=True):
        parts = _parts(line, tagged, middles)
        if not parts and behind and _is_mark(line, behind):
            parts = _parts(behind, tagged, middles)[:1]
        places = {place for _, place in parts}
        if places:
            held[id(line)] = [(line, places.pop())] if len(places) == 1 else _parted(line, parts)
    taken = [each for parts in held.values() for each in parts]
    more: Counter[Place] = Counter()
    most: Counter[Place] = Counter()
    for line, place in taken:
        more[place] += _letters(line.text)
        most[place] += _MARK
    for each, place in tagged:
        more[place] -= _letters(each.text)
    is_same = all(0 <= count <= most[place] for place, count in more.items())
    return held if is_same and all(held.values()) else {}


def _middle(tagged: Tagged) -> int:
    bbox = tagged[0].bbox
    return bbox.y + bbox.h // 2


def _parts(line: Line, tagged: Sequence[Tagged], middles: Sequence[int]) -> list[Tagged]:
    """What of the tagged lines, in the order of their ``middles``, stands where a line does: one of
    both has the other's middle. Cells of two heights may have been read as one line."""
    x0, x1 = line.box.x0, line.box.x1
    found = []
    first = bisect_left(middles, line.box.y0)
    for each, place in tagged[first : bisect_right(middles, line.box.y1)]:
        left, right = each.bbox.x, each.bbox.x + each.bbox.w
        if x0 <= (left + right) // 2 <= x1 or left <= (x0 + x1) // 2 <= right:
            found.append((each, place))
    return found


def _is_mark(line: Line, behind: Line) -> bool:
    """Whether a line is the mark of an item: one that is drawn, and no text, is in no tag."""
    return (
        len(line.text) <= _MARK
        and line.base == behind.base
        and 0 <= behind.x0 - line.x1 <= 2 * behind.size
    )


def _parted(line: Line, parts: Sequence[Tagged]) -> list[Placed]:
    """A line read as one that stands in several cells, in its parts; none when they are not its
    text."""
    found = []
    for each, place in sorted(parts, key=lambda part: part[0].bbox.x):
        text = each.text.strip()
        bold = each.font.weight == "bold" or (line.bold and each.font.name == line.font)
        own = replace(line, text=text, base=each.y, bold=bold, raw=each.text, font=each.font.name)
        x0, y0 = each.bbox.x, each.bbox.y
        own.box = Box(x0, y0, x0 + each.bbox.w, y0 + each.bbox.h)
        own.stand_at(own.box)
        found.append((own, place))
    joined = "".join([own.text for own, _ in found])
    return found if "".join(joined.split()) == "".join(line.text.split()) else []


def _letters(text: str) -> int:
    return len("".join(text.split()))


def _is_laid_out(placed: Sequence[Placed]) -> bool:
    """Whether the columns of a table stand beside each other, and its rows below each other."""
    tops: dict[int, int] = {}
    lefts: dict[int, int] = {}
    for line, place in placed:
        tops[place.row] = min(line.base, tops.get(place.row, line.base))
        lefts[place.column] = min(line.x0, lefts.get(place.column, line.x0))
    if any(below <= above for above, below in pairwise([tops[row] for row in sorted(tops)])):
        return False
    return all(
        line.x1 <= left + _NEAR * line.size
        for line, place in placed
        for column, left in lefts.items()
        if column >= place.column + place.span
    )


def _is_alone(
    held: Mapping[int, list[Placed]], placed: Sequence[Placed], lines: Sequence[Line]
) -> bool:
    """Whether no other line stands in the box around a table."""
    box = bounds([line for line, _ in placed])
    return not any(
        box.x0 <= (line.x0 + line.x1) // 2 <= box.x1
        and box.y0 <= (line.y0 + line.y1) // 2 <= box.y1
        for line in lines
        if id(line) not in held
    )


def _rows(table: TaggedTable, placed: Sequence[Placed]) -> list[Cells]:
    """The rows of a table, those of its heads as one: each column is named by all its heads. A
    title alone in its row is left there."""
    rows: list[Cells] = [[[] for _ in range(table.columns)] for _ in table.rows]
    heads = table.heads
    if not 1 < heads < len(rows) or any(len(cells) == 1 for cells in table.rows[:heads]):
        heads = 0
    for line, (row, column, span) in placed:
        for at in range(column, column + (span if row < heads else 1)):
            rows[row][at].append(line)
        # One line in the cells of all its columns: it ends in each, and theirs begin below it.
        line.short |= row < heads and span > 1
    if not heads:
        return rows
    columns = zip(*rows[:heads], strict=True)
    return [[[line for cell in column for line in cell] for column in columns], *rows[heads:]]


def _edges(table: TaggedTable, placed: Sequence[Placed]) -> dict[int, int]:
    """Where the columns begin on a page, by their numbers, and where the last one ends."""
    found = {table.columns: max([line.x1 for line, _ in placed])}
    for line, place in placed:
        found[place.column] = min(line.x0, found.get(place.column, line.x0))
    return found
