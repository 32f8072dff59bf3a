"""Rows that only begin in a typewriter's font: the term of a description, a command in a sentence.

Of a line the font of its first character is known. All characters of a typewriter's font are as
wide as each other, and those of other fonts are narrower, as a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag_assets.loading.pdf.blocks import Line
from rag_assets.loading.pdf.rows import CJK, PageRows

#: Characters are at least this part of the usual width of their font, and of the font size where
#: no width is usual; a sign or two may be of another font, and programs that set code as text make
#: its blanks narrower.
_NARROWEST = 0.95
_LEAST = 0.5
#: So many words in a row are prose, unless they are a comment of code.
_PROSE = re.compile(r"(?:[^\W\d_]+[,.:;]? ){3}[^\W\d_]")
_COMMENT = re.compile(r"(?:^|\s)(?://|/\*|[#%;])")
#: Lines of fewer characters tell nothing.
_CHARACTERS = 8
#: Widths are counted in this part of the font size.
_PARTS = 200
#: Before all East Asian characters, which are twice as wide in such a font.
_FIRST = CJK[0]


def mark_proportional(pages: Sequence[PageRows]) -> None:
    """Set ``mono`` and ``bold`` of the rows back that only begin in a typewriter's font."""
    rows = [row for page in pages for row in page.rows if row.mono]
    lines = [line for row in rows for line in row.lines if _tells(line)]
    seen = Counter([(line.font, round(_PARTS * _width(line))) for line in lines])
    usual: dict[str, float] = {}
    # The narrowest first: of two that are as frequent, the wider counts.
    for (font, width), _ in sorted(seen.items(), key=lambda each: (each[1], each[0][1])):
        if seen[font, width] > 1:
            usual[font] = width / _PARTS
    for row in rows:
        if not _PROSE.search(row.text) or _COMMENT.search(row.text):
            continue
        for line in row.lines:
            if _tells(line) and _width(line) < _NARROWEST * usual.get(line.font, _LEAST):
                row.mono = row.bold = False


def _tells(line: Line) -> bool:
    return len(line.text) >= _CHARACTERS and max(line.text) < _FIRST and not line.vertical


def _width(line: Line) -> float:
    """That of a character on average, in font sizes."""
    # The box holds the blanks behind the text, and accents drawn apart are no characters of it.
    blanks = len(line.raw) - len(line.raw.rstrip())
    return (line.x1 - line.x0) / ((len(line.text) + blanks) * line.size)
