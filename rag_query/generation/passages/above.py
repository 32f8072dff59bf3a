"""What stands above a line of a chunk: the headings of its section, and the boxes it stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_query.generation.passages.boxes import BoxLine, box_line
from rag_query.generation.passages.lines import HEADING
from rag_query.text.marks import Marked

_CLOSING = re.compile(r"[ \t]+#+\s*$")
#: Boxes and tabs stand below every heading.
_BOX_LEVEL = 7


@dataclass(frozen=True, slots=True)
class Title:
    """A heading, or the title of a box; of one without a title, empty.

    Attributes:
        level: of a heading, 1 to 6.
        is_indented: what the box holds is, so that it ends at the first line that is not.
    """

    level: int
    text: str
    is_tab: bool = False
    is_indented: bool = False


@dataclass(frozen=True, slots=True)
class Above:
    """Titles, the nearest last."""

    titles: tuple[Title, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        """What they say."""
        return tuple(title.text for title in self.titles if title.text)

    @property
    def tab(self) -> str:
        """The title of the tab that is open; empty where none is."""
        return next((title.text for title in reversed(self.titles) if title.is_tab), "")

    def at(self, line: str) -> Above:
        """Those above a line: one that is not indented stands in no box whose text is."""
        if line[:1].isspace() or not any(title.is_indented for title in self.titles):
            return self
        return Above(tuple(title for title in self.titles if not title.is_indented))

    def opened(self, read: Marked, start: int, end: int, below: str) -> Above | None:
        """Those below a line that is a heading or opens or closes a box; None where it does
        neither.

        Args:
            below: the line after it.
        """
        line = read.text[start:end]
        if (box := box_line(line)) is not None:
            return self._closed(box) if box.closes else self._boxed(box, below)
        heading = HEADING.match(line)
        if heading is None:
            return None
        level = len(heading["level"])
        text = _CLOSING.sub("", read.said(start + heading.end(), end))
        return Above((*(each for each in self.titles if each.level < level), Title(level, text)))

    def _closed(self, box: BoxLine) -> Above:
        """Without the innermost box; without all, where it is a tab that ends."""
        titles = self.titles
        if not box.nests:
            return Above(tuple(each for each in titles if each.level < _BOX_LEVEL))
        return Above(titles[:-1]) if titles and titles[-1].level == _BOX_LEVEL else self

    def _boxed(self, box: BoxLine, below: str) -> Above:
        """With a box; one that does not nest stands in the place of the one before."""
        outer = self.titles
        if not box.nests:
            outer = tuple(each for each in outer if each.level < _BOX_LEVEL)
        is_indented = not box.nests and below[:1].isspace()
        return Above((*outer, Title(_BOX_LEVEL, box.title, box.is_tab, is_indented)))
