"""What stands beside the text of slides, in the same words on most of them: the parts of the talk.

Only landscape pages have such a bar. Its rows move where it shows more of the part one is in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from rag_assets.loading.pdf.extraction.scripts import CJK
from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: So many pages have a bar at least; on this share of them so many of its rows stand at one place,
#: and the others on so many pages.
_MIN_PAGES = 5
_SHARE = 0.5
_MIN_ROWS = 3
_FEW_PAGES = 3
#: Share of the rows of a bar that are on so many pages. Labels have other values on each page.
_MOST = 0.9
#: How wide a bar is at most, beside its page, which it stands at a side of.
_WIDTH = 0.35
_TOLERANCE = 3 * UNIT
#: What parts of a talk are named by; those of a drawing have letters.
_WORD = re.compile(f"[^\\W\\d_]{{3}}|[{CJK}]{{2}}")


def mark_sidebars(pages: Sequence[PageRows]) -> None:
    """Set ``furniture`` of the rows in the bar beside the text of slides, but for those that are
    the headings of parts."""
    # Asked of every document: few have landscape pages.
    if len(pages) < _MIN_PAGES or pages[0].width <= pages[0].height:
        return
    width = pages[0].width
    sides: tuple[list[tuple[int, Row]], ...] = ([], [])
    for page in pages:
        for row in page.rows:
            if row.x1 <= _WIDTH * width:
                sides[0].append((page.number, row))
            elif row.x0 >= (1 - _WIDTH) * width:
                sides[1].append((page.number, row))
    for rows in sides:
        _mark(rows, _SHARE * len(pages))


def _mark(rows: list[tuple[int, Row]], enough: float) -> None:
    """Mark the bar among the rows at one side of the pages; ``enough`` pages have it."""
    at_place: defaultdict[tuple[str, int, int], list[Row]] = defaultdict(list)
    for _, row in rows:
        if not row.furniture and _WORD.search(row.text):
            at_place[row.text, row.x0 // _TOLERANCE, row.y0 // _TOLERANCE].append(row)
    fixed = [row for group in at_place.values() if len(group) >= enough for row in group]
    if len({row.text for row in fixed}) < _MIN_ROWS:
        return
    left, right = min([row.x0 for row in fixed]), max([row.x1 for row in fixed])
    largest = max([row.size for row in fixed])
    within = [
        (number, row)
        for number, row in rows
        if left - _TOLERANCE <= row.x0
        and row.x1 <= right + _TOLERANCE
        and row.size <= largest
        and not row.furniture
    ]
    on_pages: defaultdict[str, set[int]] = defaultdict(set)
    for number, row in within:
        on_pages[row.text].add(number)
    often = [row for _, row in within if len(on_pages[row.text]) >= _FEW_PAGES]
    if len(often) < _MOST * len(within):
        return
    for row in often:
        if not row.level:
            row.furniture = "navigation"
