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
#: A title is at least this much larger than the text, or bold and hardly smaller.
_LARGER = 1.05
_NEARLY = 0.95
_MIN_PAGES = 3
_SHARE = 0.3
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
    ]
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


def _may_be_title(row: Row, body: int) -> bool:
    large = row.size >= _LARGER * body or (row.bold and row.size >= _NEARLY * body)
    return large and not row.furniture and len(row.text) <= _MAX_CHARS and may_head(row)


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
