"""Lists of contents in plain text, that of the whole or those of its chapters.

Their entries follow each other without text between them, and come again below as titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

#: A word for what is counted, the number and the words of a title.
_TITLE = re.compile(
    r"(?P<word>[^\W\d_]+\s+(?=[\dA-Z]{1,3}[.:\s])|[附付][录錄録]\s?(?=[A-Z])|第\s?(?=\d)|)"
    r"(?P<number>(?:[IVXLC]+|[A-Z\d])(?:\.?\d+)*)(?![A-Za-z])(?:\s?[章节節])?[.:：]?\s*"
    r"(?P<words>[^\s.].*)"
)
#: Lines that an entry stands on at most, and their characters.
_MOST = 4
_LONGEST = 200


class _Key(NamedTuple):
    """What an entry and its title have in common."""

    word: str
    number: str
    words: str


class Titled(NamedTuple):
    """A line that may be a title.

    Attributes:
        line: from 0.
        last: the line that it ends on.
        rank: less of what is further out.
    """

    line: int
    last: int
    rank: int


class _Line(NamedTuple):
    """A title or an entry, which has the ``rank`` of the title below."""

    first: int
    last: int
    rank: int
    is_entry: bool


def contents_among(lines: Sequence[str], titles: Sequence[Titled]) -> set[int]:
    """The lines of entries of lists of contents.

    Titles in chapters that count anew may come again as well; those lead ever deeper to text.
    """
    below: dict[_Key, Titled] = {}
    for title in titles:
        if key := _key(lines[title.line : title.last + 1]):
            # A list may have no word for what is counted: "1. Tide" of "Chapter 1. Tide".
            below[key] = below[key._replace(word="")] = title
    found: set[int] = set()
    if not below:
        return found
    for run in _runs(lines, below, {title.line: title for title in titles}):
        if any(over.is_entry and under.rank <= over.rank for over, under in pairwise(run)):
            for entry in run:
                if entry.is_entry:
                    found.update(range(entry.first, entry.last + 1))
    return found


def _runs(
    lines: Sequence[str], below: Mapping[_Key, Titled], titles: Mapping[int, Titled]
) -> Iterator[list[_Line]]:
    """Entries and titles without text between them."""
    run: list[_Line] = []
    number = 0
    while number < len(lines):
        if not lines[number].strip():
            number += 1
            continue
        line = _entry(lines, number, below) or _title(titles.get(number))
        if line is not None:
            run.append(line)
        elif run:
            yield run
            run = []
        number = line.last + 1 if line else number + 1
    if run:
        yield run


def _title(title: Titled | None) -> _Line | None:
    return _Line(*title, is_entry=False) if title else None


def _entry(lines: Sequence[str], number: int, below: Mapping[_Key, Titled]) -> _Line | None:
    """The entry that begins on a line."""
    for last in range(number, min(number + _MOST, len(lines))):
        key = _key(lines[number : last + 1]) if lines[last].strip() else None
        if key is None:
            break
        title = below.get(key)
        if title is not None and title.line > last:
            return _Line(number, last, title.rank, is_entry=True)
    return None


def _key(title: Sequence[str]) -> _Key | None:
    """None of what has no number, or no words beside it."""
    text = " ".join(" ".join(title).split())
    found = _TITLE.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    word, number, words = found.groups()
    return _Key(word.strip().casefold(), number, words.casefold())
