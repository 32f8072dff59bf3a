"""Which chunk the text read from a picture belongs to.

A line of a page goes to the chunk of that page whose text or image it stands on, else to the
nearest one; a page without a chunk gives its lines to the chunk before it. Text of an image goes
to every chunk that shows the image. A line that the chunk says already is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_BLANK = re.compile(r"\W+")


class ReadLine(NamedTuple):
    """A line and its place, which is unknown for an image that is on no page."""

    text: str
    page: int | None
    x0: float | None
    y0: float | None
    x1: float | None
    y1: float | None


class Place(NamedTuple):
    """A box of a chunk on a page."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class ChunkPlaces:
    """What placing knows of a chunk; chunks come in the order of the document."""

    text: str
    asset_ids: Sequence[str]
    pages: tuple[int, int] | None
    places: Sequence[Place]


@dataclass(slots=True)
class OcrText:
    """What was read for one chunk: ``text``, and anchors with offsets in it."""

    text: str = ""
    anchors: list[dict[str, Any]] = field(default_factory=list)


def place_lines(
    chunks: Sequence[ChunkPlaces],
    read: Iterable[Mapping[str, Any]],
    image_places: Mapping[str, Sequence[Place]],
    max_chars: int,
) -> list[OcrText]:
    """The text read for each chunk of one document version.

    Args:
        read: rows of ``ocr`` that are ready.
        image_places: asset_id -> where the image stands on pages; a line of it takes that box.
        max_chars: of one chunk's text; the lines after it are left out.
    """
    found: list[list[ReadLine]] = [[] for _ in chunks]
    index = _Pages(chunks)
    showing: dict[str, list[int]] = {}
    for number, chunk in enumerate(chunks):
        for asset_id in chunk.asset_ids:
            showing.setdefault(asset_id, []).append(number)
    for row in read:
        lines = [(row["text"][ln["char_start"] : ln["char_end"]], ln) for ln in row["lines"]]
        if row["page"] is not None:
            for text, at in lines:
                line = ReadLine(text, row["page"], at["x0"], at["y0"], at["x1"], at["y1"])
                if (owner := index.owner(line)) is not None:
                    found[owner].append(line)
            continue
        for number in showing.get(row["asset_id"], ()):
            place = _place_in(chunks[number], image_places.get(row["asset_id"], ()))
            box = place or (None,) * 5
            found[number] += [ReadLine(text, *box) for text, _ in lines]
    return [_joined(chunk, lines, max_chars) for chunk, lines in zip(chunks, found, strict=True)]


class _Pages:
    """Chunks by page."""

    def __init__(self, chunks: Sequence[ChunkPlaces]) -> None:
        self._on: dict[int, list[tuple[int, Place]]] = {}
        for number, chunk in enumerate(chunks):
            for place in chunk.places:
                self._on.setdefault(place.page, []).append((number, place))
        self._starts = [
            (chunk.pages[0], number) for number, chunk in enumerate(chunks) if chunk.pages
        ]
        self._starts.sort()

    def owner(self, line: ReadLine) -> int | None:
        """The chunk a line of a page belongs to; None when no chunk has a page."""
        assert line.page is not None and line.x0 is not None and line.y0 is not None
        assert line.x1 is not None and line.y1 is not None
        x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        if places := self._on.get(line.page):
            return min(places, key=lambda held: _distance(held[1], x, y))[0]
        if not self._starts:
            return None
        at = bisect_right(self._starts, (line.page, len(self._starts))) - 1
        return self._starts[max(at, 0)][1]


def _distance(place: Place, x: float, y: float) -> tuple[float, float]:
    """How far a point is from a box; of boxes that hold it the smallest is nearest."""
    dx = max(place.x0 - x, 0.0, x - place.x1)
    dy = max(place.y0 - y, 0.0, y - place.y1)
    return dx * dx + dy * dy, (place.x1 - place.x0) * (place.y1 - place.y0)


def _place_in(chunk: ChunkPlaces, places: Sequence[Place]) -> Place | None:
    """Where an image stands: on a page of the chunk."""
    if chunk.pages is None:
        return None
    first, last = chunk.pages
    return next((place for place in places if first <= place.page <= last), None)


def _joined(chunk: ChunkPlaces, lines: Iterable[ReadLine], max_chars: int) -> OcrText:
    said = _BLANK.sub("", chunk.text).casefold()
    parts: list[str] = []
    anchors: list[dict[str, Any]] = []
    at = 0
    for line in lines:
        squeezed = _BLANK.sub("", line.text).casefold()
        if not squeezed or squeezed in said:
            continue
        if at + len(line.text) > max_chars:
            break
        if line.page is not None:
            anchors.append(
                {
                    "char_start": at,
                    "char_end": at + len(line.text),
                    "page": line.page,
                    "x0": line.x0,
                    "y0": line.y0,
                    "x1": line.x1,
                    "y1": line.y1,
                }
            )
        parts.append(line.text)
        at += len(line.text) + 1
    return OcrText("\n".join(parts), anchors)
