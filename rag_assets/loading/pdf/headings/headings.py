"""Which rows of a PDF are headings, and of which level.

The document's own outline is believed first: a row that reads like an outline entry of its page
is that heading. Documents without a usable outline are judged by their fonts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from rag_assets.loading.pdf.extraction.blocks import TableBlock
from rag_assets.loading.pdf.file.document import OutlineEntry
from rag_assets.loading.pdf.headings.fonts import LARGER, NUMBERED, mark_by_fonts
from rag_assets.loading.pdf.headings.likeness import mark_alike
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.paragraphs import had_room

_NUMBERING = re.compile(
    r"^(?:(?:appendix|chapter|section|part)\s*)?(?:[§]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[ivx]+(?=[.\s]))[.:)]?\s*"
    r"|^第.{1,5}[章节節部篇]\s*",
    re.IGNORECASE,
)
#: What stands over the title of a chapter: its kind and its number.
_CHAPTER = re.compile(
    r"(?:[^\W\d_\u2e80-\uffff]|´)+\.?\s+(?:\d{1,3}|[IVXLC]+|[A-Z])[.:]?|第\s*\S{1,3}\s*[章节節部篇]|\d{1,3}\s*장"
)
#: What begins like no numbering, and with two characters that squeezing leaves as they are.
_PLAIN = re.compile(
    "[bd-hj-oqrtuwyz][a-z]|[\u4e00-\u7b2b\u7b2d-\u9fff][\u4e00-\u9fff]", re.I | re.A
)
#: Quotation marks as a keyboard has them, and no hyphens, seen or not, or dashes.
_ALIKE = str.maketrans("‘’‚‛“”„‟", "'" * 4 + '"' * 4, "\u00ad\u2010\u2011\u2012–")
#: Hyphens, and the brackets that TeX leaves out of an outline.
_LEFT_OUT = str.maketrans("", "", "-<>")
#: What an item of a numbered list begins with.
_ITEM = re.compile(r"\d{1,2}[.)、．]\s*(?!\d)")
_MAX_ROWS = 3
#: From one row of a heading to the next, in font sizes.
_PITCH = 1.6
#: Headings of columns that stand beside each other are so many font sizes apart.
_BESIDE = 4
_WORDS = re.compile(r"[^\W\d_]{4}|(?:[^\W\d_] ){3}|[\u4e00-\u9fff]{2}")
#: No longer is what stands before a title to number it.
_NUMBER_CHARS = 20
#: A character of running text counts as much as so many in tables and in code.
_TEXT_WEIGHT = 5
#: Characters of one size; above so many, tables are not asked.
_MUCH_TEXT = 10_000


def mark_headings(pages: list[PageRows], outline: list[OutlineEntry], body: int) -> dict[int, Row]:
    """Set ``level`` of heading rows; the rows of one heading share it and follow each other.

    Args:
        body: see ``body_size``.

    Returns:
        For each entry of the outline that was found, by index, the row it begins at.
    """
    found: dict[int, Row] = {}
    if outline:
        text = [(page.number, [r for r in page.rows if not r.furniture]) for page in pages]
        found = _by_outline(text, outline)
        found |= _in_margins(pages, outline, found, body)
    if len(found) < 2:
        mark_by_fonts(pages, body)
    else:
        mark_alike(pages, list(found.values()), body)
    for page in pages:
        _take_numbers(page, found, body)
    return found


def begins_another(first: Row, before: Row, row: Row) -> bool:
    """Whether a row of the same level as a heading's ``first``, below a row of that heading, is a
    heading of its own."""
    if row.begins or first.begins:
        return row.begins
    if NUMBERED.match(first.text) and NUMBERED.match(row.text):
        return True
    if before.vertical or row.text[0].islower() or _CHAPTER.fullmatch(before.text):
        return False
    return _is_set_apart(before, row)


def stands_beside(before: Row, row: Row) -> bool:
    """Whether a row stands wide behind another one, both with words: over a column each."""
    return (
        row.x0 - before.x1 >= _BESIDE * row.size
        and 3 * abs(row.lines[0].base - before.lines[0].base) < row.size
        and all(_WORDS.search(each.text) for each in (before, row))
    )


def _is_set_apart(before: Row, row: Row) -> bool:
    """Whether a row had room at the end of the one before, and stands further below it than the
    rows of a heading do, or begins left of it; what is centred or ends below it goes on."""
    if not had_room(before, row, before.left, before.edge) or is_set_below(before, row):
        return False
    step = row.y0 - before.y0
    return step > _PITCH * before.size or (step > 0 and row.x0 < before.x0 - before.size)


def is_set_below(before: Row, row: Row) -> bool:
    """Whether a row has its middle or its end below that of the row before, more so than its
    beginning."""
    middle = abs(before.x0 + before.x1 - row.x0 - row.x1) // 2
    off = min(middle, abs(before.x1 - row.x1))
    return off <= before.size // 2 and off < abs(before.x0 - row.x0)


def body_size(pages: Sequence[PageRows]) -> int:
    """The font size most characters have that are not known to be furniture, in hundredths of a
    point.

    Tables and code, which are often set smaller, have a say where there is little other text."""
    sizes: defaultdict[int, int] = defaultdict(int)
    for page in pages:
        for row in page.rows:
            if not row.furniture:
                sizes[row.size // 20] += (1 if row.mono else _TEXT_WEIGHT) * len(row.text)
    if max(sizes.values(), default=0) < _TEXT_WEIGHT * _MUCH_TEXT:
        for page in pages:
            for table in page.items:
                if isinstance(table, TableBlock):
                    for line in chain.from_iterable(chain.from_iterable(table.rows)):
                        sizes[line.size // 20] += len(line.text)
    return max(sizes, key=sizes.__getitem__) * 20 + 10 if sizes else 0


def _by_outline(
    pages: Iterable[tuple[int, list[Row]]], outline: list[OutlineEntry]
) -> dict[int, Row]:
    """Entries found among the rows of their page; ``pages`` are numbers with rows."""
    wanted: defaultdict[int, list[tuple[int, set[str]]]] = defaultdict(list)
    for index, entry in enumerate(outline):
        if entry.page is not None and (spellings := _spellings(entry.title)):
            wanted[entry.page].append((index, spellings))
    found: dict[int, Row] = {}
    for number, rows in pages:
        if number not in wanted:
            continue
        titles = {spelling for _, spellings in wanted[number] for spelling in spellings}
        longest = max(map(len, titles)) + _NUMBER_CHARS
        begin = _beginnings(rows, titles, longest)
        start = 0
        for index, spellings in wanted[number]:
            # Entries follow each other on a page, mostly.
            onwards = [entry for entry in begin if entry[0] >= start]
            possible = (
                (at, length)
                for at, both in chain(onwards, begin)
                if any(spelling.startswith(both) for spelling in spellings)
                and (length := _rows_match(rows, at, spellings, longest))
            )
            at, length = next(possible, (-1, 0))
            if length and _is_item(rows, at):
                # It says what a heading below it does, which is larger.
                larger = (each for each in possible if rows[each[0]].size >= LARGER * rows[at].size)
                at, length = next(larger, (at, length))
            if not length or rows[at].level:
                continue
            for row in rows[at : at + length]:
                row.level = min(max(outline[index].level, 1), 6)
            rows[at].begins = True
            found[index] = rows[at]
            start = at + length
    return found


def _is_item(rows: list[Row], at: int) -> bool:
    """Whether a row is the item of a numbered list."""
    beside = rows[max(at - 1, 0) : at] + rows[at + 1 : at + 2]
    return _ITEM.match(rows[at].text) is not None and any(
        row.size == rows[at].size and _ITEM.match(row.text) for row in beside
    )


def _in_margins(
    pages: list[PageRows], outline: list[OutlineEntry], found: dict[int, Row], body: int
) -> dict[int, Row]:
    """Entries that only what was taken for running headers names; it is none then."""
    missing = [
        entry._replace(page=None) if index in found else entry
        for index, entry in enumerate(outline)
    ]
    headers = [
        (page.number, [r for r in page.rows if r.furniture == "header" and r.size >= 0.95 * body])
        for page in pages
    ]
    more = _by_outline(headers, missing)
    for _, rows in headers:
        for row in rows:
            if row.level:
                row.furniture = ""
    return more


def _beginnings(
    rows: list[Row], titles: set[str], longest: int
) -> list[tuple[int, tuple[str, str]]]:
    """Rows that one of the titles may begin with: their index, and key with and without number.

    Most rows are none, as their first characters tell without their key."""
    first = {title[:2] for title in titles}
    keys = [
        (at, _squeeze(row.text))
        for at, row in enumerate(rows)
        if (len(row.text) <= longest or not _is_longer(row, longest))
        and (row.text[:2].lower() in first or not _PLAIN.match(row.text))
    ]
    return [(at, (key, _without_number(key) or key)) for at, key in keys if key]


def _is_longer(row: Row, longest: int) -> bool:
    """Whether a row has more than ``longest`` characters, and so is text."""
    text = row.text
    return len(text) > longest and len(text) - text.count(" ") > longest


def _take_numbers(page: PageRows, found: dict[int, Row], body: int) -> None:
    """Make "Chapter 3" over the title of the chapter, as an outline names it or larger than that, a
    part of it."""
    for above, row in pairwise(page.rows):
        if (
            row.level
            and (row.begins if found or not above.level else above.level > row.level)
            and not above.begins
            and len(above.text) <= _NUMBER_CHARS
            and above.size >= LARGER * body
            and not above.furniture
            and above.y1 <= row.y0 + row.size
            and _CHAPTER.fullmatch(above.text)
        ):
            above.level, above.begins, row.begins = row.level, True, False
            for index, first in found.items():
                if first is row:
                    found[index] = above


def _squeeze(text: str) -> str:
    """A text without what an outline and a page may write in different ways: blanks, the form of
    quotation marks, hyphens, which a line may end with, and angle brackets."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_ALIKE)
    return "".join(text.translate(_LEFT_OUT).split()).casefold()


def _spellings(title: str) -> set[str]:
    """A title with and without its numbering."""
    both = {_squeeze(title), _squeeze(_without_number(title))}
    return {spelling for spelling in both if spelling}


def _without_number(text: str) -> str:
    # Matched, not substituted: a substitution tries every place of the text.
    number = _NUMBERING.match(text)
    return text[number.end() :] if number else text


def _rows_match(rows: list[Row], at: int, spellings: set[str], longest: int) -> int:
    """How many rows from ``at`` on make one of the spellings; 0 when none do."""
    text = ""
    for length, row in enumerate(rows[at : at + _MAX_ROWS], 1):
        # A line break is in no title.
        text += "\n" if _is_longer(row, longest) else _squeeze(row.text)
        bare = _without_number(text)
        if text in spellings or (bare and bare in spellings):
            return length
        if not any(s.startswith((text, bare or text)) for s in spellings):
            return 0
    return 0
