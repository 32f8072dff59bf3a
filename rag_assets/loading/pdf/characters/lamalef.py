"""Lam and alef that are drawn as one glyph, in the order they are read.

A font says that the glyph is ﻻ, or that it is both letters. MuPDF takes it for two characters, of
which the second has no width, and turns the order of all characters of the line around: الاسم is
read as االسم, and no search finds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from rag_assets.loading.pdf.characters.glyphs import Glyph, lines_with_glyphs
from rag_assets.loading.pdf.extraction.blocks import Line

#: Alef as it follows lam in one glyph, and what is said of the one glyph for God's name, turned
#: around.
_TURNED = re.compile("[اأإآٱ]ل|هللا")
_LAM = "ل".encode()
_AS_ONE = 0.01


def may_hold_lam_alef(data: bytes) -> bool:
    """Whether a text page, as printed, holds Arabic."""
    # One byte is looked for several times as quickly as two.
    return _LAM[:1] in data and _LAM in data


def write_lam_alef(lines: Sequence[Line | None], text_page: Any) -> None:
    """Write the letters of such glyphs in their order.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
    """
    for line, glyphs in lines_with_glyphs(lines, text_page, _TURNED.search):
        if line.raw == "".join([glyph.text for glyph in glyphs]):
            line.text = _TURNED.sub(partial(_in_order, glyphs), line.raw).strip()


def _in_order(glyphs: Sequence[Glyph], letters: re.Match[str]) -> str:
    """Some letters of a line, turned around where they are one glyph: only the last one is wide,
    and the others stand at its right end."""
    *others, last = glyphs[letters.start() : letters.end()]
    is_one = all(
        other.width < _AS_ONE and abs(other.left - last.right) < _AS_ONE for other in others
    )
    return letters[0][::-1] if is_one and last.width > 0 else letters[0]
