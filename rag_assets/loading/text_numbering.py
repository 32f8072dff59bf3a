"""Numbered titles of plain text: lines that stand alone and count up through the text.

Items of lists go on below, end as sentences, follow each other, or have what belongs to them below
their words; entries of a list of contents have no text between them and come again below. A preface
or an epilogue is a title beside chapters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_assets.loading.text_contents import Titled, contents_among
from rag_assets.loading.text_numbers import (
    BEFORE,
    CHAPTER,
    OUTER,
    Numbered,
    letters_among,
    without_marks_around,
)
from rag_assets.loading.text_prose import indent_of, margin_of
from rag_assets.loading.text_steps import Step, steps_among
from rag_assets.loading.text_title_lines import LONGEST, title_at, words_below

_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’」』）)]*$")
_CHINESE = re.compile("[\u4e00-\u9fff]")
#: Deeper than any name.
_BELOW_NAMES = 6
#: A line this short is none that goes on below.
_SHORT = 24
#: So many titles make headings; so many with a word for what they count, or Chinese numbers.
_FEWEST = 3
_FEWEST_NAMED = 2


class _Title(NamedTuple):
    """``last``: the line that its words end on, ``line`` or one below."""

    line: int
    last: int
    indent: int
    of: Numbered

    @property
    def rank(self) -> int:
        """Less of what is further out."""
        return self.of.depth if self.of.name else self.of.depth + _BELOW_NAMES


class NumberedTitle(NamedTuple):
    """``line`` and ``last``, that its words end on, from 0; ``level`` from 1."""

    line: int
    last: int
    level: int


def numbered_titles(lines: Sequence[str], but: set[int]) -> list[NumberedTitle]:
    """The numbered titles of a text that are none of the lines ``but``, in order."""
    titles = list(_candidates(lines, but))
    contents = contents_among(lines, [Titled(one.line, one.last, one.rank) for one in titles])
    told = _without_steps(lines, [title for title in titles if title.line not in contents])
    kept = _counted(_beside_others(_with_text(lines, told, contents)))
    named = sum(title.of.is_word or title.of.name == OUTER for title in kept)
    if len(kept) < _FEWEST and (named < _FEWEST_NAMED or named < len(kept)):
        return []
    ends = words_below(lines, [(title.last, title.of) for title in kept], but | contents)
    return _with_levels([title._replace(last=ends.get(title.last, title.last)) for title in kept])


def _candidates(lines: Sequence[str], but: set[int]) -> Iterator[_Title]:
    past = 0
    for number, line in enumerate(lines):
        text = without_marks_around(line.strip()).lstrip("【〖［[")
        if not text or len(text) > LONGEST or number in but or number < past:
            continue
        above = lines[number - 1].strip() if number else ""
        # Chinese novels and standards have no blank lines around their chapters.
        chinese = _CHINESE.match(text) is not None and (text[0] == "第" or len(text) <= _SHORT)
        if above and not (chinese and (number == past or _SENTENCE_END.search(above))):
            continue
        found = title_at(lines, number)
        if found is None or not but.isdisjoint(range(number, found[0] + 1)):
            continue
        below = found[0] + 1
        if chinese or below >= len(lines) or not lines[below].strip():
            yield _Title(number, found[0], indent_of(line), found[1])
            past = below


def _without_steps(lines: Sequence[str], titles: list[_Title]) -> list[_Title]:
    columns: dict[int, list[Step]] = defaultdict(list)
    for title in titles:
        if title.of.depth == 1 and not title.of.name:
            words = title.indent + title.of.width
            columns[title.indent].append(Step(title.line, words))
    if not columns:
        return titles
    margin = margin_of(lines)
    steps: set[int] = set()
    for told in columns.values():
        steps |= steps_among(lines, margin, told)
    return [title for title in titles if title.line not in steps]


def _with_text(lines: Sequence[str], titles: list[_Title], contents: set[int]) -> list[_Title]:
    """The titles that have text below them before the next title of their depth, or further out.

    A list of ``contents`` is no text, nor are the chapters that one names in other words.
    """
    named = contents | {title.line for title in titles if title.of.name}
    text = [number for number, line in enumerate(lines) if line.strip() and number not in named]
    kept: list[_Title] = []
    for title in reversed(titles):
        following = kept[-1] if kept else None
        begins = following is not None and (
            following.rank > title.rank or following.indent > title.indent
        )
        at = bisect_right(text, title.last)
        if begins or (at < len(text) and (following is None or text[at] < following.line)):
            kept.append(title)
    return kept[::-1]


def _beside_others(titles: Sequence[_Title]) -> list[_Title]:
    told = letters_among([title.of for title in titles])
    return [title._replace(of=of) for title, of in zip(titles, told, strict=True)]


def _counted(titles: Sequence[_Title]) -> list[_Title]:
    """The titles whose number goes on from that of the last title of their kind."""
    kept: list[_Title] = []
    named: dict[str, int] = {}
    last: tuple[int, ...] = ()
    over: _Title | None = None  # The chapter or appendix that the decimals are of.
    indents: dict[int, int] = {}
    for title in titles:
        if not title.of.numbers:
            if named or title.of.name == BEFORE:
                kept.append(title)
            continue
        if title.of.name:
            before = named.get(title.of.name)
            value = title.of.numbers[0]
            outer = over is not None and over.of.depth < title.of.depth
            goes_on = value <= 1 if before is None else before < value <= before + 2
            anew = value == 1 and (outer or (title.of.is_word and before != 1))
            if not goes_on and not anew:
                continue
            named[title.of.name] = value
            over, last = title, ()
        else:
            indent = indents.get(title.of.depth, title.indent)
            if indent != title.indent or not _follows(title.of, last, over and over.of):
                continue
            indents[title.of.depth] = indent
            last = title.of.numbers
        kept.append(title)
    return _of_several(kept)


def _of_several(titles: list[_Title]) -> list[_Title]:
    """The titles without a lone number of its kind (``I.``), and without prefaces and the like of a
    text that has no chapters."""
    alike = Counter(title.of.name for title in titles)
    words = any(title.of.name and title.of.numbers for title in titles)
    return [
        title
        for title in titles
        if title.of.is_word
        or not title.of.name
        or (alike[title.of.name] > 1 if title.of.numbers else words)
    ]


def _follows(told: Numbered, last: tuple[int, ...], over: Numbered | None) -> bool:
    """Whether decimals go on where the last ones stood, or begin below a chapter."""
    numbers = told.numbers
    if bool(told.letter) != bool(over is not None and over.letter and len(numbers) > 1):
        return False
    if over is not None and not last:
        of_chapter = len(numbers) == 2 and numbers[0] == over.numbers[0] and numbers[1] <= 1
        return numbers == (1,) or of_chapter
    if not last:
        return numbers in ((0,), (1,), (1, 0), (1, 1))
    if len(numbers) > len(last):
        return numbers[:-1] == last and numbers[-1] <= 1
    at = len(numbers) - 1
    return numbers[:at] == last[:at] and last[at] < numbers[at] <= last[at] + 2


def _with_levels(titles: Sequence[_Title]) -> list[NumberedTitle]:
    """Outer names first; decimals below them, where they do not begin with the chapter's number."""
    depths = sorted({title.of.depth for title in titles if title.of.name and title.of.numbers})
    levels = {depth: level for level, depth in enumerate(depths, 1)}
    chapters = min((depth for depth in depths if depth >= CHAPTER), default=0)
    found: list[NumberedTitle] = []
    above: _Title | None = None
    begins = 1  # The level of decimals of one number.
    for title, behind in zip(titles, _depths_behind(titles, chapters), strict=True):
        if title.of.name:
            depth = title.of.depth if title.of.numbers else chapters
            if title.of.name == BEFORE:
                depth = behind
            begins = levels[depth] + 1
            level = begins - 1
        else:
            if above is not None and above.of.name and len(title.of.numbers) == 2:
                begins -= 1
            level = max(1, begins + title.of.depth - 1)
        found.append(NumberedTitle(title.line, title.last, level))
        above = title
    return found


def _depths_behind(titles: Sequence[_Title], chapters: int) -> list[int]:
    """For each title, the depth of the next one that a word counts (Chapter 2); ``chapters`` where
    none follows."""
    found: list[int] = []
    depth = chapters
    for title in reversed(titles):
        found.append(depth)
        if title.of.name and title.of.numbers:
            depth = title.of.depth
    return found[::-1]
