"""Which chunk of a document a place in its text belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple


class _Place(NamedTuple):
    """Where a chunk's text stands, once of perhaps several times."""

    start: int
    end: int
    chunk: dict[str, Any]


class Holders:
    """The chunks of one version by the places in ``md_norm`` where their texts stand.

    Chunks overlap, and a text that stands there twice is one chunk.
    """

    def __init__(self, chunks: Sequence[dict[str, Any]]) -> None:
        """``chunks``: rows with ``char_start``, ``char_end`` and ``also_at``."""
        self._places = sorted(
            (
                _Place(at["char_start"], at["char_end"], chunk)
                for chunk in chunks
                for at in (chunk, *chunk["also_at"])
            ),
            key=lambda place: place.start,
        )
        self._starts = [place.start for place in self._places]
        #: How far the chunks up to each place reach.
        self._reached = list(accumulate((place.end for place in self._places), max))

    def first(self, place: int) -> dict[str, Any] | None:
        """The first chunk that holds a place, or None."""
        index = bisect_right(self._reached, place)
        # The first chunk that reaches beyond the place; those after it begin even later.
        if index < len(self._places) and self._starts[index] <= place:
            return self._places[index].chunk
        return None

    def below(self, place: int) -> dict[str, Any] | None:
        """The chunk to read on from a place: of those that hold it the one that begins last, else
        the next one, else the last of all; None without chunks."""
        if not self._places:
            return None
        index = bisect_right(self._starts, place)
        if index and place < self._places[index - 1].end:
            return self._places[index - 1].chunk
        return self.first(place) or self._places[min(index, len(self._places) - 1)].chunk
