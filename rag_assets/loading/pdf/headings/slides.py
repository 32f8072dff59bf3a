"""The titles of slides: what stands at one height of most of them, in other words each time.

Slides hold little text, so that neither the share of large rows nor the outline, which names the
sections of a talk, tells their titles.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from rag_assets.loading.pdf.headings.fonts import may_head
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: A slide is so many times as wide as high, and its title stands in so much of it, at the top.
_WIDE = 1.2
_TOP = 0.25
#: A title is at least this much larger than the text, or bold and hardly smaller, or smaller than
#: the large letters of the text in a size that little else has; then more slides have one.
_LARGER = 1.05
_NEARLY = 0.95
_SMALLER = 0.8
_MIN_PAGES = 3
_SHARE = 0.3
_SHARE_BY_SIZE = 0.5
_MOST_OF_SIZE = 0.7
_MAX_CHARS = 120
#: Rows of one title, and how far apart, in font sizes.
_MAX_ROWS = 2
_PITCH = 1.6
_LOWEST_LEVEL = 6


def are_slides(pages: list[PageRows]) -> bool:
    """Whether most pages are wide, and there are some."""
    wide = sum([page.width >= _WIDE * page.height for page in pages])
    return wide >= _MIN_PAGES and 2 * wide > len(pages)


def mark_slide_titles(pages: list[PageRows], body: int) -> None:
    """Set ``level`` of the rows that are the title of their slide; nothing where pages are upright.

    Args:
        body: font size of most text, see ``headings.body_size``.
    """
    if not are_slides(pages):
        return
    wide = [page for page in pages if page.width >= _WIDE * page.height]
    groups: defaultdict[tuple[int, int], dict[int, Row]] = defaultdict(dict)
    for page in wide:
        for row in page.rows:
            if row.y1 < _TOP * page.height and _may_be_title(row, body):
                groups[round(row.size / 100), row.y0 // row.size].setdefault(page.number, row)
    titles = [
        group
        for group in groups.values()
        if len(group) >= max(_MIN_PAGES, _SHARE * len(wide))
        and len({row.text for row in group.values()}) >= _MIN_PAGES
    ] or _in_own_size(wide, body)
    if not titles:
        return
    title = max(titles, key=len)
    level = _level(pages, list(title.values()))
    for page in wide:
        first = title.get(page.number)
        if first is not None and not first.level:
            # What stands over it is another heading.
            first.begins = True
            for row in _rows_of_title(page, first):
                row.level = level


def _in_own_size(pages: list[PageRows], body: int) -> list[dict[int, Row]]:
    """The highest rows of slides by the number of their page, where those of most slides stand at
    one height, in other words, and are most of what has their size."""
    sizes = Counter([row.size for page in pages for row in page.rows if not row.furniture])
    groups: defaultdict[tuple[int, int], dict[int, Row]] = defaultdict(dict)
    for page in pages:
        rows = [row for row in page.rows if not row.furniture]
        row = min(rows, key=lambda row: row.y0, default=None)
        if row is not None and row.size >= _SMALLER * body and _may_head_slide(row):
            groups[row.size, row.y0 // row.size][page.number] = row
    return [
        group
        for (size, _), group in groups.items()
        if len(group) >= max(_MIN_PAGES, _SHARE_BY_SIZE * len(pages), _MOST_OF_SIZE * sizes[size])
        and len({row.text for row in group.values()}) > _SHARE_BY_SIZE * len(group)
    ]


def _may_be_title(row: Row, body: int) -> bool:
    large = row.size >= _LARGER * body or (row.bold and row.size >= _NEARLY * body)
    return large and _may_head_slide(row)


def _may_head_slide(row: Row) -> bool:
    return not row.furniture and len(row.text) <= _MAX_CHARS and may_head(row)


def _level(pages: list[PageRows], titles: list[Row]) -> int:
    """That of the titles that were found otherwise; else the one below all headings. An outline
    that names few of them names the sections of the talk."""
    known = Counter(row.level for row in titles if row.level)
    by_outline = sum(row.begins for row in titles)
    if known and not 0 < 2 * by_outline < len(titles):
        return max(known, key=known.__getitem__)
    lowest = max((row.level for page in pages for row in page.rows), default=0)
    return min(lowest + 1, _LOWEST_LEVEL)


def _rows_of_title(page: PageRows, first: Row) -> list[Row]:
    rows = [first]
    for row in page.rows[page.rows.index(first) + 1 :]:
        last = rows[-1]
        goes_on = (row.size, row.bold) == (last.size, last.bold) and not row.level
        if not goes_on or not 0 < row.y0 - last.y0 <= _PITCH * last.size or len(rows) == _MAX_ROWS:
            break
        rows.append(row)
    return rows
