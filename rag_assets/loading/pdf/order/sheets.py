"""Sheets that hold two pages side by side: where one page ends and the other begins."""

from __future__ import annotations

from rag_assets.loading.pdf.extraction.blocks import PageContent, TextBlock, lines_of

#: A sheet so much wider than high may hold two pages of so many lines, with a blank strip of this
#: share of its width between them.
_SHEET = 1.2
_MIN_LINES = 5
_FOLD = 0.125
#: The width of two A4 pages side by side, in hundredths of a point; the share of it that is blank
#: between them, how many lines a side has at least, and the share of all that may stand across.
_A3 = (116_500, 121_500)
_STRIP = 0.04
_SIDE = 15
_MAX_ACROSS = 0.05


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


def middle_of(page: PageContent) -> int | None:
    """The x of the blank strip in the middle of a sheet of two A4 pages that a title or a header
    may cross, or None. Its sides need not be running text: they may be full of formulas."""
    if not (_A3[0] < page.width < _A3[1] and 1.38 * page.height < page.width < 1.45 * page.height):
        return None
    lines = lines_of(page.blocks)
    half = page.width // 2
    ends = [line.x1 for line in lines if line.x1 <= half]
    starts = [line.x0 for line in lines if line.x0 >= half]
    if min(len(ends), len(starts)) < _SIDE or (
        len(lines) - len(ends) - len(starts) > _MAX_ACROSS * len(lines)
    ):
        return None
    strip = min(starts) - max(ends)
    return (min(starts) + max(ends)) // 2 if strip >= _STRIP * page.width else None
