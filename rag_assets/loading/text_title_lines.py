"""Titles of plain text that stand on more than one line.

A long one goes on below, under its words where it counts in decimals. The words of a chapter may
stand below its number, and behind a blank line where those of its siblings do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag_assets.loading.text_numbers import Numbered, read_number
from rag_assets.loading.text_prose import indent_of, text_at

LONGEST = 90
_LONGEST_TITLE = 200
#: Lines below its first that a title has at most, and blank ones before its words.
_MOST = 3
#: No line is broken before a word that would have ended sooner.
_WIDTH = 60
_MOST_WORDS = 12
_CHINESE = re.compile(r"[\u4e00-\u9fff][^。；，！？…：]{0,29}")
_BEGINS = re.compile(r"[\"'“‘_]?[A-Z0-9À-Þ]")
_SPOKEN = re.compile(r"[\"“‘'].*[\"”’'][.,]?")


def title_at(lines: Sequence[str], number: int) -> tuple[int, Numbered] | None:
    """The last line of the title that begins on a line, and what its number says."""
    first, below = lines[number].strip(), _lines_below(lines, number + 1)
    told = read_number(first)
    if not below:
        return (number, told) if told else None
    if told and told.numbers and not told.titled:
        return (number + len(below) if reads_as_title(below) else number), told
    if len(lines[number].rstrip()) + 1 + len(below[0].split(None, 1)[0]) >= _WIDTH:
        joined = read_number(" ".join([first, *map(str.strip, below)]))
        if joined and (joined.name or _hangs(lines[number], below, joined)):
            return number + len(below), joined
    return (number, told) if told else None


def _lines_below(lines: Sequence[str], number: int) -> list[str]:
    """The lines up to a blank one; none where they are too many or too long."""
    found: list[str] = []
    for line in lines[number : number + _MOST + 1]:
        if not line.strip():
            return found
        found.append(line)
        if len(line) > _LONGEST_TITLE:
            return []
    return found if len(found) <= _MOST else []


def _hangs(first: str, below: Iterable[str], told: Numbered) -> bool:
    words = indent_of(first) + told.width
    return all(abs(indent_of(line) - words) <= 1 for line in below)


def reads_as_title(below: Sequence[str]) -> bool:
    """Whether lines are the words of a title and no sentence."""
    text = " ".join(map(str.strip, below))
    if _CHINESE.fullmatch(text):
        return len(below) == 1
    if len(text) > _LONGEST_TITLE or not _BEGINS.match(text) or _SPOKEN.fullmatch(text):
        return False
    if text.isupper():
        return True
    return len(text.split()) <= _MOST_WORDS and text.rstrip("_")[-1] not in ".,;:"


def words_below(
    lines: Sequence[str], titles: Sequence[tuple[int, Numbered]], but: set[int]
) -> dict[int, int]:
    """The line that a title's words end on, by the last line of its number.

    Args:
        titles: the last line of each, and what its number says.
        but: lines that belong to something else.
    """
    taken = but | {line for line, _ in titles}
    siblings: dict[str, list[int]] = {}
    for line, told in titles:
        if told.numbers and told.name and not told.titled:
            siblings.setdefault(told.name, []).append(line)
    found: dict[int, int] = {}
    for places in siblings.values():
        ends = {line: end for line in places if (end := _words_end(lines, line, taken))}
        if len(ends) > 1 and len(ends) * 5 >= len(places) * 4:
            found |= ends
    return found


def _words_end(lines: Sequence[str], number: int, taken: set[int]) -> int | None:
    begin = next((n for n in range(number + 1, number + _MOST + 2) if text_at(lines, n)), None)
    if begin is None:
        return None
    below = _lines_below(lines, begin)
    end = begin + len(below)
    if not 0 < len(below) < _MOST or not taken.isdisjoint(range(begin, end)):
        return None
    return end - 1 if reads_as_title(below) else None
