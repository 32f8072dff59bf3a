"""Rows that only begin in a typewriter's font: the term of a description, a command in a sentence.

Of a line the font of its first character is known. All characters of a typewriter's font are as
wide as each other, and those of other fonts are narrower, as a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.scripts import CJK
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Characters are at least this part of the usual width of their font, and of the font size where
#: no width is usual; a sign or two may be of another font, and programs that set code as text make
#: its blanks narrower.
_NARROWEST = 0.95
_NARROWEST_BETWEEN = 0.9
_LEAST = 0.5
#: So many words in a row are prose, unless they are a comment of code.
_PROSE = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]+[,.:;]? ){3}[^\W\d_]")
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
    doubtful = {id(row) for row in rows if _PROSE.search(row.text) and not _is_comment(row)}
    if not doubtful:
        return
    usual = _usual_widths([line for row in rows for line in row.lines if _tells(line)])
    found = []
    for page in pages:
        for at, row in enumerate(page.rows):
            if id(row) in doubtful and _is_narrow(
                row, usual, among=page.rows[max(0, at - 1) : at + 2]
            ):
                found.append(row)
    for row in found:
        row.mono = row.bold = False


def _is_comment(row: Row) -> bool:
    return _COMMENT.search(row.text) is not None


def _usual_widths(lines: Sequence[Line]) -> dict[str, float]:
    """Font -> the width most lines have in it, see :func:`_width`."""
    seen = Counter([(line.font, round(_PARTS * _width(line))) for line in lines])
    usual: dict[str, float] = {}
    # The narrowest first: of two that are as frequent, the wider counts.
    for (font, width), count in sorted(seen.items(), key=lambda each: (each[1], each[0][1])):
        if count > 1:
            usual[font] = width / _PARTS
    return usual


def _is_narrow(row: Row, usual: Mapping[str, float], among: Sequence[Row]) -> bool:
    """Whether a row is too narrow for its font; between two others in one it may be narrower.

    Args:
        among: the row with those beside it.
    """
    least = min(
        (_width(line) / usual.get(line.font, _LEAST) for line in row.lines if _tells(line)),
        default=1.0,
    )
    is_between = len(among) > 2 and all(each.mono for each in among)
    return least < (_NARROWEST_BETWEEN if is_between else _NARROWEST)


def _tells(line: Line) -> bool:
    return len(line.text) >= _CHARACTERS and max(line.text) < _FIRST and not line.vertical


def _width(line: Line) -> float:
    """That of a character on average, in font sizes."""
    # The box holds the blanks behind the text, and accents drawn apart are no characters of it.
    blanks = len(line.raw) - len(line.raw.rstrip())
    return (line.x1 - line.x0) / ((len(line.text) + blanks) * line.size)
