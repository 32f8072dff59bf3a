"""Blanks between words of scripts behind whose letters the extraction puts none.

TeX, and programs that set text flush, move to the next word and draw no blank. MuPDF puts one where
it sees such a gap, but only behind letters below U+0700: Vietnamese letters with two marks, Greek
ones with breathings and those of India end words too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rag_assets.loading.pdf.characters.glyphs import Glyph, lines_with_glyphs
from rag_assets.loading.pdf.extraction.blocks import Line

#: The bytes that begin U+0800-1FFF in UTF-8.
_BYTES = (b"\xe0", b"\xe1")
#: Letters and their marks of the scripts there that part words with blanks: none of those from
#: Thai to Burmese, nor of Khmer. What nobody can name among them is a letter too.
_LETTERS = "\u0900-\u0dff\u10a0-\u10ff\u1200-\u16ff\u1d00-\u1fff"
_LETTER = re.compile(f"[{_LETTERS}]")
_ENDS = re.compile(f"[{_LETTERS}\ufffd]")
#: No mark above, below or beside a letter is one of them.
_BEGINS = re.compile(r"[\w(\[{<“‘«\\\ufffd]")
#: Words stand more than this apart, in font sizes; letters of one word do not.
_GAP = 0.2
#: In these scripts Y and V below or beside another consonant may be glyphs of their own that name
#: nothing, as the glyph before them names them too: so much more room is theirs.
_SUBJOINED = 0.4
_VIRAMA, _YA, _VA = 0x4D, 0x2F, 0x35
_OF_SCRIPT = 0x7F


def may_lack_blanks(data: bytes) -> bool:
    """Whether a text page, as printed, may hold letters behind which no blank is put."""
    return any(byte in data for byte in _BYTES)


def write_word_gaps(lines: Sequence[Line | None], text_page: Any) -> None:
    """Write blanks where words stand apart behind such letters.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
    """
    if not any(line is not None and _LETTER.search(line.text) for line in lines):
        return
    for line, glyphs in lines_with_glyphs(lines, text_page, _LETTER.search):
        if line.raw == "".join([glyph.text for glyph in glyphs]):
            line.text = _spaced(glyphs).strip()


def _spaced(glyphs: Sequence[Glyph]) -> str:
    """The text of a line; what is set wide throughout stays as it is."""
    gaps = [right.left - left.right for left, right in pairwise(glyphs)]
    if 2 * sum(gap > _GAP * left.size for gap, left in zip(gaps, glyphs, strict=False)) > len(gaps):
        return "".join([glyph.text for glyph in glyphs])
    text: list[str] = []
    for at, glyph in enumerate(glyphs):
        if at and gaps[at - 1] > _room(glyphs, at - 1) and _BEGINS.match(glyph.text):
            text.append(" ")
        text.append(glyph.text)
    return "".join(text)


def _room(glyphs: Sequence[Glyph], at: int) -> float:
    """How much room behind a glyph is no blank."""
    glyph = glyphs[at]
    if not _ENDS.match(glyph.text):
        return float("inf")
    subjoined = (
        at > 0
        and glyph.width == 0
        and _place(glyph) in (_YA, _VA)
        and _place(glyphs[at - 1]) == _VIRAMA
    )
    return (_GAP + subjoined * _SUBJOINED) * glyph.size


def _place(glyph: Glyph) -> int:
    """Where a character stands in the block of its script; the blocks of India are alike."""
    return ord(glyph.text) & _OF_SCRIPT
