"""What tells the names and values of a list, which is read row by row, from columns of text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.columns.floats import MAX_JUMPS, MAX_MARK, MAX_VALUE
from rag_assets.loading.pdf.extraction.blocks import Line, on_one_baseline

#: This share of the values stand beside a name, and no more than this are as wide as the lines of
#: a paragraph, beside the widest.
_LISTED = 0.9
_MAX_FULL = 0.5
_FULL = 0.85


def is_list_of_values(left: list[Line], right: list[Line], drawn: Sequence[Line]) -> bool:
    """Whether two sides are the names and the values of one list, which is read row by row.

    The lines of one are narrow and stand beside those of the other; they are figures, or each was
    ``drawn`` next to the other's, while columns of text are drawn one after the other."""
    for side, other in ((right, left), (left, right)):
        widths = [line.x1 - line.x0 for line in side]
        widest = max(widths)
        if widest >= MAX_VALUE * side[0].size:
            continue
        most = _LISTED * len(side)
        figures = sum([is_figure(line.text) for line in side]) >= most
        # Browsers draw first what floats.
        floats = side is right and widest < MAX_MARK * side[0].size and _is_first(side, drawn)
        if figures or floats:
            bases = sorted([line.base for line in other])
            if sum([_stands_beside(line, bases) for line in side]) >= most:
                return True
        if sum([width > _FULL * widest for width in widths]) > _MAX_FULL * len(side):
            continue
        own = {id(line) for line in side}
        turns = [
            on_one_baseline(a, b) for a, b in pairwise(drawn) if (id(a) in own) != (id(b) in own)
        ]
        if sum(turns) >= most:
            return True
    return False


def _is_first(side: list[Line], drawn: Sequence[Line]) -> bool:
    """Whether all of a side was drawn before what stands beside it."""
    own = {id(line) for line in side}
    # The foot and the head of a page may have been drawn before.
    first = [id(line) in own for line in drawn[: len(side) + MAX_JUMPS]]
    return sum(first) == len(side)


def _stands_beside(line: Line, bases: list[int]) -> bool:
    """Whether a line stands on one of some baselines, in their order."""
    at = bisect_left(bases, line.base - line.size // 3)
    return at < len(bases) and 3 * abs(bases[at] - line.base) <= line.size
