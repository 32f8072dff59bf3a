"""Sheets that hold two pages side by side: where one page ends and the other begins."""

from __future__ import annotations

from rag_assets.loading.pdf.extraction.blocks import PageContent, TextBlock, lines_of

#: A sheet so much wider than high may hold two pages of so many lines, with a blank strip of this
#: share of its width between them.
_SHEET = 1.2
_MIN_LINES = 5
_FOLD = 0.125


def fold_of(page: PageContent) -> int | None:
    """The x of the middle of a sheet that holds two pages side by side, or None."""
    if page.width < _SHEET * page.height:
        return None
    middle = page.width // 2
    lines = lines_of(page.blocks)
    spans = [(line.x0, line.x1) for line in lines]
    spans += [(b.box.x0, b.box.x1) for b in page.blocks if not isinstance(b, TextBlock)]
    end = max([x1 for x0, x1 in spans if x0 + x1 < page.width], default=0)
    start = min([x0 for x0, x1 in spans if x0 + x1 >= page.width], default=page.width)
    if not (end < middle < start and start - end >= _FOLD * page.width):
        return None
    left = sum(line.x1 < middle for line in lines)
    return middle if min(left, len(lines) - left) >= _MIN_LINES else None
