"""Titles of plain text at the left edge, above text that stands further in.

Manual pages as ``man`` prints them have them, ``NAME`` and 描述, with subtitles three columns in.
So have RFCs, which stand further in but for their titles, and novels whose chapters have numbers
alone. In other texts the first lines of paragraphs, verses and functions stand so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

_LONGEST = 60
_MANUAL = re.compile(r"(\S+\([^\W_]+\))\s{2,}.*\s\1")
#: A long name does not fit twice and is cut the first time.
_CUT_MANUAL = re.compile(r"([^\s()]{12,}).*?(\1[^\s()]*\(\d\w*\))")
_LONGEST_HEAD = 160
_WORDS = re.compile(r"[\[(（《【「“\"'`]?[^\W_].*")
_COLUMNS = re.compile(r".*\S(?: {3,}|[ ]*\t[ ]*)\S.*")
#: Holds or ends what is no title: a sentence, a field, the beginning of a block of code.
_NO_TITLE = re.compile(r".*(?:[:：。！？!?；]|[.,;，、({=]$)")
_SUBTITLE = re.compile(r" {3}\S.*")
#: What stands beside something else in a header, which has so many lines, this wide, at most.
_BESIDE = re.compile(r".*\S(?: {3,}|\t+)\S.*")
_HEAD = 20
_WIDEST = 200
#: Frames begin with these.
_DRAWN = ("|", "+")
_NUMERAL = re.compile(r"[〇零一二三四五六七八九十百]+|\d{1,3}|[IVXLC]+", re.ASCII)
_FEWEST = 3
#: Lines further in that a title has at least, and for one that is neither further in nor a title.
_TEXT_OF_TITLE = 3
_TEXT_OF_OTHER = 12


class Outdent(NamedTuple):
    """``line`` from 0; ``level`` 1, or 2 of a manual's subtitles."""

    line: int
    level: int


def manual_name(line: str) -> str:
    """``NAME(section)`` of a manual page, from its first line without the blanks around it; empty
    when it is none."""
    if len(line) > _LONGEST_HEAD:
        return ""
    if found := _MANUAL.fullmatch(line):
        return found[1]
    found = _CUT_MANUAL.fullmatch(line)
    return found[2] if found else ""


def outdents(lines: Sequence[str], but: set[int]) -> list[Outdent]:
    """The titles of a text that are none of the lines ``but``, in order."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines):
        return []
    if manual_name(lines[first].strip()):
        return list(_of_manual(lines, but))
    titles = _of_text(lines, first, but)
    if head_end(lines, first) > first or all(_NUMERAL.fullmatch(lines[n].strip()) for n in titles):
        return [Outdent(line, 1) for line in titles]
    return []


def head_end(lines: Sequence[str], first: int) -> int:
    """The end of the block that a text begins with, where that begins with columns and has more of
    them, as the authors of an RFC beside its number and category; ``first`` where it has none."""
    end = next((n for n in range(first, len(lines)) if not lines[n].strip()), len(lines))
    block = [line.strip() for line in lines[first : min(end, first + _HEAD)]]
    in_columns = [
        len(line) <= _WIDEST and line[:1] not in _DRAWN and _BESIDE.fullmatch(line) is not None
        for line in block
    ]
    return end if in_columns[0] and sum(in_columns) > 1 else first


def _of_manual(lines: Sequence[str], but: set[int]) -> Iterator[Outdent]:
    for number in range(1, len(lines) - 1):
        line, below = lines[number], lines[number + 1]
        if number in but or lines[number - 1].strip() or not _may_be_title(line.strip()):
            continue
        if not line[0].isspace() and below.strip() and below[0].isspace():
            yield Outdent(number, 1)
        elif _SUBTITLE.fullmatch(line) and below.startswith(" " * 7):
            yield Outdent(number, 2)


def _of_text(lines: Sequence[str], first: int, but: set[int]) -> list[int]:
    """None where more than a line in a dozen is neither further in nor a title."""
    head = first + sum(1 for _ in takewhile(str.strip, lines[first:]))
    further_in = others = 0
    titles: list[int] = []
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or number in but:
            continue
        if line[0].isspace():
            further_in += 1
        elif _is_outdent(lines, number, text):
            titles.append(number)
        elif number >= head and any(map(str.isalnum, text)) and not _COLUMNS.fullmatch(text):
            others += 1
    few = len(titles) < _FEWEST
    if few or further_in < max(len(titles) * _TEXT_OF_TITLE, others * _TEXT_OF_OTHER):
        return []
    return titles


def _is_outdent(lines: Sequence[str], number: int, text: str) -> bool:
    if (number and lines[number - 1].strip()) or not _may_be_title(text) or _NO_TITLE.match(text):
        return False
    below = next((line for line in lines[number + 1 : number + 4] if line.strip()), "")
    return below[:1].isspace()


def _may_be_title(text: str) -> bool:
    return (
        len(text) <= _LONGEST
        and _WORDS.fullmatch(text) is not None
        and not _COLUMNS.fullmatch(text)
    )
