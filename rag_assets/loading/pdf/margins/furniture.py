"""Running headers, footers and page numbers: what stands on many pages at the same height.

What is marked leaves the searched text, so every rule errs towards keeping: large text is
furniture in the same words only, a number that counts with the pages must stand as page numbers
do ("Lesson 3: The weather" and "Results of 2015" are headings), and a document that would lose
most of its pages' text loses nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.margins.pagenumbers import (
    AROUND,
    NUMBER,
    is_at_end,
    is_page_number,
    is_set_apart,
    number_at_foot,
    numbers_apart,
    parts_of,
    roman_number,
)
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Share of the page's height, at either end, where furniture is looked for.
_MARGIN = 0.15
#: Rows looked at in each margin.
_ROWS = 3
#: A row of so many characters, none of which is a letter or digit, says nothing.
_SIGNS = 3
_SAYS = re.compile(r"\w")
#: Share of the pages (odd and even ones may differ) on which the same must stand.
_SHARE = 0.3
_HEIGHT_TOLERANCE = 3 * UNIT
#: Numbers that run with the pages are headings or titles when they are this much larger than text.
_LARGE = 1.2
#: Distance of furniture from text, in font sizes; what is so much farther away is set apart.
_MIN_GAP = 0.4
_WIDE_GAP = 1.5
#: Of so many pages all but the first are few for a repetition.
_OPENED = 3
#: Up to so many pages a repetition may be chance, and more is asked of it.
_FEW_PAGES = 4
#: What says one thing for some pages and then another does so for so many, as a rule.
_RUN = 3
_WORD = re.compile(r"[^\W\d_]")
#: What names a document in a part of its running headers, and how far, in font sizes, such stand
#: from the text.
_NAME = re.compile(r"[^\W\d_].+[^\W\d_]")
_PART_GAP = 1.0
#: What stands before the name of a chapter where a header has it, "Chapter 1.", and in its heading.
_BEFORE_NAME = re.compile(r"^(?:[^\W\d_]+ )?\d{1,2}(?:\.\d{1,2})*\.\s+(?=[^\W\d_])")
_NUMBERING = re.compile(r"^\d{1,2}(?:\.\d{1,2})*\.?\s+(?=[^\W\d_])")
#: Roman numbers belong to the few pages before the text.
_FEW_ROMAN = 3


class _Seen(NamedTuple):
    """A row in a margin; ``page`` is the index of its page."""

    page: int
    row: Row
    top: bool
    #: Distance to the next row towards the middle of the page, in font sizes; large when none.
    gap: float
    outermost: bool


def mark_furniture(pages: list[PageRows], body: int, labels: Sequence[str] | None = None) -> None:
    """Set ``furniture`` of every row that is a running header, footer, page number or watermark.

    A row counts when its text, its page number left out, stands at the same height on enough
    pages; when it holds a page number that runs with the pages, at the height where most such
    numbers stand; or when it is its page's label. In a document of one page nothing is marked but
    its number.

    Args:
        body: font size of most text, see ``headings.body_size``.
        labels: of all pages of the document, null when it defines none.
    """
    if len(pages) < 2:
        for page in pages:
            _mark_only_number(page, labels)
        return
    seen = [s for index, page in enumerate(pages) for s in _margins(index, page)]
    enough = max(2, round(_SHARE * len(pages)))
    numbered = _running_numbers(seen, enough, len(pages), body)
    if labels:
        numbered += _labelled(seen, [labels[page.number - 1] for page in pages])
    repeated = _repeated(seen, enough, len(pages), numbered=bool(numbered), body=body)
    repeated += _repeated_in_part(pages, seen, max(3, enough), body)
    found = _apart_from_text(seen, {id(s.row) for s in [*numbered, *repeated]})
    watermarks = _watermarks(pages, min(max(3, enough), len(pages)))
    if _leaves_content(pages, [*(s.row for s in found), *watermarks]):
        _mark(found)
        for row in watermarks:
            row.furniture = "watermark"


def _margins(index: int, page: PageRows) -> list[_Seen]:
    high, low = _MARGIN * page.height, (1 - _MARGIN) * page.height
    # What stands in a box of its own is known already.
    given = [row for row in page.rows if not row.furniture]
    top = [row for row in given if row.y1 < high]
    end = [row for row in given if row.y0 > low]
    top.sort(key=lambda row: row.y0)
    end.sort(key=lambda row: -row.y1)
    # Slides have signs that lead to other ones between their text and what stands below it.
    signs = {id(row) for row in given if len(row.text) <= _SIGNS and not _SAYS.search(row.text)}
    top, end = (
        [*_said(side, signs)[:_ROWS], *(row for row in side if id(row) in signs)]
        for side in (top, end)
    )
    rows = _said(given, signs)
    seen = []
    tops = sorted([row.y0 for row in rows]) if top else []
    for at, row in enumerate(top):
        # Rows that begin in this one's lower half stand beside it.
        below = bisect_left(tops, (row.y0 + row.y1) // 2)
        inwards = tops[below] - row.y1 if below < len(tops) else page.height
        seen.append(_Seen(index, row, True, inwards / max(row.size, 1), at == 0))
    if not end and (foot := number_at_foot(page)):
        end.append(foot)
    ends = sorted([row.y1 for row in rows]) if end else []
    for at, row in enumerate(end):
        above = bisect_right(ends, (row.y0 + row.y1) // 2) - 1
        inwards = row.y0 - ends[above] if above >= 0 else page.height
        seen.append(_Seen(index, row, False, inwards / max(row.size, 1), at == 0))
    return seen


def _said(rows: list[Row], signs: set[int]) -> list[Row]:
    return [row for row in rows if id(row) not in signs] if signs else rows


def _mark_only_number(page: PageRows, labels: Sequence[str] | None) -> None:
    """Set ``furniture`` of the number of a page that is the only one, in the middle of its foot."""
    foot = number_at_foot(page)
    if foot is None or foot.y0 < (1 - _MARGIN) * page.height:
        return
    number = labels[page.number - 1] if labels else str(page.number)
    if foot.text.strip(AROUND) == number and abs(foot.x0 + foot.x1 - page.width) <= foot.size:
        foot.furniture = "page_number"


def _repeated(
    seen: list[_Seen], enough: int, pages: int, *, numbered: bool, body: int
) -> list[_Seen]:
    """Rows whose text, its page number left out, stands at one height on enough pages."""
    asked = min(max(3, enough), pages)
    groups: defaultdict[tuple[str, bool, int], list[_Seen]] = defaultdict(list)
    for s in seen:
        # Large rows that differ in their number are headings: "Chapter 1", "Chapter 2".
        text = s.row.text if s.row.size >= _LARGE * body else NUMBER.sub("0", s.row.text)
        groups[text, s.top, round(s.row.y0 / _HEIGHT_TOLERANCE)].append(s)
    found: list[_Seen] = []
    for group in _said_alike(groups.values(), asked - (pages == _OPENED)):
        # On two pages the same line twice may well be content, unless the pages are numbered or
        # it stands apart, outermost, in the same words. So may it on the last two of three, where
        # what is bold may be their title: the first has a title in place of a header.
        on = {s.page for s in group}
        often = len(on) >= asked and (pages > 2 or numbered)
        goes_on = 0 not in on and not group[0].row.bold
        if often or ((len(on) >= asked or goes_on) and _stands_apart(group, body)):
            found += group
    return found


def _repeated_in_part(
    pages: list[PageRows], seen: list[_Seen], asked: int, body: int
) -> list[_Seen]:
    """Outermost rows of which a part says the same at one height on enough pages, and each other
    part nothing of its own: the name of a document beside that of its chapter."""
    groups: defaultdict[tuple[str, bool, int], list[_Seen]] = defaultdict(list)
    for s in seen:
        # Asked of every row, and so first what is quickly told.
        if len(s.row.lines) < 2 or not s.outermost or s.gap < _PART_GAP:
            continue
        if s.row.size < _LARGE * body:
            for part in filter(_NAME.search, parts_of(s.row)):
                groups[part, s.top, round(s.row.y0 / _HEIGHT_TOLERANCE)].append(s)
    often = {key: group for key, group in groups.items() if len({s.page for s in group}) >= asked}
    if not often:
        return []
    headings = [
        row.text.casefold()
        for page in pages
        for row in page.rows
        if row.bold or row.size >= _LARGE * body
    ]
    known = {part for part, _, _ in often} | {_NUMBERING.sub("", text) for text in headings}
    return [s for group in often.values() for s in group if _says_nothing_new(s.row, known)]


def _says_nothing_new(row: Row, known: set[str]) -> bool:
    """Whether each part of a row is the number of its page or ``known``, as the headings are: a
    label before another value on each page is none such, nor is an amount."""
    for part in parts_of(row):
        name = _BEFORE_NAME.sub("", part)
        is_heading = not NUMBER.search(name) and name.casefold() in known
        if not (part in known or is_heading or is_page_number(part)):
            return False
    return True


def _said_alike(groups: Iterable[list[_Seen]], asked: int) -> Iterable[list[_Seen]]:
    """Groups on at least ``asked`` pages whose rows differ in the number of their page only."""
    for group in groups:
        if len({s.page for s in group}) < asked:
            continue
        if _counts_pages(group):
            yield group
            continue
        same: defaultdict[str, list[_Seen]] = defaultdict(list)
        for s in group:
            same[s.row.text].append(s)
        yield from (part for part in same.values() if len({s.page for s in part}) >= asked)


def _counts_pages(group: list[_Seen]) -> bool:
    """Whether rows that are alike but for their digits differ in the number of the page, or of
    the chapter, only. A score, a date or the name of a year that is another one on each page is
    a fact."""
    if _in_runs([s.row.text for s in group]) or not _WORD.search(group[0].row.text):
        return True
    for column in zip(*[NUMBER.findall(s.row.text) for s in group], strict=True):
        away = [int(digits) - s.page for digits, s in zip(column, group, strict=True)]
        if _in_runs(away) and all(
            is_set_apart(s.row, s.page + by) or _may_number(s, by)
            for s, by in zip(group, away, strict=True)
        ):
            return True
    return False


def _in_runs(values: Sequence[Hashable]) -> bool:
    """Whether some values, by page, are all the same or change seldom."""
    changes = sum([a != b for a, b in pairwise(values)])
    return not changes or _RUN * (changes + 1) <= len(values)


def _may_number(s: _Seen, away: int) -> bool:
    """Whether a number that is not set apart may be the page's: at an end of a row in plain type,
    and no larger than the page's place, which what stands before page 1 only makes larger."""
    return away <= 1 and not s.row.bold and is_at_end(s.row, s.page + away)


def _stands_apart(group: list[_Seen], body: int) -> bool:
    first = group[0].row
    return all(
        s.outermost
        and s.gap >= _WIDE_GAP
        and s.row.size < _LARGE * body
        and s.row.text == first.text
        and abs(s.row.x0 - first.x0) <= _HEIGHT_TOLERANCE
        for s in group
    )


def _running_numbers(seen: list[_Seen], enough: int, pages: int, body: int) -> list[_Seen]:
    """Rows with a number that is the page's, give or take a constant."""
    groups: defaultdict[tuple[bool, bool, int], list[_Seen]] = defaultdict(list)
    for s in seen:
        large = s.row.size >= _LARGE * body
        if not large:
            for number in filter(None, map(roman_number, [s.row.text, *numbers_apart(s.row)])):
                groups[True, s.top, number - s.page].append(s)
        if large and not is_page_number(s.row.text):
            continue
        for digits in NUMBER.findall(s.row.text):
            if len(digits) <= 5:
                groups[False, s.top, int(digits) - s.page].append(s)
    found: list[_Seen] = []
    for (roman, _, away), group in groups.items():
        asked = min(enough, _FEW_ROMAN) if roman else enough
        if len({s.page for s in group}) < asked:
            continue
        kept = _with_page_number(_at_common_heights(group), away)
        if pages <= _FEW_PAGES:
            # Two list items "1. …" and "2. …" may begin two pages.
            kept = [s for s in kept if is_page_number(s.row.text) or s.gap >= _WIDE_GAP]
            texts = {NUMBER.sub("0", s.row.text) for s in kept if not is_page_number(s.row.text)}
            if len(texts) > 1:
                kept = [s for s in kept if is_page_number(s.row.text)]
        if len({s.page for s in kept}) >= asked:
            found += kept
    return found


def _with_page_number(group: list[_Seen], away: int) -> list[_Seen]:
    """Those of a group whose number, ``away`` from the index of their page, stands as page numbers
    do."""
    apart = {id(s) for s in group if is_set_apart(s.row, s.page + away)}
    others = [s for s in group if id(s) not in apart and is_at_end(s.row, s.page + away)]
    if others:
        # Scanned headers lose their blanks here and there.
        headers = sum(id(s) in apart and not is_page_number(s.row.text) for s in group)
        if 2 * headers < len(others):
            others = [s for s in others if _may_number(s, away)]
            said = Counter(NUMBER.sub("0", s.row.text) for s in others)
            # The words of headers change with the chapters, those of headings with each page.
            if 2 * sum(count for count in said.values() if count > 1) < len(others):
                others = []
        apart.update(id(s) for s in others)
    return [s for s in group if id(s) in apart]


def _at_common_heights(group: list[_Seen]) -> list[_Seen]:
    """Those of a group that stand at a height where another one stands."""
    heights = Counter(round(s.row.y0 / _HEIGHT_TOLERANCE) for s in group)
    return [s for s in group if heights[round(s.row.y0 / _HEIGHT_TOLERANCE)] >= 2]


def _labelled(seen: list[_Seen], labels: list[str]) -> list[_Seen]:
    """Rows that say nothing but the label of their page; ``labels`` are those of the pages."""
    sides: defaultdict[bool, list[_Seen]] = defaultdict(list)
    for s in seen:
        if labels[s.page] and s.row.text.strip(AROUND) == labels[s.page].strip():
            sides[s.top].append(s)
    return [s for side in sides.values() for s in _at_common_heights(side)]


def _watermarks(pages: list[PageRows], enough: int) -> list[Row]:
    """Turned rows, and those aslant, that stand in the same words at one place of enough pages."""
    groups: defaultdict[tuple[str, int, int], dict[int, Row]] = defaultdict(dict)
    for index, page in enumerate(pages):
        for row in page.rows:
            if row.stamped and (row.turned or row.aslant):
                place = (round(row.x0 / _HEIGHT_TOLERANCE), round(row.y0 / _HEIGHT_TOLERANCE))
                groups[row.text, *place][index] = row
    return [row for group in groups.values() if len(group) >= enough for row in group.values()]


def _apart_from_text(seen: list[_Seen], found: set[int]) -> list[_Seen]:
    """Rows found that do not run on into rows that were not: those begin or end a paragraph."""
    kept: list[_Seen] = []
    margins: defaultdict[tuple[int, bool], list[_Seen]] = defaultdict(list)
    for s in seen:
        margins[s.page, s.top].append(s)
    for margin in margins.values():
        inner_is_text = True
        # From the text outwards.
        for s in reversed(margin):
            is_text = id(s.row) not in found or (inner_is_text and s.gap < _MIN_GAP)
            if not is_text:
                kept.append(s)
            inner_is_text = is_text
    return kept


def _leaves_content(pages: list[PageRows], marked: Iterable[Row]) -> bool:
    """Whether at most half of the pages that have text would be left without any."""
    gone = {id(row) for row in marked}
    full = [page for page in pages if len(page.items) > 0]
    emptied = [
        page
        for page in full
        if len(page.items) == len(page.rows) and all(id(row) in gone for row in page.rows)
    ]
    return 2 * len(emptied) <= len(full)


def _mark(group: list[_Seen]) -> None:
    for s in group:
        if is_page_number(s.row.text):
            s.row.furniture = "page_number"
        else:
            s.row.furniture = "header" if s.top else "footer"
