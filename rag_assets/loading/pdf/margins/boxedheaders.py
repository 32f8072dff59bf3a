"""Running headers and footers in boxes: a table in the margin of each page is none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from operator import sub

from rag_assets.loading.pdf.extraction.blocks import Line, TableBlock, on_one_baseline
from rag_assets.loading.pdf.order.rows import Item, PageRows, Row
from rag_assets.loading.pdf.tables.drawn_cells import from_top_to_bottom

#: Share of the page's height, at either end, and of the pages, and the fewest of them.
_MARGIN = 0.15
_SHARE = 0.3
_FEW = 3
_NUMBER = re.compile(r"\d+")


def mark_boxed_headers(pages: Sequence[PageRows]) -> None:
    """Take tables apart that stand at the top, or at the foot, of many pages and say the same on
    each but for numbers: their rows are ``furniture``."""
    groups: defaultdict[tuple[bool, str], list[tuple[PageRows, TableBlock]]] = defaultdict(list)
    for page in pages:
        # Tables, and images, are the items that are no rows.
        for item in page.items if len(page.items) > len(page.rows) else ():
            if isinstance(item, TableBlock) and _is_in_margin(item, page):
                text = " ".join([line.text for line in _lines(item)])
                is_top = 2 * item.box.y0 < page.height
                groups[is_top, _NUMBER.sub("0", text)].append((page, item))
    for (is_top, _), same in groups.items():
        if len(same) >= max(_FEW, round(_SHARE * len(pages))) and _count_pages(same):
            for page, table in same:
                _take_apart(page, table, "header" if is_top else "footer")


def _is_in_margin(table: TableBlock, page: PageRows) -> bool:
    return table.box.y1 < _MARGIN * page.height or table.box.y0 > (1 - _MARGIN) * page.height


def _lines(table: TableBlock) -> list[Line]:
    # A head may stand in several cells.
    lines = {id(line): line for row in table.rows for cell in row for line in cell}
    return from_top_to_bottom(list(lines.values()))


def _take_apart(page: PageRows, table: TableBlock, kind: str) -> None:
    """Put the rows of a table in its place on a page, as furniture of some kind."""
    rows: list[Row] = []
    for line in _lines(table):
        if rows and on_one_baseline(line, rows[-1].lines[0]):
            rows[-1].add(line)
        else:
            rows.append(Row.of(line, -1, table.box.x0, table.box.x1))
            rows[-1].furniture = kind
    items: list[Item] = []
    for item in page.items:
        items += rows if item is table else [item]
    page.items[:] = items
    page.rows = [item for item in items if isinstance(item, Row)]


def _count_pages(same: Sequence[tuple[PageRows, TableBlock]]) -> bool:
    """Whether the numbers in tables that are else the same count pages where they differ: others,
    such as sums, are facts."""
    numbers = [
        [int(number) for line in _lines(table) for number in _NUMBER.findall(line.text)]
        for _, table in same
    ]
    pages = [page.number for page, _ in same]
    return all(
        len(set(column)) == 1 or len(set(map(sub, column, pages))) == 1
        for column in zip(*numbers, strict=True)
    )
