"""Running headers that name the section they stand in, and so change with it.

They are known by the headings: what stands at the height of headers and says what a heading of
the document says is none itself. What is said once, and set as a heading is that differs in its
number only ("Exercise 1", "Exercise 2"), is a heading too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from itertools import pairwise

from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.file.document import OutlineEntry
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Share of the page's height in which headers stand, and their distance from text, in font sizes.
_MARGIN = 0.15
_MIN_GAP = 0.5
_HEIGHT_TOLERANCE = 3 * UNIT
#: So many pages, and of those with a row at its height this share, have such a header.
_MIN_PAGES = 3
_MOST = 0.5
#: Larger rows are headings.
_LARGE = 1.2


def mark_section_heads(
    pages: list[PageRows], outline: Sequence[OutlineEntry], found: Container[int], body: int
) -> None:
    """Set ``furniture`` of top rows that say what a heading says, where most top rows do.

    Args:
        found: the indices of the entries of the outline of which the heading is known; a row said
            once, on the page another one leads to, is that heading.
        body: font size of most text, see ``headings.body_size``.
    """
    if len(pages) < _MIN_PAGES:
        return
    heights: defaultdict[int, list[tuple[int, Row]]] = defaultdict(list)
    for page in pages:
        for row in _top_rows(page, body):
            heights[_height(row)].append((page.number, row))
    common = {height: rows for height, rows in heights.items() if len(rows) >= _MIN_PAGES}
    if not common:
        return
    keys = {_key(entry.title) for entry in outline}
    missing = {(e.page, _key(e.title)) for index, e in enumerate(outline) if index not in found}
    set_alike: set[tuple[int, int, str]] = set()
    said = Counter(row.text for rows in common.values() for _, row in rows)
    for page in pages:
        heads = [row for row in page.rows if row.level]
        keys.update(_key(row.text) for row in heads)
        high = [row for row in heads if _height(row) in common]
        set_alike.update(map(_setting, high))
        said.update(row.text for row in high)
        # The number of a chapter, or the first half of a title, stands over the rest.
        keys.update(_key(one.text + row.text) for one, row in pairwise(heads) if not row.begins)
    keys.discard("")
    longest = max(map(len, keys), default=0)
    for rows in common.values():
        naming = [
            row
            for number, row in rows
            if _names(row.text, keys, longest)
            and not (
                said[row.text] == 1
                and (_setting(row) in set_alike or (number, _key(row.text)) in missing)
            )
        ]
        if len(naming) >= max(_MIN_PAGES, _MOST * len(rows)):
            for row in naming:
                row.furniture = "header"


def _height(row: Row) -> int:
    return round(row.y0 / _HEIGHT_TOLERANCE)


def _setting(row: Row) -> tuple[int, int, str]:
    """What headings have in common that differ in their number only."""
    return _height(row), row.size, _key(row.text)


def _top_rows(page: PageRows, body: int) -> list[Row]:
    """The topmost rows that are no furniture yet, beside each other, when they may be headers."""
    high = _MARGIN * page.height
    rows = [row for row in page.rows if row.y0 < 2 * high and not row.furniture]
    if len(rows) < 2:
        return []
    top = min(rows, key=lambda row: row.y0)
    if top.level or top.y1 >= high or top.size >= _LARGE * body or _is_full(top, page.width):
        return []
    middle = (top.y0 + top.y1) // 2
    below = min([row.y0 for row in rows if row.y0 > middle], default=2 * high)
    if below - top.y1 < _MIN_GAP * top.size:
        return []
    return [row for row in rows if row.y0 <= middle and not row.level]


def _is_full(row: Row, width: int) -> bool:
    """Whether a row is set as one piece from side to side, as text is."""
    spare = row.size
    return (
        len(row.lines) == 1
        and 2 * (row.x1 - row.x0) > width
        and row.x0 < row.left + spare
        and row.x1 > row.edge - spare
    )


def _key(text: str) -> str:
    """The letters of a text: headers are numbered in another way than headings are."""
    return "".join(filter(str.isalpha, text)).casefold()


def _names(text: str, keys: set[str], longest: int) -> bool:
    """Whether a text is that of one heading, or of two of them: a chapter and its section.

    Args:
        longest: length of the longest of the keys.
    """
    key = _key(text)
    length = len(key)
    ends = range(max(1, length - longest), min(length, longest + 1))
    return key in keys or any(key[:end] in keys and key[end:] in keys for end in ends)
