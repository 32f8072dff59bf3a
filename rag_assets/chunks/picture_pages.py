"""Pages that are nothing but pictures, parted from each other and from the text around them.

A chunker knows no pages, so it packs the pages of a scan together. What is read from such a page
is found and cited page by page (DEV_SPEC 3.6.4), so each becomes a chunk of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from rag_assets.chunks.base import Piece
from rag_assets.sections.places import AnchorMap, Ints, offsets, pages, visible
from rag_query.text.pictures import PICTURE

#: A paragraph of images alone.
_PARAGRAPH = re.compile(
    rf"^{PICTURE.pattern}(?:[^\S\n]*\n?[^\S\n]*{PICTURE.pattern})*[^\S\n]*$", re.M
)


class PicturePages:
    """Where the pages of one document begin and end that are only pictures.

    Args:
        text: the normalised text.
        anchors: its places.
    """

    def __init__(self, text: str, anchors: AnchorMap) -> None:
        self._cuts: list[int] = []
        if anchors.empty or "](" not in text:
            return
        found = [(m.start(), m.end()) for m in _PARAGRAPH.finditer(text)]
        if not found:
            return
        starts, ends = offsets([s for s, _ in found]), offsets([e for _, e in found])
        first, last = pages(anchors.clip(starts, ends))
        worded = _pages_with_words(text, anchors, starts, ends)
        runs: list[list[int]] = []  # page, start, end
        for (start, end), page, until in zip(found, first, last, strict=True):
            if page is None or page != until or page in worded:
                continue
            if runs and runs[-1][0] == page and not text[runs[-1][2] : start].strip():
                runs[-1][2] = end
            else:
                runs.append([page, start, end])
        self._cuts = sorted({place for _, start, end in runs for place in (start, end)})

    def part(self, text: str, offset: int, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """``pieces`` of a section's ``text``, which begins at ``offset``, cut at those places."""
        if not self._cuts:
            return pieces
        return [part for piece in pieces for part in self._parts(text, offset, piece)]

    def _parts(self, text: str, offset: int, piece: Piece) -> list[Piece]:
        start, end = piece.start + offset, piece.end + offset
        inner = [cut - offset for cut in self._cuts if start < cut < end]
        if not inner:
            return [piece]
        parts = []
        for bounds in pairwise([piece.start, *inner, piece.end]):
            low, high = visible(text, *bounds)
            if low < high:
                parts.append(replace(piece, start=low, end=high))
        return parts


def _pages_with_words(text: str, anchors: AnchorMap, starts: Ints, ends: Ints) -> set[int]:
    """Pages on which anything but those paragraphs stands."""
    gaps_from = np.concatenate(([0], ends))
    gaps_to = np.concatenate((starts, [len(text)]))
    clipped = anchors.clip(gaps_from, np.maximum(gaps_to, gaps_from))
    if not len(clipped.anchors):
        return set()
    return set(clipped.anchors.field("page").to_pylist())
