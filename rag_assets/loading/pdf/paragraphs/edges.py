"""Where rows end that are set in a narrower column than was seen for them.

Two texts side by side, or beside a picture, may be read as one wide column; rows that end exactly
below each other tell where the text is justified. What is set to the right fills no line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import sub

from rag_assets.loading.pdf.extraction.scripts import is_east_asian
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.paragraphs import starts_item

#: So many rows of a page end at one place, so many font sizes wide or more.
_MIN_ROWS = 4
_MIN_WIDTH = 10
#: They end at most so far from each other, in hundredths of a point.
_SAME = 10
#: Where fewer than this share of them begin below another one, they are set to the right.
_BEGIN_ALIKE = 0.25
#: Behind a gap of so many font sizes stand what is aligned there: numbers of pages, amounts.
_GAP = 1.5
#: How far what follows may reach beyond them, in font sizes.
_BEYOND = 0.3
#: Rows of text have words, no leaders, and do not end with the number of a page.
_WORD = re.compile(r"[^\W\d_]{2}")
_ENTRY = re.compile(r"\.{4}|(?:\. ){3}|(?:· ?){3}|…{2}|\s\d{1,4}$")
#: So many characters are alike where statements begin alike.
_BEGIN = 6
#: What lines of verse end with, all of which have as many characters in Chinese.
_STOPS = re.compile(r"[,，.。;；!！?？:：、]$")

#: Where a row ends that is never full.
_NO_EDGE = 1 << 30
#: What parts the letters of a name or of a title of Chinese that is set wide.
_WIDE_BLANK = "\u3000"
#: Rows of one text begin at most so many font sizes further in or out than each other.
_FIRST_LINE = 2.5
#: Between the pieces of one line of text, parted by a frame or a formula, are as many; they may
#: overlap.
_NEAR = (-1.5, 3.0)
#: Two texts side by side stand so many font sizes apart at most, and are as wide at least; so many
#: rows of each are beside the other, the left one has more, and this share of them is text: authors
#: have a name and an address each.
_GUTTER = 2
_SIDE_WIDTH = 10
_SIDE_ROWS = 2
_SIDE_TEXT = 0.75


def set_edges(page: PageRows) -> None:
    """Set ``Row.edge`` of rows that end where others of their page do, or are set to the right, and
    the bounds of columns that stand side by side."""
    rows = page.rows
    # These are asked of every row of a document: most begin in the left half of their column,
    # end at its edge, and stand below the last one.
    said = [row for row in rows if not row.furniture]
    right = [
        at
        for at, row in enumerate(said[:-1])
        if 2 * row.x0 > row.left + row.right and row.edge - row.x1 <= row.size
    ]
    for at in right:
        row, after = said[at : at + 2]
        if _is_set_right(row, after) and not any(_ends_before(e, row) for e in rows):
            row.edge = _NO_EDGE
    short = [
        row
        for row in rows
        if row.edge - row.x1 > row.size and row.x1 - row.x0 >= _MIN_WIDTH * row.size
    ]
    ends = sorted([row.x1 for row in short])
    steps = map(sub, ends[_MIN_ROWS - 1 :], ends)
    if min(steps, default=_SAME * _MIN_ROWS) < _SAME * _MIN_ROWS:
        _set_justified(rows, short)
    jumps = [
        at
        for at, (before, row) in enumerate(pairwise(rows))
        if row.y1 < before.y0 and before.x1 < row.x0 < before.right
    ]
    for at in jumps:
        _part_columns(rows, at)


def _set_justified(rows: Sequence[Row], short: Sequence[Row]) -> None:
    """Set the edges of the ``short`` ones of a page's rows that end below each other."""
    ended = {id(row) for alike in _ending_alike(short) for row in alike}
    for row, after in pairwise(rows) if ended else ():
        if id(row) in ended and _may_go_on(row, after):
            row.edge = row.x1


def _part_columns(rows: Sequence[Row], at: int) -> None:
    """Set the bounds of two texts of one wide column where the second, which begins behind the
    row at a place, stands beside the first, which ends there."""
    first = rows[at + 1]
    left: list[Row] = []
    for row in rows[at::-1]:
        # A row above which the one before it does not stand begins a text of its own.
        below = left and row.y0 > left[-1].y0
        if below or row.x1 >= first.x0 or row.y1 <= first.y0 or row.left != first.left:
            break
        left.append(row)
    end = max([row.x1 for row in left], default=first.x0)
    right = [first]
    for row in rows[at + 2 :]:
        if row.x0 <= end or row.y0 < right[-1].y0 or row.left != first.left:
            break
        right.append(row)
    begin = min([row.x0 for row in right])
    if len(right) < _SIDE_ROWS or max([row.x1 for row in right]) - begin < _SIDE_WIDTH * first.size:
        return
    low = right[-1].y1
    if sum([row.y0 < low for row in left]) < _SIDE_ROWS or not _are_text(left, end):
        return
    end = max(end, begin - _GUTTER * first.size)
    for row in left:
        row.right = end
        row.edge = min(row.edge, end)
    if max([row.x1 for row in right]) > first.right - first.size:
        for row in right:
            row.left = begin


def _are_text(rows: Sequence[Row], end: int) -> bool:
    """Whether most of some rows, which end at a place, are text, and wide enough for one."""
    rows = [row for row in rows if not row.level and not row.furniture]
    texts = [row for row in rows if _is_text(row)]
    return (
        len(texts) >= max(_SIDE_ROWS + 1, _SIDE_TEXT * len(rows))
        and end - min([row.x0 for row in texts]) >= _SIDE_WIDTH * texts[0].size
        and not _are_evenly_wide(texts)
    )


def _is_set_right(row: Row, after: Row) -> bool:
    """Whether a row in the right half of its column is set to the right, as dates and those who
    sign are: the next one begins elsewhere, or has parts that are set apart."""
    if after.y0 <= row.y0 or after.text[0].islower() or row.turned or row.vertical:
        return False
    if abs(row.x0 + row.x1 - after.x0 - after.x1) <= row.size and row.x0 != after.x0:
        return False  # both are centred
    if 2 * after.x0 <= row.left + row.right:
        return True
    if _WIDE_BLANK in row.text or _WIDE_BLANK in after.text:
        return True
    inwards = after.x0 - row.x0
    ends_alike = 10 * abs(after.x1 - row.x1) < row.size
    return ends_alike and abs(inwards) > _FIRST_LINE * row.size


def _ends_before(piece: Row, row: Row) -> bool:
    """Whether a piece of the same line of the page ends right before a row."""
    nearest, farthest = _NEAR
    near = nearest * row.size <= row.x0 - piece.x1 <= farthest * row.size
    return near and piece.x0 < row.x0 and piece.y0 < row.lines[0].base <= piece.y1 + row.size // 2


def _ending_alike(rows: Sequence[Row]) -> Iterator[list[Row]]:
    found: list[Row] = []
    for row in sorted(filter(_is_text, rows), key=lambda row: row.x1):
        if found and row.x1 - found[-1].x1 > _SAME:
            if _are_justified(found):
                yield found
            found = []
        found.append(row)
    if _are_justified(found):
        yield found


def _is_text(row: Row) -> bool:
    return (
        not (row.mono or row.lines[-1].mono or row.vertical)
        and not (row.part or row.level or row.furniture)
        and _WORD.search(row.text) is not None
        and not _ENTRY.search(row.text)
        and not any(line.x0 - before.x1 > _GAP * row.size for before, line in pairwise(row.lines))
    )


def _are_justified(rows: Sequence[Row]) -> bool:
    """Whether rows that end alike are text: verse is none, nor are statements that begin alike, nor
    what is set in a font of which all characters are as wide, nor what is set to the right."""
    if len(rows) < _MIN_ROWS:
        return False
    lefts = sorted([row.x0 for row in rows])
    alike = sum([after - x0 <= _SAME for x0, after in pairwise(lefts)])
    if alike < _BEGIN_ALIKE * len(rows):
        return False
    stops = sum([_STOPS.search(row.text) is not None for row in rows])
    begins = {row.text[:_BEGIN] for row in rows}
    return 2 * stops < len(rows) < 2 * len(begins) and not _are_evenly_wide(rows)


def _are_evenly_wide(rows: Sequence[Row]) -> bool:
    """Whether the characters of most rows are as wide as each other, as in a typewriter's font."""
    widths = Counter([_width(row) for row in rows if not is_east_asian(row.text)])
    return 2 * max(widths.values(), default=0) > len(rows)


def _width(row: Row) -> int:
    """That of a character on average, in thousandths of the font size."""
    return 1000 * (row.x1 - row.x0) // (row.size * len(row.text))


def _may_go_on(row: Row, after: Row) -> bool:
    """Whether what follows a row may go on with its text: no item, no row that is longer."""
    is_longer = after.x0 < row.x1 and after.x1 > row.x1 + _BEYOND * row.size
    return not is_longer and not starts_item(after)
