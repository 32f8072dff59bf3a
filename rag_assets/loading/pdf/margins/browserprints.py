"""What browsers print around a page: date, time and title above it, address and number below it.

They stand further out than any text, which made the columns of a page wider than they are; and on
a page that is alone nothing repeats that would tell them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Block, Line, PageContent, TextBlock
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Share of the page's height, at either end, in which browsers print.
_STRIP = 0.05
_DATED = re.compile(r"(?<!\d)\d{1,4}([./-])\d{1,2}\1\d{1,4},? \S{0,2}\d{1,2}:\d{2}(?!\d)")
_NUMBERED = re.compile(r"(?:^|\s)(\d{1,4})(?:/| of )(\d{1,4})(?=\s|$)")


class Around(NamedTuple):
    """The lines above and below a page, from left to right."""

    header: list[Line]
    footer: list[Line]


def take_browser_print(page: PageContent) -> Around | None:
    """Take what a browser printed around a page out of its blocks; None when it did not.

    That is one row in each strip, with a date and the time in one of them and the number of the
    page, out of how many, in the lower one.
    """
    strip = int(_STRIP * page.height)
    above = [b for b in page.blocks if b.box.y1 <= strip]
    # Most pages have nothing there.
    header = _row(above) if above else []
    if not header:
        return None
    below = [b for b in page.blocks if b.box.y0 >= page.height - strip]
    footer = _row(below)
    if not footer:
        return None
    top, foot = (" ".join(line.text for line in lines) for lines in (header, footer))
    number = _NUMBERED.search(foot)
    if number is None or int(number[1]) > int(number[2]):
        return None
    if not _DATED.search(top) and not _DATED.search(foot):
        return None
    taken = set(map(id, [*above, *below]))
    page.blocks = [block for block in page.blocks if id(block) not in taken]
    return Around(header, footer)


def add_browser_print(page: PageRows, around: Around | None) -> None:
    """Put what was taken around a page where it stood, as furniture."""
    if around is None:
        return
    header, footer = (_furniture(lines) for lines in around)
    header.furniture, footer.furniture = "header", "footer"
    page.items.insert(0, header)
    page.rows.insert(0, header)
    page.items.append(footer)
    page.rows.append(footer)


def _row(blocks: list[Block]) -> list[Line]:
    """The lines of some blocks when they are one row of text."""
    lines: list[Line] = []
    for block in blocks:
        if not isinstance(block, TextBlock):
            return []
        lines += block.lines
    lines.sort(key=lambda line: line.x0)
    bases = [line.base for line in lines]
    return lines if lines and max(bases) - min(bases) < lines[0].size else []


def _furniture(lines: list[Line]) -> Row:
    row = Row.of(lines[0], -1, lines[0].x0, lines[-1].x1)
    for line in lines[1:]:
        row.add(line)
    return row
