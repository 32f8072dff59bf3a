"""From offsets in the normalised text back to lines, pages and boxes.

Everything is computed for all ranges of a document at once. What is unknown stays unknown: a
range without anchors has no page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rag_query.contracts.tables import ANCHOR

Ints = npt.NDArray[np.int64]
_BOX = ("x0", "y0", "x1", "y1")
#: No anchor at all, in the type of many.
NO_ANCHORS = pa.array([], ANCHOR)


def offsets(values: Sequence[int]) -> Ints:
    """A column of offsets."""
    return np.asarray(values, dtype=np.int64)


def visible(text: str, start: int, end: int) -> tuple[int, int]:
    """``start:end`` without blanks at its edges; empty at ``start`` when there is nothing else."""
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return start, start
    start += len(piece) - len(piece.lstrip())
    return start, start + len(inner)


class LineMap:
    """Facts lines (1-based) of offsets in ``md``."""

    def __init__(self, md: str, line_map: pa.Array) -> None:
        width, encoding = (np.uint8, "ascii") if md.isascii() else (np.uint32, "utf-32-le")
        data = np.frombuffer(md.encode(encoding, "surrogatepass"), dtype=width)
        self._newlines = (data == ord("\n")).nonzero()[0]
        self._facts = line_map.to_numpy(zero_copy_only=False)

    def lines(self, starts: Ints, ends: Ints) -> tuple[list[int | None], list[int | None]]:
        """First and last line of each range ``[start, end)``; None for an empty one."""
        first = self._newlines.searchsorted(starts, side="left")
        last = self._newlines.searchsorted(np.maximum(ends - 1, starts), side="left")
        known = (ends > starts) & (last < len(self._facts))
        return self._facts_of(first, known), self._facts_of(last, known)

    def _facts_of(self, lines: Ints, known: npt.NDArray[np.bool_]) -> list[int | None]:
        if known.all():
            found: list[int | None] = self._facts[lines].tolist()
            return found
        pairs = zip(lines.tolist(), known.tolist(), strict=True)
        return [int(self._facts[line]) if is_known else None for line, is_known in pairs]


@dataclass(frozen=True, slots=True)
class Clipped:
    """Anchors of many ranges: range ``i`` holds rows ``first[i]:first[i + 1]`` of ``anchors``,
    whose offsets count from the range's own start."""

    first: Ints
    anchors: pa.StructArray


class AnchorMap:
    """Pages and boxes of offsets in a normalised text."""

    def __init__(self, anchors: pa.StructArray) -> None:
        self._start = self._end = self._reach = np.empty(0, dtype=np.int64)
        if not len(anchors):
            return
        self._start = anchors.field("char_start").to_numpy(zero_copy_only=False).astype(np.int64)
        self._end = anchors.field("char_end").to_numpy(zero_copy_only=False).astype(np.int64)
        if np.any(self._start[1:] < self._start[:-1]):
            order = np.argsort(self._start, kind="stable")
            anchors = anchors.take(pa.array(order))
            self._start, self._end = self._start[order], self._end[order]
        self._anchors = anchors
        # Ends need not be sorted where ranges are nested; their running maximum is.
        self._reach = np.maximum.accumulate(self._end)

    @property
    def empty(self) -> bool:
        """Whether nothing is known of any page."""
        return not len(self._start)

    def clip(self, starts: Ints, ends: Ints) -> Clipped:
        """The anchors that overlap each range, cut to it."""
        if not len(self._start):
            return Clipped(np.zeros(len(starts) + 1, dtype=np.int64), NO_ANCHORS)
        low = self._reach.searchsorted(starts, side="right")
        high = np.maximum(self._start.searchsorted(ends, side="left"), low)
        counts = high - low
        owner = np.repeat(np.arange(len(starts)), counts)
        before = np.cumsum(counts) - counts
        row = np.arange(len(owner)) - before[owner] + low[owner]
        start = np.maximum(self._start[row], starts[owner])
        end = np.minimum(self._end[row], ends[owner])
        kept = end > start
        owner, row, start, end = owner[kept], row[kept], start[kept], end[kept]
        first = owner.searchsorted(np.arange(len(starts) + 1), side="left")
        picked = self._anchors.take(pa.array(row))
        columns = [
            pa.array((start - starts[owner]).astype(np.int32)),
            pa.array((end - starts[owner]).astype(np.int32)),
            picked.field("page"),
            *(picked.field(name) for name in _BOX),
        ]
        return Clipped(first, pa.StructArray.from_arrays(columns, fields=list(ANCHOR)))


def pages(clipped: Clipped) -> tuple[list[int | None], list[int | None]]:
    """First and last page of each range; None where there is no anchor."""
    if not len(clipped.anchors):
        none: list[int | None] = [None] * (len(clipped.first) - 1)
        return none, none
    number = clipped.anchors.field("page").to_numpy(zero_copy_only=False)
    low: list[int | None] = []
    high: list[int | None] = []
    bounds = clipped.first.tolist()
    for first, last in pairwise(bounds):
        some = number[first:last]
        low.append(int(some.min()) if len(some) else None)
        high.append(int(some.max()) if len(some) else None)
    return low, high
