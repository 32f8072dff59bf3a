"""Which articles, chapters, seasons and the like a question names and a text speaks of: chapter 3,
Chapter III, the third season, articles 10 to 15, 第三条, 三号线. Both languages.

A thing that has 号 behind its number, as 三号配电室, is told as ``3号``: the 3 of 3小时 is none.
"""

from __future__ import annotations

import re

from rag_query.generation.facts import numbers, values
from rag_query.text.numerals import roman_value

_DIGIT = r"[\d零〇一二三四五六七八九十百]"
_HAN = rf"{_DIGIT}+"
_HAO = "号"
_THING = r"(?:article|chapter|section|clause|appendix|season|episode|volume)"
_ASKED = re.compile(
    rf"第\s*({_HAN})\s*[届条章期季集版号]|\b{_THING}\s+(\d{{1,9}})(?![.\d])", re.IGNORECASE
)
_SAID = re.compile(rf"第\s*({_HAN})")
#: 3号楼, 五号配电室. What follows the others is no name of a thing, and 5月3号 is a day.
_ASKED_HAO = re.compile(
    rf"(?<![\d零〇一二三四五六七八九十百年月第.])({_HAN})\s*号"
    r"(?![码召称令外下前后起至到之是开的发有能可要会])(?=[\u4e00-\u9fff])"
)
_AND = r"\s*(?:[-–—~～至到]|[、,，和与及或])\s*"
#: Also several: 1、2号楼, 3至5号楼. A day may be meant by both words (5号会议).
_SAID_HAO = re.compile(
    rf"(?<!{_DIGIT}){_HAN}(?:\s*号?{_AND}{_HAN}){{0,12}}\s*(?:[号#＃]|日(?![以之]?内))"
)
_HAN_NUMBER = re.compile(_HAN)
_HAN_LETTER = re.compile(r"[\u4e00-\u9fff]")
_SPAN = re.compile(
    rf"({_HAN})\s*[条章期季集届版号]?\s*(?:[-–—~～至到]|to\b|through\b)\s*第?\s*({_HAN})"
)
_ROMAN = re.compile(rf"\b{_THING}s?\s+([ivxlc]+)\b", re.IGNORECASE)
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d{{1,9}})(?:st|nd|rd|th))\b", re.IGNORECASE)


def asked_numbered(question: str) -> frozenset[str]:
    """The numbers of the things that a question names."""
    found = filter(None, map(_value, _matched(_ASKED, question)))
    behind = filter(None, map(_value, _ASKED_HAO.findall(question)))
    return frozenset(found).union(f"{value}{_HAO}" for value in behind)


def numbered(text: str) -> frozenset[str]:
    """The numbers of what a text may speak of, besides those that it writes in digits."""
    found = set(map(_value, _SAID.findall(text)))
    for said in _SAID_HAO.findall(text):
        ends = map(_value, _HAN_NUMBER.findall(said))
        found |= {f"{value}{_HAO}" for value in filter(None, ends)}
        found |= {
            f"{value}{_HAO}"
            for first, last in _SPAN.findall(said)
            for value in _between(_value(first), _value(last))
        }
    found |= {str(roman_value(said.upper())) for said in _ROMAN.findall(text)}
    for word, digits in _ORDINAL.findall(text):
        found.add(digits or str(1 + _ORDINALS.index(word.lower())))
    for first, last in _SPAN.findall(text):
        found |= _between(_value(first), _value(last))
    if _HAN_LETTER.search(text) is None:
        # In other languages the same thing is "pump 3".
        found |= {f"{value}{_HAO}" for value in values(text)}
    return frozenset(filter(None, found))


def _matched(pattern: re.Pattern[str], text: str) -> set[str]:
    return {next(filter(None, match.groups())) for match in pattern.finditer(text)}


def _value(said: str) -> str:
    """A number as its digits, be it written in Chinese numerals; empty where it is none."""
    # A unit makes a lone numeral readable as a number.
    return next((number.value for number in numbers(f"{said}次")), "")


def _between(first: str, last: str) -> set[str]:
    """The numbers of a span of up to a hundred."""
    if not (first.isdigit() and last.isdigit()):
        return set()
    return {str(n) for n in range(int(first), min(int(last), int(first) + 100) + 1)}
