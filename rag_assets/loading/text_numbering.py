"""Numbered titles of plain text: lines that stand alone and count up through the text.

``1.`` and ``1.1.``, ``Chapter 2.``, ``Appendix A.``, ``第三章``. Items of lists go on below, end as
sentences or follow each other; entries of a list of contents have no text between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

_LONGEST = 90
_LONGEST_CHINESE = 40
_DECIMAL = re.compile(
    r"(?P<numbers>\d{1,2}(?:\.\d{1,2}){0,4})(?P<stop>\.?)\s+(?P<title>[\"'“(「《`<.]*[^\W_].*)"
)
_CHINESE = "〇零一二两三四五六七八九十百千"
_NAMED = re.compile(
    rf"第\s?(?P<zh>[{_CHINESE}]+|\d{{1,4}})\s?(?P<zh_name>[部卷编篇章回节])(?=[\s：:、.]|$)(?P<zh_title>.*)"
    r"|(?P<name>(?i:part|book|chapter|appendix|annex))\s+(?P<number>\d{1,3}|[IVXLC]+|[A-Z])"
    r"(?P<rest>[.:]?(?:\s+.*)?)"
)
_LETTERED = re.compile(
    r"(?P<letter>[A-Z])\.(?P<numbers>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?P<title>[^\W_].*)"
)
_APPENDIX = re.compile(r"附[录錄]\s?(?P<letter>[A-Z])(?=[.\s：:]|$)(?P<title>.*)")
#: Ends or holds what no title does: a sentence's end, or the page an entry of a list leads to.
_NO_TITLE = re.compile(r".*(?:[.,;:。，；：、]$|\t|[ ]{3,}|(?:\.\s?){4,}|…)")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’」』）)]*$")
_OUTER = {"part": 0, "book": 0, "部": 0, "卷": 0, "编": 0, "篇": 0, "节": 2}
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
#: So many titles make headings; so many with a word for what they count.
_FEWEST = 3
_FEWEST_NAMED = 2


class _Title(NamedTuple):
    """``name``: what it counts, empty of decimals. ``letter``: that of an appendix.

    ``depth``: 0 to 2 of a name; of decimals, how many numbers there are.
    """

    line: int
    indent: int
    name: str
    letter: str
    numbers: tuple[int, ...]
    depth: int


class NumberedTitle(NamedTuple):
    """``line`` from 0; ``level`` from 1."""

    line: int
    level: int


def numbered_titles(lines: Sequence[str], but: set[int]) -> list[NumberedTitle]:
    """The numbered titles of a text that are none of the lines ``but``, in order."""
    told = list(_candidates(lines, but))
    kept = _counted(list(_with_text(lines, told)))
    named = sum(bool(title.name) for title in kept)
    if len(kept) < _FEWEST and (named < _FEWEST_NAMED or named < len(kept)):
        return []
    return _with_levels(kept)


def _candidates(lines: Sequence[str], but: set[int]) -> Iterator[_Title]:
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or len(text) > _LONGEST or number in but:
            continue
        title = _read(number, len(line) - len(line.lstrip()), text)
        if title is None:
            continue
        above = lines[number - 1].strip() if number else ""
        below = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if title.name.isascii():
            alone = not above and not below
        else:  # Chinese novels and standards have no blank lines around their chapters.
            alone = not above or _SENTENCE_END.search(above) is not None
        if alone:
            yield title


def _read(line: int, indent: int, text: str) -> _Title | None:
    if found := _NAMED.fullmatch(text):
        if name := found["zh_name"]:
            if len(text) > _LONGEST_CHINESE or _NO_TITLE.match(found["zh_title"]):
                return None
            return _Title(line, indent, name, "", (_value(found["zh"]),), _OUTER.get(name, 1))
        name, number = found["name"].lower(), found["number"]
        if found["rest"] not in ("", ".", ":") and _NO_TITLE.match(found["rest"]):
            return None
        if name in ("appendix", "annex"):
            return _Title(line, indent, "appendix", number, (_ordinal(number),), 1)
        value = _value(number) if number[0] in _ROMAN or number.isdecimal() else _ordinal(number)
        return _Title(line, indent, name, "", (value,), _OUTER.get(name, 1))
    if found := _APPENDIX.fullmatch(text):
        if _NO_TITLE.match(found["title"]):
            return None
        letter = found["letter"]
        return _Title(line, indent, "appendix", letter, (_ordinal(letter),), 1)
    found = _DECIMAL.fullmatch(text) or _LETTERED.fullmatch(text)
    if found is None or _NO_TITLE.match(found["title"]):
        return None
    numbers = tuple(map(int, found["numbers"].split(".")))
    letter = found.groupdict().get("letter") or ""
    if letter:
        return _Title(line, indent, "", letter, (_ordinal(letter), *numbers), len(numbers) + 1)
    if len(numbers) == 1 and not found["stop"] and found["title"][:1].islower():
        return None  # "12 months"; "1 Scope" is a title.
    return _Title(line, indent, "", "", numbers, len(numbers))


def _ordinal(mark: str) -> int:
    return _value(mark) if mark.isdecimal() or len(mark) > 1 else ord(mark) - ord("A") + 1


def _value(number: str) -> int:
    """Of a number in digits, Roman or Chinese ones."""
    if number.isdecimal():
        return int(number)
    if number[0] in _ROMAN:
        values = [_ROMAN[char] for char in number]
        return sum(
            -one if one < next_one else one
            for one, next_one in zip(values, [*values[1:], 0], strict=True)
        )
    if not any(char in _TENS for char in number):
        return int("".join(str(_DIGITS[char]) for char in number))
    total = digit = 0
    for char in number:
        if char in _TENS:
            total += (digit or 1) * _TENS[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return total + digit


def _with_text(lines: Sequence[str], titles: Sequence[_Title]) -> Iterator[_Title]:
    """Those that have anything below them before a title of their own depth, or further out."""
    for title, following in zip_longest(titles, titles[1:]):
        end = len(lines) if following is None else following.line
        begins = following is not None and (
            _rank(following) > _rank(title) or following.indent > title.indent
        )
        if begins or any(line.strip() for line in lines[title.line + 1 : end]):
            yield title


def _rank(title: _Title) -> int:
    return title.depth if title.name else title.depth + 2


def _counted(titles: Sequence[_Title]) -> list[_Title]:
    """Those that go on counting where the last one of their kind stood."""
    kept: list[_Title] = []
    named: dict[str, int] = {}
    last: tuple[int, ...] = ()
    over: _Title | None = None  # The chapter or appendix that the decimals are of.
    indents: dict[int, int] = {}
    for title in titles:
        if title.name:
            before = named.get(title.name)
            value = title.numbers[0]
            outer = over is not None and over.depth < title.depth
            goes_on = value <= 1 if before is None else before < value <= before + 2
            if not goes_on and not (value == 1 and outer):
                continue
            named[title.name] = value
            over, last = title, ()
        else:
            indent = indents.get(title.depth, title.indent)
            if indent != title.indent or not _follows(title, last, over):
                continue
            indents[title.depth] = indent
            last = title.numbers
        kept.append(title)
    return kept


def _follows(title: _Title, last: tuple[int, ...], over: _Title | None) -> bool:
    """Whether decimals go on where the last ones stood, or begin below a chapter."""
    numbers = title.numbers
    if bool(title.letter) != bool(over is not None and over.letter and len(numbers) > 1):
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
    depths = sorted({title.depth for title in titles if title.name})
    levels = {depth: level for level, depth in enumerate(depths, 1)}
    found: list[NumberedTitle] = []
    above: _Title | None = None
    begins = 1  # The level of decimals of one number.
    for title in titles:
        if title.name:
            begins = levels[title.depth] + 1
            found.append(NumberedTitle(title.line, begins - 1))
        else:
            if above is not None and above.name and len(title.numbers) == 2:
                begins -= 1
            found.append(NumberedTitle(title.line, max(1, begins + title.depth - 1)))
        above = title
    return found
