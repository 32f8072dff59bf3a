"""Things that are told apart by a number at their noun: room 6, gates 2 to 4, the seventh floor,
第七次技术例会, 第三周.

A document may number them otherwise or not at all. So what tells a text apart is that it names
others of the same noun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_query.generation.vocabulary.answer_types import AnswerType, answer_type
from rag_query.generation.vocabulary.facts import NO_UNIT
from rag_query.generation.vocabulary.numbered import numbered
from rag_query.text.numerals import HAN_UP_TO_TEN, numeral_value

#: None that is a verb as often ("block 3 requests"), nor what a question may name otherwise.
_NOUNS = (
    "room|floor|storey|gate|door|entrance|hall|wing|building|tower|apartment|flat|suite|cabin"
    "|ward|bay|lane|platform|terminal|pier|berth|station|bus|route|zone|area|sector|site"
    "|unit|module|machine|pump|valve|tank|boiler|turbine|engine|reactor|elevator|locker|rack"
    "|aisle|port|channel|slot|phase|stage|level|tier|grade|category|type|group|team|shift|cohort"
    "|batch|sample|lesson|exercise|error|code|week|day"
)
_ONE = r"\d{1,4}(?!\d|[.:/]\d|\s?%|[A-Za-z])"
_TO = r"(?:to\b|through\b|[-–—])"
_JOIN = rf"\s?(?:,\s?(?:and|or)\b|,|and\b|or\b|&|{_TO})\s?"
#: "Seats 6 guests": without a list, what ends on an s may be a verb.
_NAMED = re.compile(
    rf"\b({_NOUNS})\s+(?:no\.?\s?|number\s|#\s?)?({_ONE}(?:{_JOIN}{_ONE}){{0,12}}){NO_UNIT}"
    rf"|\b({_NOUNS})s\s+({_ONE}(?:{_JOIN}{_ONE}){{1,12}}){NO_UNIT}",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_SPAN = re.compile(rf"(\d+)\s?{_TO}\s?(\d+)", re.IGNORECASE)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
#: Of others, the third is the third that is told of.
_ORDINAL = re.compile(
    rf"(?<![\w-])(?:({'|'.join(_TENS)})-)?"
    r"((?:[a-z]{3,8}(?:st|nd|rd|th)|first|second|third|\d{1,3}(?:st|nd|rd|th))[\s-])"
    r"(?:\w+\s(?=meeting))?(floor|storey|grade|meeting|session|lesson|lecture|week|round|edition)\b",
    re.IGNORECASE,
)
#: 第一次 alone is no thing but a time, 第三课题 and 第二周年 are others.
_HAN_ORDINAL = re.compile(
    rf"第\s?([\d{HAN_UP_TO_TEN}百]{{1,5}})\s?(次[\u4e00-\u9fff]{{2}}|周(?![年期])|批(?![评准复])|轮(?![胎船])"
    r"|讲(?![座话述])|课(?![题程])|节(?![目点能日]))"
)
#: A question that names more asks for no single one.
_MOST_ASKED = 100
#: What stands before that of which a question asks whether something holds: "Is room 9 open?"
_BEFORE_SUBJECT = re.compile(r"\W*\w+\s+(?:(?:the|our|your|this|that)\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Things:
    """All things of a noun from one number to another, both among them: ``room``, 4 and 6."""

    noun: str
    first: int
    last: int

    def hold(self, thing: str) -> bool:
        """Whether a thing of that name, see :func:`name_of`, is one of them."""
        number = int(_NUMBER.findall(thing)[-1])
        return self.first <= number <= self.last and thing == name_of(self.noun, number)


def name_of(noun: str, number: int | str) -> str:
    """What such a thing is called: ``room 6``, ``第8次`` whatever noun follows."""
    return f"{noun} {number}" if noun.isascii() else f"第{number}{noun[0]}"


def asked_things(question: str) -> frozenset[tuple[str, str]]:
    """What a question asks about by such a number, each the noun and the number: ``room`` and
    ``6``; of a long span its ends. Where it asks whether something holds, that alone which it asks
    it of: that the gym is on level 2 answers whether it is on level 3."""
    asked = question
    if answer_type(question) is AnswerType.YES_NO:
        before = _BEFORE_SUBJECT.match(question)
        at = before.end() if before else 0
        subject = _NAMED.match(question, at) or _ORDINAL.match(question, at)
        subject = subject or _HAN_ORDINAL.search(question)
        asked = subject[0] if subject else ""
    return frozenset(
        (each.noun, str(number))
        for each in things(asked)
        if each.last - each.first <= _MOST_ASKED
        for number in range(each.first, each.last + 1)
    )


def things(text: str) -> list[Things]:
    """What a text names so; of a span also each end by itself."""
    found: list[Things] = []
    for match in _NAMED.finditer(text):
        noun, said = filter(None, match.groups())
        found += (Things(noun.lower(), first, last) for first, last in _listed(said))
    for match in _ORDINAL.finditer(text):
        tens, ordinal, noun = match.groups()
        more = 10 * (2 + _TENS.index(tens.lower())) if tens else 0
        numbers = (more + int(number) for number in numbered(ordinal))
        found += (Things(noun.lower(), number, number) for number in numbers)
    for said, noun in _HAN_ORDINAL.findall(text):
        value = numeral_value(said)
        if value is not None:
            found.append(Things(noun, value, value))
    return found


def _listed(said: str) -> list[tuple[int, int]]:
    """The numbers of a list and its spans, each from its first to its last."""
    ones = map(int, re.findall(r"\d+", said))
    spans = ((int(first), int(last)) for first, last in _SPAN.findall(said))
    return [*((one, one) for one in ones), *spans]
