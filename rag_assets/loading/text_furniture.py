"""Running heads and feet of texts that were made for pages.

A page's mark ends with its number, stands alone and counts up by one about a page apart. What
recurs beside such marks or form feeds, alike but for numbers, is the pages' as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

_LONGEST = 120
#: The number of a page at the end of its line: behind a gap or a word for it, or on its own.
_MARK = re.compile(
    r"(?:.*\S[ ]{3,}|.*(?:\b[Pp](?:age|AGE)|\bp\.|第|页|頁)[ ]*|[-–—\[(]?[ ]*)"
    r"(?P<number>\d{1,4})[ ]*(?:[\])–—-]|页|頁)?"
)
_ALONE = re.compile(r"\W*\d+\W*")
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
#: How often a line recurs at least, and how many lines apart.
_FEWEST = 3
_PAGE = range(20, 121)


def furniture_lines(lines: Sequence[str], but: set[int]) -> dict[int, str]:
    """Line (from 0) -> kind: ``page_number`` where it numbers a page, ``header`` of others beside.

    Args:
        but: lines that are none, as headings.
    """
    feeds = {number for number, line in enumerate(lines) if "\f" in line}
    marks = set(_page_marks(lines, feeds)) - but
    kinds = dict.fromkeys(marks, "page_number")
    beside = set(_lines_at_page_ends(lines, feeds | marks, marks)) - but
    if beside:
        alike = Counter(_mask(line) for line in lines if line.strip())
        near = Counter(_mask(lines[number]) for number in beside)
        for number in beside:
            mask = _mask(lines[number])
            if near[mask] >= _FEWEST and near[mask] * 5 >= alike[mask] * 4:
                kinds[number] = "header"
    return dict(sorted(kinds.items()))


def _mask(line: str) -> str:
    return _NUMBER.sub("0", " ".join(line.split()))


def _page_marks(lines: Sequence[str], feeds: set[int]) -> Iterator[int]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or len(text) > _LONGEST or not text[-2:].strip("])–—- 页頁"):
            continue
        if not _stands_apart(lines, number) or not (mark := _MARK.fullmatch(text)):
            continue
        found[_mask(line)].append((number, int(mark["number"])))
    for places in found.values():
        yield from _counted(lines, places, feeds)


def _stands_apart(lines: Sequence[str], number: int) -> bool:
    """Whether a line has nothing directly above it or below it."""
    above = number == 0 or not lines[number - 1].strip() or "\f" in lines[number]
    below = number + 1 >= len(lines) or not lines[number + 1].strip() or "\f" in lines[number + 1]
    return above and below


def _counted(
    lines: Sequence[str], places: Sequence[tuple[int, int]], feeds: set[int]
) -> Iterator[int]:
    if len(places) < _FEWEST:
        return
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)]
    paged = sum(count == 1 and gap in _PAGE for gap, count in steps)
    if paged * 5 < len(steps) * 4:
        return
    if _ALONE.fullmatch(lines[places[0][0]].strip()):
        # Stanzas and items may be numbered so as well, but not at one distance.
        usual = median(gap for gap, _ in steps)
        even = all(abs(gap - usual) * 4 <= usual for gap, _ in steps)
        at_feeds = all({number - 1, number, number + 1} & feeds for number, _ in places)
        if not at_feeds and (usual < 2 * _PAGE.start or not even):
            return
    yield from (number for number, _ in places)


def _lines_at_page_ends(lines: Sequence[str], bounds: set[int], marks: set[int]) -> Iterator[int]:
    """The nearest lines with text above and below each place where a page ends."""
    for bound in bounds:
        if bound not in marks and lines[bound].strip():
            yield bound
            continue
        for step in (-1, 1):
            at = bound + step
            while 0 <= at < len(lines) and (at in marks or not lines[at].strip()):
                at += step
            # Words go on towards the middle of a page. A head may have a second line, and a gap.
            inwards = at + step
            if 0 <= at < len(lines) and (
                not 0 <= inwards < len(lines)
                or not lines[inwards].strip()
                or (step > 0 and "   " in lines[at].strip())
            ):
                yield at
