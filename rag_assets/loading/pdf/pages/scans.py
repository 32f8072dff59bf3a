"""The text of scans: what recognition laid over them, in a font that has no glyphs to be seen.

Tesseract, and OCRmyPDF with it, sets every word as wide as it is printed: the font says that it is
monospaced, and as wide as they are set, lines of one print are of many sizes. What tells the size
of the print is how high a line is, and that roughly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from rag_assets.loading.pdf.extraction.blocks import PageContent

_NAME = "glyphless"
#: Sizes are told apart by this part of the text's, and what is less than so many of them larger is
#: as large as the text.
_STEPS = 4
_LARGER = 2


def is_glyphless(font: str) -> bool:
    """Whether a font of this name is one of recognised text."""
    return _NAME in font.casefold()


def level_sizes(pages: Sequence[PageContent], fonts: Collection[str]) -> None:
    """Give the recognised lines of a document one size, but for those that are printed much larger.

    Args:
        fonts: the names of those that are glyphless; the size of lines in them is their height.
    """
    lines = [
        line for page in pages for line in page.extracted if line is not None and line.font in fonts
    ]
    heights: Counter[int] = Counter()
    for line in lines:
        heights[line.size] += len(line.text)
    median_height = 0
    left = heights.total() // 2
    for height in sorted(heights):
        left -= heights[height]
        if left < 0:
            median_height = height
            break
    for line in lines:
        steps = round(_STEPS * line.size / median_height) if median_height else 0
        line.size = median_height if steps < _STEPS + _LARGER else median_height * steps // _STEPS
