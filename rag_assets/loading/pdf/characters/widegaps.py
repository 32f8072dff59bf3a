"""Blanks within lines of ideographs: cells that stand near each other, a number and its title.

MuPDF reads them as one run of text, and puts no blank behind an ideograph. All of them are as wide
as their font is large, so that the width of a line tells whether it has such a gap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.scripts import CJK, is_set_wide
from rag_assets.loading.pdf.extraction.stext import characters_of

#: Lines of more characters are text, which may be set flush.
_LONGEST = 24
_WIDE = re.compile(f"[{CJK}]{{4,{_LONGEST}}}")
#: Stops, and what opens or closes, have a part of their width empty.
_ENDS = re.compile("[^、。，．：；！？・\u3000（「『《〈【〔“‘]")
_BEGINS = re.compile("[^、。，．：；！？・\u3000）」』》〉】〕”’]")
#: In font sizes: so wide is a gap at least.
_GAP = 0.2


def write_wide_gaps(lines: Sequence[Line], text: str, text_page: Any) -> None:
    """Write blanks into the ``lines`` of a page, which are its ``text``, where they have gaps."""
    # Asked of every page.
    if text.isascii() or not _WIDE.search(text):
        return
    for line in lines:
        length = len(line.text)
        if (
            length <= _LONGEST
            and line.box.x1 - line.box.x0 > (length + _GAP) * line.size
            and _WIDE.fullmatch(line.text)
        ):
            line.text = _spaced(line, text_page)


def _spaced(line: Line, text_page: Any) -> str:
    """The text of a line with blanks; what is set wide throughout stays as it is."""
    found = characters_of(text_page, line.box)
    gaps = [
        at
        for at, (before, after) in enumerate(pairwise(found), 1)
        if after.x - before.x > (1 + _GAP) * line.size
    ]
    if len(found) != len(line.raw) or line.raw != line.text or 2 * len(gaps) >= len(found):
        return line.text
    pieces = [line.text[begin:end] for begin, end in pairwise([0, *gaps, len(found)])]
    text = pieces[0]
    for before, piece in pairwise(pieces):
        parted = _ENDS.match(before[-1]) and _BEGINS.match(piece)
        text += " " + piece if parted and not is_set_wide(before, piece) else piece
    return text
