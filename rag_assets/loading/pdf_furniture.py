"""Running headers, footers and page numbers: what stands on many pages at the same height."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import NamedTuple

from rag_assets.loading.pdf_rows import PageRows, Row
from rag_assets.loading.pdf_stext import UNIT

#: Share of the page's height, at either end, where furniture is looked for.
_MARGIN = 0.15
#: Rows looked at in each margin.
_ROWS = 3
#: Share of the pages (odd and even ones may differ) on which the same must stand.
_SHARE = 0.3
_HEIGHT_TOLERANCE = 3 * UNIT
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"^[\s\-–—·|()]*(?:page|p\.|seite|第)?\s*(?:\d+|[ivxlc]+)\s*(?:页|頁|/|of|共)?\s*(?:\d+\s*页?)?[\s\-–—·|()]*$",
    re.IGNORECASE,
)


class _Seen(NamedTuple):
    page: int
    row: Row
    top: bool


def mark_furniture(pages: list[PageRows]) -> None:
    """Set ``furniture`` of every row that is a running header, footer or page number.

    A row counts when its text, digits left out, stands at the same height on enough pages; or
    when it holds a number that runs with the pages, at the height where most such numbers stand.
    Nothing is marked in documents of one page.
    """
    if len(pages) < 2:
        return
    seen = [s for index, page in enumerate(pages) for s in _margins(index, page)]
    enough = max(2, round(_SHARE * len(pages)))
    numbered = _running_numbers(seen, enough)
    _mark(numbered)
    # On two pages the same line twice may well be content, unless the pages are numbered.
    if len(pages) > 2 or numbered:
        groups: defaultdict[tuple[str, bool, int], list[_Seen]] = defaultdict(list)
        for s in seen:
            text = _NUMBER.sub("0", s.row.text)
            groups[text, s.top, round(s.row.y0 / _HEIGHT_TOLERANCE)].append(s)
        for group in groups.values():
            if len({s.page for s in group}) >= min(max(3, enough), len(pages)):
                _mark(group)


def _margins(index: int, page: PageRows) -> list[_Seen]:
    rows = [row for row in page.rows if len(row.text) <= 200]
    top = sorted((row for row in rows if row.y1 < _MARGIN * page.height), key=lambda r: r.y0)
    end = sorted((row for row in rows if row.y0 > (1 - _MARGIN) * page.height), key=lambda r: -r.y1)
    return [_Seen(index, row, True) for row in top[:_ROWS]] + [
        _Seen(index, row, False) for row in end[:_ROWS]
    ]


def _running_numbers(seen: list[_Seen], enough: int) -> list[_Seen]:
    """Rows with a number that is the page's, give or take a constant."""
    groups: defaultdict[tuple[bool, int], list[_Seen]] = defaultdict(list)
    for s in seen:
        for number in _NUMBER.findall(s.row.text):
            if len(number) <= 5:
                groups[s.top, int(number) - s.page].append(s)
    found: list[_Seen] = []
    for group in groups.values():
        heights = Counter(round(s.row.y0 / _HEIGHT_TOLERANCE) for s in group)
        common = {height for height, count in heights.items() if count >= 2}
        kept = [s for s in group if round(s.row.y0 / _HEIGHT_TOLERANCE) in common]
        if len({s.page for s in kept}) >= enough:
            found += kept
    return found


def _mark(group: list[_Seen]) -> None:
    for s in group:
        if _PAGE_NUMBER.match(s.row.text):
            s.row.furniture = "page_number"
        else:
            s.row.furniture = "header" if s.top else "footer"
