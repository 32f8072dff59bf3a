"""Which articles, chapters, seasons and the like a question names and a text speaks of: chapter 3,
Chapter III, the third season, articles 10 to 15, 第三条. Both languages.

A thing with 号 behind its number, as 三号配电室, is told as ``3号``. It may be written as #3, No. 3
or 3 in a table: any 3 may mean it but for that of a measure or of a time of day.
"""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.facts import UNIT_PATTERN
from rag_query.text.letter_case import lowered
from rag_query.text.numerals import HAN_UP_TO_TEN, ROMAN_SURELY, numeral_value, roman_value

_DIGIT = rf"[\d零〇{HAN_UP_TO_TEN}百]"
#: Longer runs number nothing.
_HAN = rf"{_DIGIT}{{1,9}}"
_BLANKS = r"\s{0,9}"
_THING = r"(?:article|chapter|section|clause|appendix|season|episode|volume)"
_ASKED = re.compile(
    rf"第\s*({_HAN})\s*[届条章期季集版号]|\b{_THING}\s+(\d{{1,9}})(?![.\d])", re.IGNORECASE
)
_SAID = re.compile(rf"第{_BLANKS}({_HAN})")
#: 3号楼, 五号配电室, each with the first letter of what it is. What follows the others is no name
#: of a thing, and 5月3号 is a day.
_HAO_THING = re.compile(
    rf"(?<!{_DIGIT})(?<![年月第.])({_HAN}){_BLANKS}号"
    r"(?![码召称令外下前后起至到之是开的发有能可要会])([\u4e00-\u9fff])"
)
#: Several: 1、2号楼, 3至5号楼.
_AND = rf"{_BLANKS}(?:[-–—~～至到]|[、,，和与及或]){_BLANKS}"
_LISTED = re.compile(rf"(?<!{_DIGIT}){_HAN}(?:{_BLANKS}号?{_AND}{_HAN}){{0,12}}{_BLANKS}[号#＃]")
_ONE = re.compile(_HAN)
#: A day may be meant by both words (5号会议).
_MAY_BE_HAO = re.compile(
    rf"(?<!{_DIGIT})(?<!\d\.)({_HAN})(?!{_DIGIT}|\.\d|[:：]\d|,\d{{3}})"
    rf"(?!{_BLANKS}[时点刻万亿%])(?!{_BLANKS}(?!日(?![以之]?内))(?:{UNIT_PATTERN})(?![A-Za-z]))",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"({_HAN}){_BLANKS}(?:[条章期季集届版]|号[\u4e00-\u9fff]?)?{_BLANKS}"
    rf"(?:[-–—~～至到]|to\b|through\b){_BLANKS}第?{_BLANKS}({_HAN})"
)
_ROMAN = re.compile(rf"\b{_THING}s?\s+((?a:{ROMAN_SURELY}))\b", re.IGNORECASE)
#: An I alone is a word but for one behind a name: World War I.
_ROMAN_WORD = re.compile(
    r"\b(?!(?:When|Where|What|Why|How|If|As|And|But|So|Then|Do|Did|Can|May|Should)\b)"
    r"[A-Z][a-z]+\s(I)\b|\b(?!I\b)([IVXLC]{1,7})\b"
)
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d{{1,9}})(?:st|nd|rd|th))\b", re.IGNORECASE)


def asked_numbered(question: str) -> frozenset[str]:
    """The numbers of the things that a question names."""
    return frozenset(filter(None, map(_value, _matched(_ASKED, question))))


def numbered(text: str) -> frozenset[str]:
    """The numbers of what a text may speak of, besides those that it writes in digits."""
    found = set(map(_value, _SAID.findall(text)))
    found |= {str(roman_value(lowered(said).upper())) for said in _ROMAN.findall(text)}
    for word, digits in _ORDINAL.findall(text):
        found.add(digits or str(1 + _ORDINALS.index(lowered(word))))
    for first, last in _SPAN.findall(text):
        found |= _between(_value(first), _value(last))
    return frozenset(filter(None, found))


def roman_numbers(text: str) -> frozenset[str]:
    """The numbers that a text may write in Roman numerals: 2 of World War II."""
    return frozenset(str(roman_value(said)) for said in _matched(_ROMAN_WORD, text))


def with_hao(text: str) -> frozenset[tuple[str, str]]:
    """The things with 号 behind their numbers that a text names, each the number and the first
    letter of what it is: ``3号`` and 楼."""
    return frozenset((f"{_value(said)}号", thing) for said, thing in _HAO_THING.findall(text))


def listed_with_hao(text: str) -> frozenset[str]:
    """The numbers that a text writes with 号, alone, in lists and in spans."""
    said = (one for listed in _LISTED.findall(text) for one in _ONE.findall(listed))
    return _with_hao({*map(_value, said), *numbered(text)})


def may_be_with_hao(text: str) -> frozenset[str]:
    """The numbers of such things that a text may speak of, however it writes them."""
    return _with_hao({*map(_value, _MAY_BE_HAO.findall(text)), *numbered(text)})


def _with_hao(values: set[str]) -> frozenset[str]:
    return frozenset(f"{value}号" for value in values if value)


def _matched(pattern: re.Pattern[str], text: str) -> set[str]:
    return {next(filter(None, match.groups())) for match in pattern.finditer(text)}


def _value(said: str) -> str:
    """A number as its digits, be it written in Chinese numerals; empty where it is none."""
    value = numeral_value(said)
    return "" if value is None else str(value)


def _between(first: str, last: str) -> set[str]:
    """The numbers of a span of up to a hundred."""
    if not (first.isdigit() and last.isdigit()):
        return set()
    return {str(n) for n in range(int(first), min(int(last), int(first) + 100) + 1)}
