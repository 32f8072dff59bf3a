"""How the number of a page is written: in which form, and where in its row."""

from __future__ import annotations

import re

from rag_assets.loading.pdf.columns.cells import cells_of
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_query.text.numerals import ROMAN, roman_value

NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    rf"^[\s\-–—·|()]*(?:page|p\.|seite|第)?\s*(?:\d+|(?a:{ROMAN}))(?:\s*[页頁])?(?:\s*[/,，])?"
    r"(?:\s*(?:of|von|共))?(?:\s*\d+(?:\s*[页頁])?)?[\s\-–—·|()]*$",
    re.IGNORECASE,
)
#: A page number among words that say so.
_NAMED_NUMBER = re.compile(r"(?:\bpage|\bp\.|\bseite)\s*(\d+)|(\d+)\s*[页頁]", re.IGNORECASE)
#: Font sizes between a page number and the words of a running header; a heading's own number is
#: nearer.
_SET_APART = 3
#: What stands around a page number.
AROUND = " \t\u00a0-–—·|()"
_ROMAN = re.compile(rf"(?ai:{ROMAN})")
#: A row at the foot that is a number and no more, and so many font sizes below the text, is looked
#: at from here on: margins may be wide.
_WIDE_MARGIN = 0.3
_FOOT_GAP = 1.5


def is_page_number(text: str) -> bool:
    """Whether a text may be the number of a page, and nothing more."""
    return _PAGE_NUMBER.match(text) is not None


def number_at_foot(page: PageRows) -> Row | None:
    """The lowest row of a page when it may be its number, though above the margin."""
    if not page.rows:
        return None
    foot = max(page.rows, key=lambda row: row.y1)
    if foot.y0 < (1 - _WIDE_MARGIN) * page.height or not is_page_number(foot.text):
        return None
    above = max([row.y1 for row in page.rows if row is not foot], default=0)
    return foot if foot.y0 - above >= _FOOT_GAP * foot.size else None


def is_set_apart(row: Row, number: int) -> bool:
    """Whether a number is all a row says, stands wide of its words, or is named the page's."""
    if is_page_number(row.text):
        return True
    said = [before or after for before, after in _NAMED_NUMBER.findall(row.text)]
    numbers = numbers_apart(row)
    for each in numbers:
        said += NUMBER.findall(each)
    return number in map(int, said) or number in map(roman_number, numbers)


def numbers_apart(row: Row) -> list[str]:
    """The parts of a row that have the form of a page number."""
    return [part for part in parts_of(row) if is_page_number(part)]


def parts_of(row: Row) -> list[str]:
    """What stands in a row, each wide of the others; none where all of it is one text."""
    if len(row.lines) < 2:
        return []
    cells = cells_of(row.lines, _SET_APART)
    return [" ".join([line.text for line in cell]) for cell in cells] if len(cells) > 1 else []


def is_at_end(row: Row, number: int) -> bool:
    """Whether a row begins or ends with a number."""
    text, digits = row.text.strip(AROUND), NUMBER.findall(row.text)
    begins, ends = text[:1].isdecimal(), text[-1:].isdecimal()
    return (begins and int(digits[0]) == number) or (ends and int(digits[-1]) == number)


def roman_number(text: str) -> int:
    """The value of a text that is nothing but a Roman number; 0 when it is none."""
    bare = text.strip(AROUND)
    return roman_value(bare.upper()) if _ROMAN.fullmatch(bare) else 0
