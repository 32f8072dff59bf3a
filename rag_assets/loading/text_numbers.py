"""How one title of a plain text is numbered: ``1.2.``, ``Chapter 2.``, ``IV.``, 第三章, 一、."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rag_query.text.numerals import ROMAN, ROMAN_DIGITS, han_value, roman_value

_LONGEST_CHINESE = 40
_DECIMAL = re.compile(
    r"(?P<numbers>\d{1,2}(?:\.\d{1,2}){0,4})(?P<stop>[.．、]?)"
    # Chinese needs no blank behind a stop, or behind numbers that hold one.
    r"(?:\s+|(?:(?<=[.．、])|(?<=\.\d)|(?<=\.\d\d))(?=[「《“]?[\u4e00-\u9fff]))"
    r"(?P<title>[\"'“(「《`<.{/]*[^\W_].*)"
)
_ROMAN = re.compile(
    rf"(?P<number>{ROMAN})"
    r"(?:(?P<stop>[.:]?)|(?:[.:]\s+|\s?[-–—]+\s?)(?P<title>[\"'“(_]*[^\W\d_].*))"
)
_CHINESE = "〇零一二两三四五六七八九十百千"
#: As letters of the administration count: 一、 and below it （一）.
_OUTLINE = re.compile(
    rf"(?:(?P<outer>[{_CHINESE}]{{1,3}})、|[（(](?P<inner>[{_CHINESE}]{{1,3}})[）)])"
    r"\s?(?P<title>[^\W_][^。；]*|[“「《][^。；]*)"
)
_CARDINALS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_ORDINALS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
]  # fmt: skip
_TENTHS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = (
    {word: value for value, word in enumerate(_CARDINALS, 1)}
    | {word: value for value, word in enumerate(_ORDINALS, 1)}
    | {word: 10 * value for value, word in enumerate(_TENTHS, 2)}
)
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_NAMED = re.compile(
    rf"(?:正文\s+)?第\s?(?P<zh>[{_CHINESE}]+|\d{{1,4}})\s?"
    # Without a blank the word must not be the beginning of another one, as in 第一回合;
    # 次の begins a title.
    r"(?P<zh_name>部分|[部卷编編篇章回节節幕话話集](?![合节節分队門门面目者轴]|次(?!の)))(?P<zh_title>.*)"
    rf"|(?P<zh_before>卷)[之第]?(?P<zh_roll>[{_CHINESE}]+)(?=[\s：:、]|$)(?P<zh_rest>.*)"
    # Of ASCII alone: ſ and İ are letters of other cases as well.
    r"|(?P<name>(?ai:part|book|volume|act|scene|chapter|letter|stave|lesson|unit|adventure|section"
    r"|appendix|annex))\s+(?:(?ai:the)\s+)?"
    rf"(?P<number>\d{{1,3}}|(?ai:(?:{_WORD})(?:[ -](?:{_WORD}))?)(?!\w)|[IVXLC]+(?![A-Za-z])"
    r"|[A-Z](?![A-Za-z]))(?P<rest>[.:]?(?:\s+.*)?|\s?[-–—]+(?!\d).*)"
)
#: A chapter behind its volume on one line, and one in brackets.
_OUTER_NAMES = frozenset(("部", "部分", "卷", "编", "篇", "集"))
_CHAPTER = re.compile(rf"[\s·](?P<chapter>第\s?(?:[{_CHINESE}]+|\d{{1,4}})\s?[章回节節话話].*)")
_BRACKETED = re.compile(r"[【〖［\[](第[^【】〖〗［］\[\]]{1,12})[】〗］\]]\s*(.*)")
#: Of one mark on both sides: ``=== Title ===``.
_BETWEEN_MARKS = re.compile(r"([=*~#-])\1+ ?(?P<title>[^\s=*~#-](?:.*[^\s=*~#-])?) ?\1{2,}")
_LETTERED = re.compile(
    r"(?P<letter>[A-Z])\.(?P<numbers>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?P<title>[^\W_].*)"
)
_APPENDIX = re.compile(r"[附付][录錄録]\s?(?P<letter>[A-Z])(?=[.\s：:]|$)(?P<title>.*)")
#: What stands before the first chapter, and what behind the last.
_BEFORE = re.compile(
    r"(?:楔\s?子|[自代译譯总總]?\s?序\s?[章言幕曲]?|前\s?言|引\s?[子言]|[导導]\s?[言论論])"
    r"(?:[\s：:].{1,20})?|(?:Pro|PRO)(?:logue|LOGUE)\.?|Preface\.?|PREFACE\.?|Foreword|FOREWORD"
)
_BEHIND = re.compile(
    rf"(?:尾\s?[声聲]|[后後]\s?[记記]|[终終]\s?章|番\s?外\s?[篇之]?\s?(?:[{_CHINESE}]{{1,3}}|\d{{1,3}})?"
    r"|跋)(?:[\s：:].{1,20})?|(?:Epi|EPI)(?:logue|LOGUE)\.?|Afterword|AFTERWORD"
)
#: Ends or holds what no title does: a sentence's end, or the page an entry of a list leads to.
_NO_TITLE = re.compile(r".*(?:[.,;:。，；：、]$|\t|[ ]{3,}|(?:\.\s?){4,}|…\s*\d+$)")
#: Of a title that stands behind the stop of its number: "Chapter 1. Loomings."
_STOPPED = re.compile(r"(?:[.:]\s+|\s?[-–—]+\s?)[\"'“_]?[A-Z0-9].*[^.,;:]\.")
_DEPTHS = {
    **dict.fromkeys(("part", "book", "volume", "act", "部", "部分", "卷", "编", "篇"), 0),
    **dict.fromkeys(("section", "节"), 2),
    "一、": 4,
    "（一）": 5,
}
_SIMPLE = str.maketrans("編節話", "编节话")
#: Depth of chapters, and of what has a Roman number with a title and without one.
CHAPTER = 1
_ROMAN_TITLE, _ROMAN_ALONE = 2, 3
_ROMAN_NAME, _ROMAN_ONLY = "roman", "roman alone"
OUTER, _INNER = "一、", "（一）"
_WITHOUT_WORD = frozenset((_ROMAN_NAME, _ROMAN_ONLY, OUTER, _INNER))
BEFORE, BEHIND = "before", "behind"


class Numbered(NamedTuple):
    """What the number of a title says.

    Attributes:
        name: what it counts; empty of decimals.
        letter: that of an appendix.
        numbers: empty of what stands before or behind the chapters.
        depth: 0 to 5 of a name; of decimals, how many numbers there are.
        titled: whether anything else stands with it.
        width: characters before its words.
        mark: the number as it is written behind a name in Latin letters.
    """

    name: str
    letter: str
    numbers: tuple[int, ...]
    depth: int
    titled: bool
    width: int = 0
    mark: str = ""

    @property
    def is_word(self) -> bool:
        """Whether a word says what is counted."""
        return bool(self.numbers and self.name) and self.name not in _WITHOUT_WORD


def without_marks_around(title: str) -> str:
    """A title without the run of one mark on each side of it."""
    found = _BETWEEN_MARKS.fullmatch(title)
    return found["title"] if found else title


def read_number(text: str) -> Numbered | None:
    """Read one title, without the blanks around it; None for what is none."""
    text = without_marks_around(text)
    if found := _BRACKETED.fullmatch(text):
        text = f"{found[1]} {found[2]}".rstrip()
    if found := _NAMED.fullmatch(text):
        return _named(found, len(text))
    for pattern, name in ((_BEFORE, BEFORE), (_BEHIND, BEHIND)):
        if pattern.fullmatch(text):
            return Numbered(name, "", (), CHAPTER, True)
    if found := _APPENDIX.fullmatch(text):
        if _NO_TITLE.match(found["title"]):
            return None
        letter = found["letter"]
        titled = bool(found["title"].strip())
        return Numbered("appendix", letter, (_place(letter),), CHAPTER, titled)
    if found := _OUTLINE.fullmatch(text):
        return _outline(found)
    if found := _ROMAN.fullmatch(text):
        return _roman(found)
    found = _DECIMAL.fullmatch(text) or _LETTERED.fullmatch(text)
    if found is None or _NO_TITLE.match(found["title"]):
        return None
    return _decimal(found)


def letters_among(told: Sequence[Numbered]) -> list[Numbered]:
    """Titles with what a lone I, V, X, L or C is beside the others of its name: a letter where
    more of those are letters, as in A, B, C, than Roman numbers, as in II, but for one that those
    go on from or lead to, as in A, B, I, II."""
    letters = Counter(one.name for one in told if _is_letter(one.mark))
    romans = [one for one in told if one.mark and set(one.mark) <= ROMAN_DIGITS.keys()]
    surely = Counter(one.name for one in romans if len(one.mark) > 1)
    counted = _counted_in_romans(told)
    return [
        _lettered(one)
        if one.mark in ROMAN_DIGITS and letters[one.name] > surely[one.name] and at not in counted
        else one
        for at, one in enumerate(told)
    ]


def _counted_in_romans(told: Sequence[Numbered]) -> set[int]:
    """Where those stand that are one more or less than a Roman number of several letters, the next
    one of their name."""
    counted: set[int] = set()
    last: dict[str, int] = {}
    for at, one in enumerate(told):
        if not one.mark:
            continue
        before = last.get(one.name)
        if before is not None:
            marks = told[before].mark + one.mark
            goes_on = one.numbers[0] == told[before].numbers[0] + 1
            if goes_on and len(marks) > 2 and set(marks) <= ROMAN_DIGITS.keys():
                counted |= {before, at}
        last[one.name] = at
    return counted


def _lettered(told: Numbered) -> Numbered:
    letter = told.mark if told.name == "appendix" else ""
    return told._replace(letter=letter, numbers=(_place(told.mark),))


def _named(found: re.Match[str], length: int) -> Numbered | None:
    if number := found["zh"] or found["zh_roll"]:
        name = (found["zh_name"] or found["zh_before"]).translate(_SIMPLE)
        title = found["zh_title"] or found["zh_rest"] or ""
        if length > _LONGEST_CHINESE or _NO_TITLE.match(title):
            return None
        if name in _OUTER_NAMES and (behind := _CHAPTER.search(title)):
            return read_number(behind["chapter"])
        if title[:1].isalnum() and re.search("[，。；：、]", title):
            return None  # A sentence that begins so.
        return Numbered(name, "", (_value(number),), _DEPTHS.get(name, CHAPTER), bool(title))
    name, mark, rest = found["name"].lower(), found["number"], found["rest"]
    if rest not in ("", ".", ":") and _NO_TITLE.match(rest) and not _STOPPED.fullmatch(rest):
        return None
    titled = any(map(str.isalnum, rest))
    if name == "annex":
        name = "appendix"
    letter = mark if name == "appendix" and _is_letter(mark) else ""
    value = (_value(mark),)
    return Numbered(name, letter, value, _DEPTHS.get(name, CHAPTER), titled, mark=mark)


def _outline(found: re.Match[str]) -> Numbered | None:
    if _NO_TITLE.match(found["title"]) or len(found["title"]) > _LONGEST_CHINESE:
        return None
    name = OUTER if found["outer"] else _INNER
    return Numbered(name, "", (_value(found["outer"] or found["inner"]),), _DEPTHS[name], True)


def _roman(found: re.Match[str]) -> Numbered | None:
    title = found["title"]
    value = (_value(found["number"]),)
    if title is None:
        return Numbered(_ROMAN_ONLY, "", value, _ROMAN_ALONE, titled=False)
    if _NO_TITLE.match(title) and not (title.isupper() and title[-1] == "."):
        return None
    return Numbered(_ROMAN_NAME, "", value, _ROMAN_TITLE, titled=True)


def _decimal(found: re.Match[str]) -> Numbered | None:
    numbers = tuple(map(int, found["numbers"].split(".")))
    width = found.start("title")
    if letter := found.groupdict().get("letter"):
        return Numbered("", letter, (_place(letter), *numbers), len(numbers) + 1, True, width)
    if len(numbers) == 1 and not found["stop"] and found["title"][:1].islower():
        return None  # "12 months"; "1 Scope" is a title.
    return Numbered("", "", numbers, len(numbers), True, width)


def _is_letter(mark: str) -> bool:
    """Whether it is a letter and no Roman number."""
    return len(mark) == 1 and mark.isupper() and mark not in ROMAN_DIGITS


def _place(letter: str) -> int:
    """In the alphabet, from 1."""
    return ord(letter) - ord("A") + 1


def _value(number: str) -> int:
    """Of a number in digits, words, Roman or Chinese ones; of a letter its place."""
    if number.isdecimal():
        return int(number)
    if set(number) <= ROMAN_DIGITS.keys():
        return roman_value(number)
    if _is_letter(number):
        return _place(number)
    if number.isascii():
        return sum(_WORDS[word] for word in re.split("[ -]", number.lower()))
    return int(han_value(number))
