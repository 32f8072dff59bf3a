"""How far below each other the rows of a document's text stand.

Fonts of Chinese, Japanese and Korean are set wider than others, in one document too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.scripts import CJK, is_east_asian
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Before all East Asian characters.
_FIRST = CJK[0]
#: What is known of no row.
_DEFAULT, _DEFAULT_EAST_ASIAN = 1.2, 1.75
#: Pitches are counted in this part of a font size; narrower and wider ones are none of text.
_PARTS = 20
_NARROWEST, _WIDEST = 16, 50
#: A row is full when it ends so near to the edge of its column.
_SHORT_OF = 0.15


class Pitch(NamedTuple):
    """Distance from one row of running text to the next, in font sizes."""

    east_asian: float
    other: float

    def between(self, before: Row, row: Row) -> float:
        """That of two rows which follow each other."""
        text, other = row.text, before.text
        # Most rows, known without a call.
        if text[0] < _FIRST and text[-1] < _FIRST and other[0] < _FIRST and other[-1] < _FIRST:
            return self.other
        scripts = is_east_asian(before.text) + is_east_asian(row.text)
        if scripts == 1:
            return (self.east_asian + self.other) / 2
        return self.east_asian if scripts else self.other


def usual_pitch(pages: Sequence[PageRows]) -> Pitch:
    """That of most rows below one of their size and column which is full."""
    seen: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    for page in pages:
        before: Row | None = None
        for item in page.items:
            if not isinstance(item, Row):
                before = None
                continue
            if (
                before is not None
                and before.size == item.size
                and before.left == item.left
                and before.x1 > before.edge - _SHORT_OF * (before.edge - before.left)
            ):
                step = item.lines[0].base - before.lines[0].base
                pitch = _PARTS * step // item.size if item.size else 0
                if _NARROWEST <= pitch <= _WIDEST:
                    seen[is_east_asian(item.text)][pitch] += 1
            before = item
    other, east_asian = map(_most, seen)
    return Pitch(east_asian or _DEFAULT_EAST_ASIAN, other or east_asian or _DEFAULT)


def _most(seen: Counter[int]) -> float | None:
    if not seen:
        return None
    # Of two that are as frequent, the larger: what is raised on a short page makes some rows of one
    # paragraph stand further apart.
    return (max(seen, key=lambda pitch: (seen[pitch], pitch)) + 1) / _PARTS
