"""The lines of a page's structured text: what is known of each by its font, its place and the line
before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.blocks import TOUCHING, Line, PageContent
from rag_assets.loading.pdf.extraction.stext import UNIT, Box, FontOf, LineOf
from rag_assets.loading.pdf.pages.backgrounds import STAMPED
from rag_assets.loading.pdf.pages.pages_before import PagesBefore
from rag_assets.loading.pdf.pages.scans import is_glyphless
from rag_assets.loading.pdf.pages.turn import Turn

#: The names of monospaced fonts. "Monotype", "Unicode", "Encode" and "Barcode" are none of them.
#: Those of TeX's fonts are short; a V is in the names of the ones that only look typewritten.
_MONOSPACED = re.compile(
    r"mono(?!type)|monaco|nimbusmon|courier|consol|typewriter|menlo|inconsolata|letter ?gothic"
    r"|(?<!uni)(?<!en)(?<!bar)code|cmtt|(?<![a-z])(?:(?:cm|cs|ec|la|sf|vn)(?:i|sl)?tt\d"
    r"|(?:ec|sf)(?:it|st|tc)\d|(?:newt|t[1c]?)xb?tt(?![a-z]))",
    re.I,
)
#: What the rest of a line of code begins with where it was broken, in a font of signs.
_BROKEN_CODE = frozenset("↪↳⤷˓")
#: How the names of bold fonts end whose file does not say that they are.
_BOLD = ".B"
#: A character of the scripts that are written downwards too, and how many make a column.
_DOWNWARDS = re.compile("[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_COLUMN = 4
#: What ticked boxes are drawn with, in a font that has signs in the place of letters.
_DINGBATS = dict(zip("345678lnuH", "✓✔✕✖✗✘●■◆★", strict=True))


class Mark(NamedTuple):
    """How far the lines of a page were read."""

    last: Line | None
    extracted: int


class LineReader:
    """Reads the lines of a page, block by block, and adds them to those it extracted.

    Attributes:
        has_large: whether type is as large as of what is stamped across a page.
    """

    def __init__(self, content: PageContent, turn: Turn | None, before: PagesBefore) -> None:
        self._extracted = content.extracted
        self._turn = turn
        self._before = before
        self._width, self._height = turn[1:] if turn else (content.width, content.height)
        self._last: Line | None = None
        self.has_large = False

    def mark(self) -> Mark:
        """Where :meth:`unread` goes back to."""
        return Mark(self._last, len(self._extracted))

    def unread(self, mark: Mark) -> None:
        """Forget what was read since, so that it can be read again."""
        self._last = mark.last
        del self._extracted[mark.extracted :]

    def read(self, given: Sequence[LineOf]) -> list[Line]:
        """The lines of a block, without those that say nothing."""
        # Called for every line of a document, and so written for speed.
        found: list[Line] = []
        last, turn, known = self._last, self._turn, self._before
        is_mono, bold, glyphless = known.mono, known.bold, known.glyphless
        extracted = self._extracted
        width, height = self._width, self._height
        in_column = len(given) >= _COLUMN and len(given[1].text) == 1 and _is_column(given)
        for each in given:
            raw = each.text
            text = raw.strip()
            if not text:
                extracted.append(None)
                continue
            font, bbox = each.font, each.bbox
            x0, y0, size = bbox.x, bbox.y, font.size
            x1, y1 = x0 + bbox.w, y0 + bbox.h
            mono = is_mono.get(font.name)
            if mono is None:
                mono = self._meets(font)
            if glyphless and font.name in glyphless:
                size = min(bbox.w, bbox.h)  # whichever way it runs
            self.has_large |= size >= STAMPED * UNIT
            if mono and raw[0] == " " and not turn:
                # The blanks of an indentation are no text.
                x0 += round((len(raw) - len(raw.lstrip())) * known.pitch(font, raw, bbox.w))
            if len(text) == 1 and font.name == "ZapfDingbats":
                text = _DINGBATS.get(text, text)
            box = Box(x0, y0, x1, y1)
            if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
                box = _clipped(box, width, height)
            vertical = in_column or each.wmode == 1
            glued = False
            if last is not None:
                before = last.box
                if vertical and last.goes_down_to(box):
                    last.extend(text, box)
                    last.stand_at(turn.box(last.box) if turn else last.box)
                    extracted.append(None)
                    continue
                # Some producers draw bold by drawing twice.
                if (
                    last.text == text
                    and abs(before.x0 - box.x0) < UNIT
                    and abs(before.y0 - box.y0) < UNIT
                ):
                    extracted.append(None)
                    continue
                if -size <= TOUCHING * (before.x1 - x0) <= size:
                    same_row = abs(before.y0 - y0) * 3 < size
                    glued = same_row and not (last.raw[-1].isspace() or raw[0].isspace())
            last = Line(
                text, box, x0, y0, x1, y1, each.y, size,
                font.weight == "bold" or font.name in bold, mono or text[0] in _BROKEN_CODE,
                vertical, glued, raw, font.name,
            )  # fmt: skip
            if turn:
                last.stand_at(turn.box(box))
                last.base = turn.point(each.x, each.y)[1]
            found.append(last)
            extracted.append(last)
        self._last = last
        return found

    def _meets(self, font: FontOf) -> bool:
        """Note what is known of a font by its name, and tell whether it is monospaced."""
        name, before = font.name, self._before
        if name.endswith(_BOLD):
            before.bold.add(name)
        if is_glyphless(name):
            before.glyphless.add(name)
            mono = False
        else:
            mono = font.family == "monospace" or bool(_MONOSPACED.search(name))
        before.mono[name] = mono
        return mono


def _is_column(lines: Sequence[LineOf]) -> bool:
    """Whether a block is a column of vertical writing that was set character by character."""
    x, size = lines[0].bbox.x, lines[0].font.size
    return all(
        _DOWNWARDS.fullmatch(line.text) and abs(line.bbox.x - x) < size // 4 for line in lines
    ) and all(size // 2 < line.bbox.y - above.bbox.y < 2 * size for above, line in pairwise(lines))


def _clipped(box: Box, width: int, height: int) -> Box:
    """What of a box lies on a page: a row may have been cut off in its middle."""
    return Box(
        min(max(box.x0, 0), width),
        min(max(box.y0, 0), height),
        min(max(box.x1, 0), width),
        min(max(box.y1, 0), height),
    )
