"""Text after a set of edits, and where each of its characters came from.

Offsets are code points. The maps are exact for characters that stand; an offset inside an edited
range goes to the edge of what replaced it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]

_NO_OFFSETS = np.empty(0, np.int64)
_NOWHERE = np.zeros(1, np.int64)


class Edit(NamedTuple):
    """Replace ``[start, end)`` by ``text``."""

    start: int
    end: int
    text: str = ""


class EditedText:
    """``source`` with ``edits`` applied.

    Args:
        edits: in any order. Of two that overlap the one that starts first (or, at the same start,
            the longer one) is applied and the other is not.
    """

    def __init__(self, source: str, edits: Iterable[Edit]) -> None:
        kept: list[Edit] = []
        if not (ordered := sorted(edits, key=lambda e: (e.start, -e.end))):
            self.text, self.edits, self._moved = source, kept, _NOWHERE
            self._starts = self._ends = self._new_starts = self._new_ends = _NO_OFFSETS
            return
        parts: list[str] = []
        at = 0
        for edit in ordered:
            if edit.start < at:
                continue
            parts += (source[at : edit.start], edit.text)
            at = edit.end
            kept.append(edit)
        self.text = "".join([*parts, source[at:]])
        self.edits = kept
        self._starts = np.array([edit.start for edit in kept], np.int64)
        self._ends = np.array([edit.end for edit in kept], np.int64)
        lengths = np.array([len(edit.text) for edit in kept], np.int64)
        grown = np.cumsum(lengths - (self._ends - self._starts), dtype=np.int64)
        #: How far text has moved after so many edits.
        self._moved = np.concatenate((np.zeros(1, np.int64), grown))
        self._new_starts = self._starts + self._moved[:-1]
        self._new_ends = self._new_starts + lengths

    def forward(self, offsets: Offsets) -> Offsets:
        """Where offsets of the source lie in the edited text."""
        passed = np.searchsorted(self._ends, offsets, side="right")
        result = offsets + self._moved[passed]
        inside = passed < len(self._starts)
        index = np.minimum(passed, max(len(self._starts) - 1, 0))
        if len(self._starts):
            inside &= self._starts[index] < offsets
            result = np.where(inside, self._new_starts[index], result)
        return result

    def backward(self, offsets: Offsets) -> Offsets:
        """Where offsets of the edited text lay in the source; after what was removed there."""
        passed = np.searchsorted(self._new_ends, offsets, side="right")
        result = offsets - self._moved[passed]
        index = np.minimum(passed, max(len(self._starts) - 1, 0))
        if len(self._starts):
            inside = (passed < len(self._starts)) & (self._new_starts[index] < offsets)
            result = np.where(inside, self._starts[index], result)
        return result
