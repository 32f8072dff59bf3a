"""The characters of a text page and where each of them stands, which takes longer than its lines
and is asked of pages in certain scripts alone."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import printed

#: A line as MuPDF prints it, the size of a font in it, and a character with its left and right end.
_TOKEN = re.compile(
    r'<(line) [^>]*dir="([^"]*)"|<font [^>]*size="([\d.]+)"'
    r'|<char c="([^"]*)" quad="(\S+) \S+ (\S+) '
)


class Glyph(NamedTuple):
    """A character, its ends and its font size, in points."""

    text: str
    left: float
    right: float
    size: float

    @property
    def width(self) -> float:
        return self.right - self.left


def glyphs_of(text_page: Any) -> list[list[Glyph]]:
    """The characters of each line; none of those that do not run from left to right."""
    from pymupdf import mupdf

    page = printed(text_page, mupdf.fz_print_stext_page_as_xml, 0).decode("utf-8", "replace")
    found: list[list[Glyph]] = []
    size, level = 0.0, False
    for kind, direction, of_font, text, left, right in _TOKEN.findall(page):
        if kind:
            found.append([])
            level = direction == "1 0"
        elif of_font:
            size = float(of_font)
        elif level:
            found[-1].append(Glyph(html.unescape(text), float(left), float(right), size))
    return found


def lines_with_glyphs(
    lines: Sequence[Line | None], text_page: Any
) -> Iterator[tuple[Line, list[Glyph]]]:
    """The lines whose text is still as the page has it, each with its characters; none where the
    characters are of other lines.

    Args:
        lines: what the lines of the text page were read as, null where one was left out.
    """
    found = glyphs_of(text_page)
    if len(found) != len(lines):
        return
    for line, glyphs in zip(lines, found, strict=True):
        if line is not None and line.text == line.raw.strip():
            yield line, glyphs
