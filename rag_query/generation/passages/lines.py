"""The lines a chunk is read by: paragraphs, items, rows, headings, what is written line by line.

A line that continues the one before belongs to it. Lines of a log or a chat that begin with a time
stand each for itself, and so do those of a film's subtitles that say when they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag_query.generation.passages.boxes import box_line
from rag_query.generation.vocabulary.facts import UNIT_PATTERN
from rag_query.text.marks import Marked
from rag_query.text.numerals import HAN_UP_TO_TEN, han_value

HEADING = re.compile(r"\s{0,3}(?P<level>#{1,6})\s")
ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>(?P<number>\d{1,3})[.)、]|[-*+•])[ \t]+")
_TIME = re.compile(
    r"\[?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?:\d\d(?::\d\d)?"
    r"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d\d? )?[A-Z][a-z]{2} [ \d]?\d[, ] ?\d[\d:]+)"
    r"(?=[\s,\]T])"
)
#: In SubRip and WebVTT, with the number that may stand above it.
_CUE = re.compile(r"(?:\d+[ \t]*\n)?[ \t]*[\d:]*\d\d:\d\d[.,]\d{3} --> [\d:.,]+[^\n]*\n?")

#: What may be an entry of a list of contents: "2.2 牛顿法 3", but not "9.30 Opening" or "0.5 l".
_ENTRY_OF_CONTENTS = re.compile(
    rf"(?!\d{{1,2}}\.[0-5]\d\s)(?:(?P<section>\d{{1,2}}(?:\.\d{{1,2}})+)"
    rf"|第(?P<zh>[{HAN_UP_TO_TEN}]{{1,3}}|\d{{1,3}})[章节]|Chapter (?P<en>\d{{1,2}}))\s*+"
    rf"(?![a-z]|(?i:{UNIT_PATTERN})\s)"
    r"(?=\D*[^\W\d])[^\d.,;:!?。，；：！？|]{1,60}\s(?P<page>\d{1,4})"
)
_BETWEEN = " \t\n>*+-"
_MARK = re.compile(r"[.,;:!?()。，；：！？、（）]")
_MANY_WORDS = 25
_MANY_CAPITALS = 0.3


def is_cue(line: str) -> bool:
    """Whether a line says when a subtitle is shown, and nothing else."""
    return "-->" in line and _CUE.fullmatch(line) is not None


def lines_of(read: Marked) -> list[tuple[int, int]]:
    """Where the lines of a text are; code below a line belongs to it."""
    text = read.text
    spans: list[tuple[int, int]] = []
    at = 0
    fresh = True
    was_code = is_timed = False  # Whether the last span begins with a time.
    lines = text.splitlines(keepends=True)
    times = [_TIME.match(line) is not None for line in lines]
    for number, line in enumerate(lines):
        start, at = at, at + len(line)
        is_code = read.is_code(start)
        if not line.strip():
            fresh = True
            continue
        # One may stand in a sentence; that of a log or a chat is one of several.
        has_time = times[number] and (is_timed or any(times[number + 1 : number + 2]))
        begins = fresh or has_time or (was_code and not is_code)
        if not is_code:
            begins = begins or _begins(line)
        if spans and not begins and not read.is_code(spans[-1][0]):
            begins = _ends(text[spans[-1][0] : spans[-1][1]])
        if begins or not spans:
            spans.append((start, at))
            is_timed = times[number]
        else:
            spans[-1] = (spans[-1][0], at)
        fresh, was_code = False, is_code
    return spans


def _begins(line: str) -> bool:
    return (
        ITEM.match(line) is not None
        or HEADING.match(line) is not None
        or line.lstrip().startswith(("|", ">"))
        or box_line(line) is not None
    )


def _ends(above: str) -> bool:
    """Whether a line goes on nowhere, as a heading does not."""
    return HEADING.match(above) is not None or box_line(above) is not None or is_cue(above)


def is_entry_of_contents(said: str, text: str, start: int, end: int) -> bool:
    """Whether a line is one of a list of contents: a numbered heading with the page it stands on,
    of which the line before or after gives the next section and its page.

    Args:
        said: what a reader sees of ``text[start:end]``.
    """
    entry = _entry(said)
    if entry is None:
        return False
    before, after = text[:start].rstrip(_BETWEEN), text[end:].lstrip()
    above, below = _entry(before[before.rfind("\n") + 1 :]), _entry(after.partition("\n")[0])
    return (above is not None and _follow(above, entry)) or (
        below is not None and _follow(entry, below)
    )


def is_running_head(said: str, headings: Iterable[str]) -> bool:
    """Whether a line is one of the numbered headings it stands below, with a page: what a page
    repeats at its head."""
    match = _ENTRY_OF_CONTENTS.fullmatch(said)
    return match is not None and said[: match.start("page")].rstrip() in headings


def _entry(line: str) -> tuple[tuple[int, ...], int] | None:
    """The number of a section, by its parts, and its page; None of what looks like no entry."""
    match = _ENTRY_OF_CONTENTS.fullmatch(line.rstrip().lstrip(_BETWEEN))
    if match is None:
        return None
    said = match["section"] or match["zh"] or match["en"]
    number = said.split(".")
    parts = tuple(int(n) if n.isdecimal() else int(han_value(n)) for n in number)
    return parts, int(match["page"])


def _follow(one: tuple[tuple[int, ...], int], other: tuple[tuple[int, ...], int]) -> bool:
    """Whether sections come right after each other: 2.1 and 2.2, 2.2 and 2.2.1, 2.3 and 3.1."""
    (number, page), (next_number, next_page) = one, other
    if next_page < page:
        return False
    nexts = [(*number, 1)] + [(*number[:at], number[at] + 1) for at in range(len(number))]
    return any(
        next_number[: len(part)] == part and set(next_number[len(part) :]) <= {1} for part in nexts
    )


def is_row_of_headings(text: str) -> bool:
    """Whether a text is the headings of a page in a row, as its navigation has them: many words,
    many of them with a capital, and no mark between them."""
    words = text.split()
    if len(words) < _MANY_WORDS or _MARK.search(text) or text.isupper():
        return False
    return sum(word[0].isupper() for word in words) >= len(words) * _MANY_CAPITALS
