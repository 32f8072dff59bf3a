"""What a document's pages tell each other while they are read one after the other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from rag_assets.loading.pdf.extraction.scripts import half_width
from rag_assets.loading.pdf.extraction.stext import FontOf
from rag_assets.loading.pdf.file.links import Target
from rag_assets.loading.pdf.file.tags import Tags


@dataclass(slots=True)
class PagesBefore:
    """What is known before a page is read, of the document and of the pages read so far.

    Attributes:
        pages: how many the document has.
        tags: what it says of its own structure.
        targets: where its links lead, by their address.
        mono: whether a font is monospaced, by its name.
        bold: the fonts that are bold by their name.
        glyphless: the fonts of recognised text.
        sizes: how many characters have which font size.
        pitches: how wide the characters of a monospaced font are, by its name and size.
        edges: of the columns of the last ruled table on the page before.
        digests: of the objects, by number, that had to be told from others by their pixels.
    """

    pages: int
    tags: Tags
    targets: dict[str, Target] = field(default_factory=dict)
    mono: dict[str, bool] = field(default_factory=dict)
    bold: set[str] = field(default_factory=set)
    glyphless: set[str] = field(default_factory=set)
    sizes: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    pitches: dict[tuple[str, int], float] = field(default_factory=dict)
    edges: tuple[int, ...] = ()
    digests: dict[int, bytes] = field(default_factory=dict)

    def pitch(self, font: FontOf, text: str, width: int) -> float:
        """How wide the blanks of a line in a monospaced font are: as any character of the last one
        without other fonts, from which programs take what it lacks."""
        key = font.name, font.size
        if text.isascii():
            self.pitches[key] = width / len(text)
        return self.pitches.get(key) or half_width(text, width, font.size)
