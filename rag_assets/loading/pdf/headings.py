"""Which rows of a PDF are headings, and of which level.

The document's own outline is believed first: a row that reads like an outline entry of its page
is that heading. Documents without a usable outline are judged by their fonts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.blocks import TableBlock
from rag_assets.loading.pdf.likeness import mark_alike
from rag_assets.loading.pdf.numbered import chinese_parts, numbered_sections
from rag_assets.loading.pdf.paragraphs import had_room
from rag_assets.loading.pdf.rows import PageRows, Row

_NUMBERING = re.compile(
    r"^(?:(?:appendix|chapter|section|part)\s*)?(?:[§]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[ivx]+(?=\.))[.:)]?\s*"
    r"|^第.{1,5}[章节節部篇]\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+\.?|Appendix\b|Chapter\b|第.{1,5}[章节節部篇]"
    r"|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）])\s*\S"
)
#: What stands over the title of a chapter: its kind and its number.
_CHAPTER = re.compile(
    r"[^\W\d_\u2e80-\uffff]+\.?\s+(?:\d{1,3}|[IVXLC]+|[A-Z])[.:]?|第\s*\S{1,3}\s*[章节節部篇]|\d{1,3}\s*장"
)
#: What begins like no numbering, and with a character that squeezing leaves as it is.
_PLAIN = re.compile("[bd-hj-oqrtuwyz] ?(?=[a-z])|[\u4e00-\u7b2b\u7b2d-\u9fff]", re.I | re.A)
_SENTENCE_END = re.compile(r"[.,;:!?。，；：！？、]$")
_LETTER = re.compile(r"[^\W\d_]")
#: A number with its unit, large on a page of key figures: "€42.7m", "12,400 t".
#: "10.2 UI" is a heading.
_FIGURE = re.compile(r"[^\w\s]{0,2}\s?\d[\d.,']*(?:[A-Za-zµ]{1,3}|\s[a-zµ][A-Za-z]{0,2})")
#: The number of a document's only page is not known by those of others.
_PAGE_NUMBER = re.compile(
    r"(?i:page|seite)\s*\d+(?:\s*(?:of|von|/)\s*\d+)?"
    r"|第\s*\d+\s*[页頁](?:\s*[,，/]?\s*共\s*\d+\s*[页頁])?"
)
#: Signs of formulas; of one in a font of its own, ¼ is the sign of equality.
_RELATIONS = "=≈≠≡≤≥∈∼≃≅∝¼"
_RELATION = re.compile(f"[{_RELATIONS}]")
_WORD = re.compile(r"[^\W\d_]{4}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
#: A row has cells when gaps of so many font sizes part it into so many: the head of a table.
_CELLS = ((1.5, 3), (0.8, 4))
_MAX_CHARS = 150
_MAX_ROWS = 3
#: No longer is what stands before a title to number it.
_NUMBER_CHARS = 20
#: A heading is at least this much larger than the body text.
_LARGER = 1.12
#: Above this share of rows and of characters a style is the body's, not the headings'.
_MAX_SHARE = 0.25
#: Of the rows of a size that is much of a document, so many stand one by one over smaller text when
#: they are headings.
_MOST = 0.75
#: A character of running text counts as much as so many in tables.
_TEXT_WEIGHT = 5
#: Characters of one size; above so many, tables are not asked.
_MUCH_TEXT = 10_000


class OutlineEntry(NamedTuple):
    """An entry of the PDF's outline; ``page`` is 1-based, null when it points nowhere."""

    level: int
    title: str
    page: int | None


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
        _by_fonts(pages, body)
    else:
        mark_alike(pages, list(found.values()), body)
    for page in pages if found else ():
        _take_numbers(page, found, body)
    return found


def begins_another(first: Row, row: Row) -> bool:
    """Whether a row of the same level as a heading's ``first`` is a heading of its own."""
    return row.begins or bool(
        not first.begins and _NUMBERED.match(first.text) and _NUMBERED.match(row.text)
    )


def body_size(pages: list[PageRows]) -> int:
    """The font size most characters have, in hundredths of a point.

    Tables, which are often set smaller, have a say where there is little other text."""
    sizes: defaultdict[int, int] = defaultdict(int)
    for page in pages:
        for row in page.rows:
            sizes[row.size // 20] += _TEXT_WEIGHT * len(row.text)
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
            if not length or rows[at].level:
                continue
            for row in rows[at : at + length]:
                row.level = min(max(outline[index].level, 1), 6)
            rows[at].begins = True
            found[index] = rows[at]
            start = at + length
    return found


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

    Most rows are none, as their first character tells without their key."""
    first = {title[0] for title in titles}
    keys = [
        (at, _squeeze(row.text))
        for at, row in enumerate(rows)
        if (len(row.text) <= longest or not _is_longer(row, longest))
        and (row.text[0].lower() in first or not _PLAIN.match(row.text))
    ]
    return [(at, (key, _without_number(key) or key)) for at, key in keys]


def _is_longer(row: Row, longest: int) -> bool:
    """Whether a row has more than ``longest`` characters, and so is text."""
    text = row.text
    return len(text) > longest and len(text) - text.count(" ") > longest


def _take_numbers(page: PageRows, found: dict[int, Row], body: int) -> None:
    """Make "Chapter 3" over the title of the chapter, as an outline names it, a part of it."""
    for above, row in pairwise(page.rows):
        if (
            row.level
            and not above.level
            and row.begins
            and len(above.text) <= _NUMBER_CHARS
            and above.size >= _LARGER * body
            and not above.furniture
            and above.y1 <= row.y0 + row.size
            and _CHAPTER.fullmatch(above.text)
        ):
            above.level, above.begins, row.begins = row.level, True, False
            for index, first in found.items():
                if first is row:
                    found[index] = above


def _squeeze(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return "".join(text.split()).casefold()


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


def _by_fonts(pages: list[PageRows], body: int) -> None:
    rows = [row for page in pages for row in page.rows if not row.furniture]
    large = [row for row in rows if row.size >= _LARGER * body and _is_short(row)]
    if len(rows) > 8:
        large = _without_text(large, rows)
    bold = [
        row
        for row in rows
        if row.bold
        and not row.mono
        and 0.95 * body <= row.size < _LARGER * body
        and _is_short(row)
        and (_NUMBERED.match(row.text) or not _SENTENCE_END.search(row.text))
        and row.text.count(" ") <= 12
    ]
    if _are_many(bold, rows):
        bold = [row for row in bold if _NUMBERED.match(row.text)]
    alone = Counter((id(page), row.block) for page in pages for row in page.rows)
    of_page = {id(row): id(page) for page in pages for row in page.rows}
    bold = [row for row in bold if alone[of_page[id(row)], row.block] == 1]
    following = {id(row): after for row, after in pairwise(rows)} if bold else {}
    bold = [row for row in bold if not _runs_in(row, following.get(id(row)))]
    sizes = sorted({_rounded(row.size) for row in large}, reverse=True)
    levels = {size: min(level, 5) for level, size in enumerate(sizes, 1)}
    for row in large:
        row.level = levels[_rounded(row.size)]
    for row in bold:
        row.level = min(len(sizes) + 1, 6)
    for row in chinese_parts(rows, body):
        # What is numbered （一） stands below 一、.
        row.level = min(len(sizes) + 1 + (row.text[0] in "（("), 6)
    for depth, heading in numbered_sections(rows, body):
        for row in heading:
            row.level = min(len(sizes) + 1 + depth, 6)
    _drop_long_runs(pages)


def _runs_in(row: Row, after: Row | None) -> bool:
    """Whether a row only begins in bold: its sentence goes on in the next row, which is not. Of a
    row, the font of its first character is known."""
    return (
        after is not None
        and not after.bold
        and after.text[0].islower()
        and 0 < after.y0 - row.y0 <= 2.5 * row.size
        and not had_room(row, after, row.left, row.edge)
    )


def _without_text(large: list[Row], rows: list[Row]) -> list[Row]:
    """The large rows, less those of the most frequent sizes as long as they are many; bold ones
    that each head smaller text are questions and versions, however many."""
    if not _are_many(large, rows):
        return large
    following = {id(row): after for row, after in pairwise(rows)}
    by_size: defaultdict[int, list[Row]] = defaultdict(list)
    for row in large:
        by_size[_rounded(row.size)].append(row)
    heads = [size for size, some in by_size.items() if _head_text(some, following)]
    text = [size for size in by_size if size not in heads]
    text.sort(key=lambda size: sum(len(row.text) for row in by_size[size]))
    while text and _are_many([row for size in text for row in by_size[size]], rows):
        text.pop()
    return [row for size in [*heads, *text] for row in by_size[size]]


def _head_text(some: list[Row], following: dict[int, Row]) -> bool:
    """Whether the rows of one size are bold and stand one by one over smaller ones."""
    after = [following.get(id(row)) for row in some]
    heads = [row is not None and row.size < some[0].size and not row.bold for row in after]
    return all(row.bold for row in some) and sum(heads) >= _MOST * len(heads)


def _are_many(some: list[Row], rows: list[Row]) -> bool:
    if len(some) <= _MAX_SHARE * len(rows):
        return False
    # Short paragraphs below short headings are few rows, but more text.
    return sum(len(row.text) for row in some) > _MAX_SHARE * sum(len(row.text) for row in rows)


def _is_short(row: Row) -> bool:
    return len(row.text) <= _MAX_CHARS and may_head(row) and not _has_cells(row)


def may_head(row: Row) -> bool:
    """Whether a row says something, and is neither a figure nor a page's number nor a formula."""
    text = row.text
    if row.stamped or _LETTER.search(text) is None:
        return False
    return not (_is_key_figure(text) or _PAGE_NUMBER.fullmatch(text) or _is_formula(text))


def _is_key_figure(text: str) -> bool:
    """Whether a row is a number with its unit, and mostly number."""
    if _FIGURE.fullmatch(text) is None:
        return False
    return sum(map(str.isdecimal, text)) > len(_LETTER.findall(text))


def _is_formula(text: str) -> bool:
    """Whether a text is cut off at a relation, or holds one and no word, or more than a phrase."""
    if _RELATION.search(text) is None:
        return False
    return text[-1] in _RELATIONS or _WORD.search(text) is None or "，" in text


def _has_cells(row: Row) -> bool:
    """Whether a row is parted like that of a table; a word of letters set apart is none."""
    lines = row.lines
    if len(lines) < 3 or sum(len(line.text) > 1 for line in lines) < 3:
        return False
    gaps = [after.x0 - before.x1 for before, after in pairwise(lines)]
    return any(sum(gap >= wide * row.size for gap in gaps) >= cells - 1 for wide, cells in _CELLS)


def _rounded(size: int) -> int:
    return round(size / 100)


def _drop_long_runs(pages: list[PageRows]) -> None:
    """Many rows of one level in a row are large text, not headings."""
    for page in pages:
        run: list[Row] = []
        for row in [*page.rows, None]:
            if row is not None and row.level and (not run or run[-1].level == row.level):
                run.append(row)
                continue
            if len(run) > _MAX_ROWS:
                for item in run:
                    item.level = 0
            run = [row] if row is not None and row.level else []
