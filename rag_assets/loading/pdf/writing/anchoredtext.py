"""Text that is put together piece by piece, in which each line knows its place on a page."""

from __future__ import annotations

from rag_assets.loading.base import Anchor
from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.paragraphs.paragraphs import DROP_HYPHEN


class AnchoredText:
    """Text so far; what is put goes to its end.

    Attributes:
        parts: the pieces it is made of.
        at: its length.
        page: the number of the page that what is put next stands on.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.at = 0
        self.page = 0
        #: Start, end, page and box of each anchor.
        self._places: list[tuple[int, int, int, Box]] = []

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def anchors(self) -> list[Anchor]:
        """One for each original line of text and each image, in order."""
        # What Anchor(start, …) makes, in a third of the time.
        new = tuple.__new__
        return [
            new(Anchor, (at, end, page, b.x0 / UNIT, b.y0 / UNIT, b.x1 / UNIT, b.y1 / UNIT))
            for at, end, page, b in self._places
        ]

    def put(self, text: str) -> None:
        """Append text of no place."""
        self.parts.append(text)
        self.at += len(text)

    def anchor(self, start: int, end: int, box: Box) -> None:
        """Say where a range of the text stands."""
        self._places.append((start, end, self.page, box))

    def put_line(self, line: Line, text: str) -> None:
        """Append ``text``, which stands where ``line`` does."""
        start = self.at
        self.parts.append(text)
        self.at = end = start + len(text)
        self._places.append((start, end, self.page, line.box))

    def put_lines(self, lines: list[Line], text: str) -> None:
        """Append ``text``, the joined text of ``lines``, with an anchor for each line."""
        first, at, stop = lines[0], self.at, len(text)
        self.parts.append(text)
        self.at = at + stop
        if len(lines) == 1:
            self._places.append((at, at + stop, self.page, first.box))
            return
        places = []
        for line in reversed(lines[1:]):
            start = text.rindex(line.text, 0, stop)
            places.append((start, start + len(line.text), line.box))
            stop = start
        # The first line takes what stands before it: a list mark, a backslash.
        places.append((0, len(text[:stop].rstrip()), first.box))
        for start, end, box in reversed(places):
            self.anchor(at + start, at + end, box)

    def join(self, joint: str) -> None:
        """Append what stands between two lines: text, or ``DROP_HYPHEN``, which takes the hyphen at
        the end back."""
        if joint != DROP_HYPHEN:
            self.put(joint)
            return
        self.parts[-1] = self.parts[-1][:-1]
        self.at -= 1
        start, _, page, box = self._places[-1]
        self._places[-1] = (start, self.at, page, box)
