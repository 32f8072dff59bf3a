"""The characters of a text page and where each of them stands, which takes longer than its lines
and is asked of pages in certain scripts alone."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import printed

#: What tells of a line that it runs from left to right, the size of a font in it, and a character
#: with its left and right end, as MuPDF prints them.
_LEVEL = re.compile(r'[^>]*dir="1 0"')
_TOKEN = re.compile(r'<font [^>]*size="([\d.]+)"|<char c="([^"]*)" quad="(\S+) \S+ (\S+) ')


class Glyph(NamedTuple):
    """A character, its ends and its font size, in points."""

    text: str
    left: float
    right: float
    size: float

    @property
    def width(self) -> float:
        return self.right - self.left


def lines_with_glyphs(
    lines: Sequence[Line | None], text_page: Any, wanted: Callable[[str], object]
) -> Iterator[tuple[Line, list[Glyph]]]:
    """The lines whose text is ``wanted`` and still as the page has it, each with its characters;
    none where the characters are of other lines.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
    """
    from pymupdf import mupdf

    page = printed(text_page, mupdf.fz_print_stext_page_as_xml, 0).decode("utf-8", "replace")
    _, *found = page.split("<line ")
    if len(found) != len(lines):
        return
    for line, characters in zip(lines, found, strict=True):
        if line is not None and line.text == line.raw.strip() and wanted(line.text):
            yield line, _glyphs_of(characters)


def _glyphs_of(line: str) -> list[Glyph]:
    """The characters of a line as MuPDF prints it; none of one that does not run from left to
    right."""
    if not _LEVEL.match(line):
        return []
    found: list[Glyph] = []
    size = 0.0
    for of_font, text, left, right in _TOKEN.findall(line):
        if of_font:
            size = float(of_font)
        else:
            found.append(Glyph(html.unescape(text), float(left), float(right), size))
    return found
