"""Code between fences, with the blanks and the blank lines it was set with."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.scripts import half_width
from rag_assets.loading.pdf.order.rows import Row, between_lines
from rag_assets.loading.pdf.writing.anchoredtext import AnchoredText

#: A wider gap is one of the page.
_MAX_BLANK_LINES = 2
_MAX_BLANKS = 60
#: So much of its width a character of code stands out of its column, at most.
_OFF = 0.1


class Place(NamedTuple):
    """Where code stands: what goes on from the page before may be indented throughout."""

    page: int
    left: int


def write_code(facts: AnchoredText, rows: list[Row], before: Place | None) -> Place:
    """Append code, and tell where it stands.

    Args:
        before: where the code stands that was written last, when only furniture came after it.
    """
    fence = "```"
    while any(fence in row.text for row in rows):
        fence += "`"
    facts.put(fence + "\n")
    first = [row.lines[0] for row in rows]
    width = _middle([half_width(line.text, line.x1 - line.x0, line.size) for line in first])
    place = Place(facts.page, min(row.x0 for row in rows))
    left = _left_of(place, before, width)
    step = max(_middle([row.y0 - above.y0 for above, row in pairwise(rows)] or [1]), 1)
    above = rows[0]
    for row in rows:
        blank_lines = min(round((row.y0 - above.y0) / step) - 1, _MAX_BLANK_LINES)
        indent = min(round((row.x0 - left) / width), _MAX_BLANKS)
        facts.put("\n" * blank_lines + " " * indent)
        facts.put_lines(row.lines, _code_text(row.lines, width))
        facts.put("\n")
        above = row
    facts.put(fence)
    return Place(facts.page, left)


def _left_of(place: Place, before: Place | None, width: float) -> int:
    """Where code begins at the left that stands there: it did on the page before, when it goes
    on a whole number of characters further in; pages may have margins of their own."""
    if before is None or before.page != place.page - 1:
        return place.left
    indent = (place.left - before.left) / width
    goes_on = 0 < indent <= _MAX_BLANKS and abs(indent - round(indent)) < _OFF
    return before.left if goes_on else place.left


def _middle(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def _code_text(lines: list[Line], width: float) -> str:
    """A row of code, with as many blanks between its pieces as characters ``width`` wide have room
    there."""
    text = lines[0].text
    for before, line in pairwise(lines):
        ending = before.raw[len(before.raw.rstrip()) :]
        blanks = round((line.x0 - before.x1) / width) + len(ending)
        text += " " * min(blanks, _MAX_BLANKS) if blanks > 1 else between_lines(before, line)
        text += line.text
    return text
