"""Where words of a chunk stand on pages: one way for evidence, answers and summaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rag_query.contracts.evidence import Box
from rag_query.library.served import Anchor, ServedChunk
from rag_query.library.snapshot import Snapshot

#: More boxes than this are of no use to a viewer.
MAX_BOXES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Pages and boxes of some words.

    Attributes:
        page: first page, 1-based; None when the format has no pages.
        page_end: last page.
        boxes: in reading order; empty when none is known.
    """

    page: int | None = None
    page_end: int | None = None
    boxes: tuple[Box, ...] = ()


#: (chunk_id, start, end) -> where these words of the chunk stand: of its text, or of what was read
#: by OCR where it is nothing but pictures.
Where = Callable[[str, int, int], Place]


def anchors_in(anchors: Sequence[Anchor], ranges: Iterable[tuple[int, int]]) -> list[Anchor]:
    """The anchors of what stands in half-open ranges of a chunk's text."""
    wanted = list(ranges)
    return [
        anchor
        for anchor in anchors
        for start, end in wanted
        if anchor.char_start < end and start < anchor.char_end
    ]


def boxes_of(anchors: Iterable[Anchor]) -> tuple[Box, ...]:
    """Boxes without repetition, in the order of the anchors, at most ``MAX_BOXES``."""
    places: dict[tuple[int, float, float, float, float], None] = {}
    for anchor in anchors:
        x0, y0, x1, y1 = anchor.x0, anchor.y0, anchor.x1, anchor.y1
        if x0 is not None and y0 is not None and x1 is not None and y1 is not None:
            places.setdefault((anchor.page, x0, y0, x1, y1))
    return tuple(
        Box(page=page, x0=x0, y0=y0, x1=x1, y1=y1)
        for page, x0, y0, x1, y1 in list(places)[:MAX_BOXES]
    )


def place_of(
    row: ServedChunk, anchors: Sequence[Anchor], ranges: Iterable[tuple[int, int]]
) -> Place:
    """The place of ranges of a chunk's text; of the whole chunk when none of them has one.

    Args:
        anchors: of the text the ranges are of: the chunk's own, or what was read by OCR.
    """
    held = anchors_in(anchors, ranges)
    pages = [anchor.page for anchor in held]
    first, last = (min(pages), max(pages)) if pages else (row.page_start, row.page_end)
    return Place(first, last, boxes_of(held))


class VersionPlaces:
    """Places of words of one version's chunks; a chunk is read when it is first asked for."""

    def __init__(self, snapshot: Snapshot, version_id: str) -> None:
        self._snapshot = snapshot
        self._version_id = version_id
        self._rows: dict[str, ServedChunk | None] = {}

    def __call__(self, chunk_id: str, start: int, end: int) -> Place:
        """See :data:`Where`; an unknown chunk has no place."""
        if chunk_id not in self._rows:
            found = self._snapshot.chunks([chunk_id], self._version_id)
            self._rows[chunk_id] = found[0] if found else None
        row = self._rows[chunk_id]
        return Place() if row is None else place_of(row, row.places, [(start, end)])
