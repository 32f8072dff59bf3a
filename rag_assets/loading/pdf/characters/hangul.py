"""Blanks between Korean words where a PDF draws none.

TeX moves to the next word and draws no blank. The extraction puts one where it sees such a gap
between Latin words, but none behind Hangul.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rag_assets.loading.pdf.characters.glyphs import Glyph, lines_with_glyphs
from rag_assets.loading.pdf.extraction.blocks import Line

#: The byte that begins U+B000-BFFF, which is Hangul and nothing else, in UTF-8.
_BYTE = b"\xeb"
#: Words have so many syllables, seldom more.
_LONG = re.compile("[\uac00-\ud7a3]{9}")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WORD_BEGINS = re.compile(r"[\w(\[{<“‘\\「『《]")
#: Words stand so many font sizes apart, syllables of one word do not.
_GAP = 0.15


def write_blanks(lines: Sequence[Line | None], text: str, text_page: Any) -> None:
    """Write blanks into Korean text where words stand apart.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
        text: that of the page.
    """
    # Asked of every page: a single byte is found at once.
    if text.isascii() or _BYTE not in text.encode(errors="replace") or not _LONG.search(text):
        return
    for line, glyphs in lines_with_glyphs(lines, text_page, _HANGUL.search):
        if line.raw == "".join([glyph.text for glyph in glyphs]):
            line.text = _spaced(glyphs).strip()


def _spaced(glyphs: Sequence[Glyph]) -> str:
    """The text of a line; what is set wide throughout is one word."""
    gaps = {
        at: (right.left - left.right) / left.size
        for at, (left, right) in enumerate(pairwise(glyphs), 1)
        if _HANGUL.match(left.text) and _WORD_BEGINS.match(right.text)
    }
    text = "".join([glyph.text for glyph in glyphs])
    if all(gap > _GAP for gap in gaps.values()):
        return text
    for at in reversed([at for at, gap in gaps.items() if gap > _GAP]):
        text = f"{text[:at]} {text[at:]}"
    return text
