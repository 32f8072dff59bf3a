"""Accents that were drawn apart from their letters.

TeX's older fonts have no letter with an accent: it draws the accent, moves back and draws the
letter, and the extraction has two characters, ``f¨ur``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from rag_assets.loading.pdf.characters.glyphs import Glyph, lines_with_glyphs
from rag_assets.loading.pdf.extraction.blocks import Line

#: What is drawn, and the combining mark that it means.
_MARKS = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306",
    "˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c", "¸": "\u0327",
    "˛": "\u0328",
}  # fmt: skip
ACCENTS = frozenset(_MARKS)
_ACCENT = re.compile(f"[{''.join(_MARKS)}]")
#: Letters that lose their dot below an accent.
_WITHOUT_DOT = {"ı": "i", "ȷ": "j"}
#: All of them in UTF-8, by the byte that begins them; code has grave accents, but few before a
#: letter that may bear one.
_DRAWN = {
    b"\xcb": re.compile(rb"\xcb[\x86\x87\x98-\x9d]"),
    b"\xc2": re.compile(rb"\xc2[\xa8\xaf\xb4\xb8]"),
    b"`": re.compile(rb"`(?:[aeiouAEIOU]|\xc4\xb1)"),
}
#: An accent and its letter share so much of the narrower one's width.
_OVER = 0.5
#: So many font sizes apart, and nearer, is one word: the extraction puts a blank before an accent
#: that stands higher than the letters before it.
_ONE_WORD = 0.1


def may_hold_accents(data: bytes) -> bool:
    """Whether a text page, as printed, holds accents that are characters of their own."""
    # A single byte is found ten times as fast.
    return any(byte in data and pattern.search(data) for byte, pattern in _DRAWN.items())


def write_accents(lines: Sequence[Line | None], text_page: Any) -> None:
    """Write letters and the accents drawn over them as one character, where there is such a one.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
    """
    for line, glyphs in lines_with_glyphs(lines, text_page, _ACCENT.search):
        if len(line.raw) == len(glyphs):
            # What is known of a character by its font is in the line alone.
            named = [g._replace(text=c) for c, g in zip(line.raw, glyphs, strict=True)]
            line.text = _composed(named).strip()


def _composed(glyphs: Sequence[Glyph]) -> str:
    text: list[str] = []
    at = 0
    while at < len(glyphs):
        glyph = glyphs[at]
        made = ""
        if glyph.text in ACCENTS:
            after = glyphs[at + 1] if at + 1 < len(glyphs) else None
            before = glyphs[at - 1] if at else None
            if before and (not after or _over(glyph, before) > _over(glyph, after)):
                # Below its letter, or above another accent, it may be drawn behind it.
                if made := _letter(glyph, before._replace(text=text[-1])):
                    text.pop()
            elif after and (made := _letter(glyph, after)):
                if at > 1 and _is_no_blank(glyphs[at - 2], glyphs[at - 1], after):
                    text.pop()
                at += 1
        text.append(made or glyph.text)
        at += 1
    return "".join(text)


def _is_no_blank(before: Glyph, blank: Glyph, letter: Glyph) -> bool:
    """Whether a letter goes on with the word before a blank."""
    return blank.text == " " and letter.left - before.right < _ONE_WORD * letter.size


def _over(accent: Glyph, letter: Glyph) -> float:
    return min(accent.right, letter.right) - max(accent.left, letter.left)


def _letter(accent: Glyph, letter: Glyph) -> str:
    """What an accent and a letter make; empty when it does not stand over it, or they make no
    character."""
    if _over(accent, letter) <= _OVER * min(accent.width, letter.width):
        return ""
    base = _WITHOUT_DOT.get(letter.text, letter.text)
    made = unicodedata.normalize("NFC", base + _MARKS[accent.text])
    return made if len(made) == 1 else ""
