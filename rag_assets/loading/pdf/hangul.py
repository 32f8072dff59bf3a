"""Blanks between Korean words where a PDF draws none.

TeX moves to the next word and draws no blank. The extraction puts one where it sees such a gap
between Latin words, but none behind Hangul.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rag_assets.loading.pdf.blocks import Line
from rag_assets.loading.pdf.stext import printed

#: The byte that begins U+B000-BFFF, which is Hangul and nothing else, in UTF-8.
_BYTE = b"\xeb"
#: Words have so many syllables, seldom more.
_LONG = re.compile("[\uac00-\ud7a3]{9}")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WORD_BEGINS = re.compile(r"[\w(\[{<“‘\\「『《]")
#: Words stand so many font sizes apart, syllables of one word do not.
_GAP = 0.15
#: A line as MuPDF prints it, the size of a font in it, and a character with its left and right end.
_TOKEN = re.compile(
    r'<(line) [^>]*dir="([^"]*)"|<font [^>]*size="([\d.]+)"'
    r'|<char c="([^"]*)" quad="(\S+) \S+ (\S+) '
)


class _Glyph(NamedTuple):
    text: str
    left: float
    right: float
    size: float


def write_blanks(lines: Sequence[Line | None], text: str, text_page: Any) -> None:
    """Write blanks into Korean text where words stand apart.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
        text: that of the page.
    """
    # Asked of every page: a single byte is found at once.
    if text.isascii() or _BYTE not in text.encode(errors="replace") or not _LONG.search(text):
        return
    from pymupdf import mupdf

    page = printed(text_page, mupdf.fz_print_stext_page_as_xml, 0).decode("utf-8", "replace")
    found = _glyphs(page)
    if len(found) != len(lines):
        return
    for line, glyphs in zip(lines, found, strict=True):
        if line is None or line.text != line.raw.strip():
            continue
        if line.raw == "".join([glyph.text for glyph in glyphs]):
            line.text = _spaced(glyphs).strip()


def _glyphs(page: str) -> list[list[_Glyph]]:
    """The characters of each line; none of those that do not run from left to right."""
    found: list[list[_Glyph]] = []
    size, level = 0.0, False
    for kind, direction, of_font, text, left, right in _TOKEN.findall(page):
        if kind:
            found.append([])
            level = direction == "1 0"
        elif of_font:
            size = float(of_font)
        elif level:
            found[-1].append(_Glyph(html.unescape(text), float(left), float(right), size))
    return found


def _spaced(glyphs: Sequence[_Glyph]) -> str:
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
