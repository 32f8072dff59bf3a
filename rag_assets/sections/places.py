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

from rag_query.contracts.columns import ANCHOR

Ints = npt.NDArray[np.int64]
_BOX = ("x0", "y0", "x1", "y1")
#: No anchor at all, in the type of many.
NO_ANCHORS = pa.array([], ANCHOR)
_NONE: Ints = np.empty(0, dtype=np.int64)


def offsets(values: Sequence[int] | Ints) -> Ints:
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


class Places:
    """What the rows of a batch of ``normalized`` say of places; each row's is a view."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        lines, anchors = batch["line_map"], batch["anchors"]
        self._lines = lines.values.to_numpy(zero_copy_only=False)
        self._line_bounds = lines.offsets.to_pylist()
        self._anchors = anchors.values
        self._anchor_bounds = anchors.offsets.to_pylist()

    def lines(self, row: int, md: str) -> LineMap:
        """Of the row, whose text is ``md``."""
        return LineMap(md, self._lines[slice(*self._line_bounds[row : row + 2])])

    def anchors(self, row: int) -> AnchorMap:
        """Of the row."""
        return AnchorMap(self._anchors[slice(*self._anchor_bounds[row : row + 2])])


class LineMap:
    """Facts lines (1-based) of offsets in ``md``.

    Args:
        line_map: the facts line of each line of ``md``.
    """

    def __init__(self, md: str, line_map: npt.NDArray[np.int32]) -> None:
        self._md = md
        self._facts = line_map

    def lines(
        self, starts: Sequence[int], ends: Sequence[int]
    ) -> tuple[list[int | None], list[int | None]]:
        """First and last line of each range ``[start, end)``; None for an empty one.

        Newlines are counted from one place to the next, so ranges in order cost one pass.
        """
        first: list[int | None] = []
        last: list[int | None] = []
        count, fact, known_lines = self._md.count, self._facts.item, len(self._facts)
        at = line = 0
        for start, end in zip(starts, ends, strict=True):
            line += count("\n", at, start) if at <= start else -count("\n", start, at)
            begins, at = line, start
            if start < end:
                at = end - 1
                line += count("\n", start, at)
            known = start < end and line < known_lines
            first.append(fact(begins) if known else None)
            last.append(fact(line) if known else None)
        return first, last


@dataclass(frozen=True, slots=True)
class Clipped:
    """Anchors of many ranges: range ``i`` holds rows ``first[i]:first[i + 1]`` of ``anchors``,
    whose offsets count from the range's own start."""

    first: Ints
    anchors: pa.StructArray


class AnchorMap:
    """Pages and boxes of offsets in a normalised text."""

    def __init__(self, anchors: pa.StructArray) -> None:
        self._start = self._end = self._reach = _NONE
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

    def clip(self, starts: Sequence[int] | Ints, ends: Sequence[int] | Ints) -> Clipped:
        """The anchors that overlap each range, cut to it."""
        if not len(self._start):
            return Clipped(np.zeros(len(starts) + 1, dtype=np.int64), NO_ANCHORS)
        starts, ends = offsets(starts), offsets(ends)
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
