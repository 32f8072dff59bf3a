"""What stands raised on a page: marks that lead to footnotes, and exponents.

The structured text a page is read from tells only the font of a line's first character, so the
runs within the lines are asked of the same extraction, and only on pages that may hold notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_assets.loading.pdf_stext import UNIT, Box

if TYPE_CHECKING:
    from rag_assets.loading.pdf_page import Line

RAISED_DIGITS = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
#: What stands before a note: a number, a raised number, a circled one, a letter or a sign.
NOTE_MARK = re.compile(
    rf"(?:\d{{1,3}}|[{RAISED_DIGITS}]{{1,3}}|[①-⑳㉑-㉟❶-❿]|[*†‡§¶‖]{{1,3}}|[a-z](?![a-z]))"
)
#: A note is at most this share of the size of the text.
NOTE_SIZE = 0.93
#: Share of the page's height above which no note begins.
NOTES_BELOW = 0.35
#: The raised mark of a note is at most this share of the note's own size.
_RAISED_SIZE = 0.85


class Raised(NamedTuple):
    """A raised run of text as the extraction reports it.

    ``before`` is the text of its line up to it; ``first`` tells that it begins the line, where
    only its size, smaller than what follows, makes it one. ``box`` is that of the line.
    """

    before: str
    text: str
    first: bool
    box: Box


def may_hold_notes(lines: Sequence[Line], height: int) -> bool:
    """Whether a line low on a page ``height`` high is smaller than most of it and begins with a
    mark. Without the rest of the document it is a guess, good enough to look at the page once."""
    lowest = NOTES_BELOW * height
    marked = [line.size for line in lines if line.y0 >= lowest and NOTE_MARK.match(line.text)]
    if not marked:
        return False
    sizes: Counter[int] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return min(marked) <= NOTE_SIZE * max(sizes, key=sizes.__getitem__)


def raised_in(text_page: Any) -> list[Raised]:
    """The raised runs of a PyMuPDF text page, outside of the structures it found."""
    found: list[Raised] = []
    for block in text_page.extractDICT()["blocks"]:
        for line in block.get("lines", ()):
            spans = line["spans"]
            # What a single run would be raised from is on no line.
            if len(spans) < 2:
                continue
            before = ""
            for at, span in enumerate(spans):
                # A line's first run is what the others are raised from; only its size tells.
                first = at + 1 < len(spans) and not before.strip()
                smaller = first and span["size"] <= _RAISED_SIZE * spans[at + 1]["size"]
                if (span["flags"] & 1 or smaller) and span["text"].strip():
                    box = Box(*(round(side * UNIT) for side in line["bbox"]))
                    found.append(Raised(before, span["text"], first, box))
                before += span["text"]
    return found
