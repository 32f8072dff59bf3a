"""The title of a document, as its first page and its headings tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rag_assets.loading.pdf.headings.fonts import may_head
from rag_assets.loading.pdf.headings.headings import body_size, is_set_below
from rag_assets.loading.pdf.headings.likeness import PART
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens
from rag_assets.loading.pdf.paragraphs.paragraphs import DROP_HYPHEN, had_room, wrapped

#: What stands in the headers of a journal beside its name.
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
#: What numbers a heading: "1 ", "1. ".
_NUMBER = re.compile(r"(\d{1,2})\.?\s")
#: What leads to a footnote, of whom the title's work is or who paid for it.
_NOTE_MARK = re.compile(r"\[\^\d+\]")
#: The number of a Chinese official document; between the name of the office in large red letters,
#: which all papers of that office begin with, and the title, or below both. Who signs it may stand
#: behind it.
_PAPER_NUMBER = re.compile(
    r"[^。，；\d]{0,16}[〔［[(（](?:19|20)\d\d[〕］\])）]\s*第?\s*\d{1,4}\s*[号號](?:\s*签\s*发\s*人.*)?"
)
#: What a cover says of a thesis: where it was written, and what for.
_SCHOOL = re.compile(
    r"[\u4e00-\u9fff]{2,12}(?:大学|大學|学院|學院)"
    r"|[\u4e00-\u9fff]{0,16}(?:学位论文|學位論文|毕业论文|毕业设计)(?:[（(][^（()）]*[)）])?"
)
_LARGER = 1.2
_SAME_SIZE = 0.97
_MAX_ROWS = 3
_MAX_CHARS = 300
#: The title is one of so many rows right below the number of a paper.
_NEAR = 2
#: From one row of a title to the next, in font sizes.
_PITCH = 3


def largest_text(pages: Sequence[PageRows], hyphens: Hyphens) -> str:
    """The rows of the largest font of the first page: what looks like the title of its document.

    A single letter is none, as a single ideograph may be; nor is what heads a part, or the name of
    the journal, the office or the school a paper comes from when large rows say more.
    """
    first = pages[0]
    rows = [row for row in first.rows if not row.furniture and may_head(row)]
    rows = [row for row in rows if len(row.text) > 1 or not row.text.isascii()]
    if not rows:
        return ""
    if not _is_larger(rows, pages):
        return ""
    own = _without_publisher(rows, pages)
    rows = own if _is_larger(own, pages) else rows
    size = max(row.size for row in rows)
    title = _title_rows(rows, size)
    if len(title) == 1 and _names_journal(title[0].text, pages):
        rows = [row for row in rows if row.size < _SAME_SIZE * size]
        title = _title_rows(rows, max((row.size for row in rows), default=0))
    if title and _begins_series(title[0].text, _large_texts(pages, title[0].size)):
        return ""
    text = title[0].text if title else ""
    for before, row in pairwise(title):
        joined = wrapped(before, row, hyphens)
        text = text[:-1] + row.text if joined == DROP_HYPHEN else text + joined + row.text
    return _NOTE_MARK.sub("", text)[:_MAX_CHARS]


def first_title(titles: Sequence[str]) -> str:
    """The first of some headings that may be the title of a document; nothing when none may, or
    when it is the first of several that are numbered."""
    title = next((title for title in titles if len(title) > 1 and not PART.fullmatch(title)), "")
    return "" if _begins_series(title, titles) else title


def _begins_series(title: str, headings: Iterable[str]) -> bool:
    """Whether it is numbered, and one of the headings has the number after its own."""
    number = _NUMBER.match(title)
    if number is None:
        return False
    following = int(number[1]) + 1
    return any(int(found[1]) == following for found in map(_NUMBER.match, headings) if found)


def _large_texts(pages: Sequence[PageRows], size: int) -> Iterable[str]:
    return (row.text for page in pages for row in page.rows if row.size >= _SAME_SIZE * size)


def _is_larger(rows: Sequence[Row], pages: Sequence[PageRows]) -> bool:
    """Whether some rows of the first page are larger than its text, or few of them than that of the
    document: a page of its own may have little beside a title."""
    size = max([row.size for row in rows], default=0)
    if size > 0 and size >= _LARGER * body_size(pages[:1]):
        return True
    few = sum([row.size >= _SAME_SIZE * size for row in rows]) <= _MAX_ROWS
    return size > 0 and few and size >= _LARGER * body_size(pages)


def _without_publisher(rows: Sequence[Row], pages: Sequence[PageRows]) -> list[Row]:
    """The rows that do not say which office or school a paper comes from: those above its number
    do where a title stands right below it."""
    number = next((at for at, row in enumerate(rows) if _PAPER_NUMBER.fullmatch(row.text)), -1)
    begin = number + 1 if _is_larger(rows[number + 1 : number + 1 + _NEAR], pages) else 0
    return [row for row in rows[begin:] if not _SCHOOL.fullmatch(row.text)]


def _title_rows(rows: Sequence[Row], size: int) -> list[Row]:
    """Rows of a size as far as they stand below each other; none when the first heads a part."""
    title: list[Row] = []
    for row in rows:
        if row.size < _SAME_SIZE * size:
            continue
        if len(title) == _MAX_ROWS or PART.fullmatch(row.text):
            break
        if title and _is_apart(title[-1], row):
            break
        title.append(row)
    return title


def _is_apart(before: Row, row: Row) -> bool:
    """Whether a row stands far from the one before, or begins left of it though that had room."""
    size = before.size
    if abs(row.y0 - before.y0) > _PITCH * size:
        return True
    begins_left = row.x0 < before.x0 - size and not is_set_below(before, row)
    return begins_left and had_room(before, row, before.left, before.edge)


def _names_journal(text: str, pages: Sequence[PageRows]) -> bool:
    """Whether headers say a text with the year of a volume."""
    return any(
        row.furniture and text in row.text and _YEAR.search(row.text.replace(text, ""))
        for page in pages[1:3]
        for row in page.rows
    )
