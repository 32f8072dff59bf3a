"""Things that English tells apart by a number behind their noun: room 6, gates 2 to 4,
the seventh floor.

A document may number them otherwise or not at all. So what tells a text apart is that it names
others of the same noun.
"""

from __future__ import annotations

import re

from rag_query.generation.facts import UNIT_PATTERN
from rag_query.generation.numbered import numbered

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
_NO_MEASURE = rf"(?!\s*-?(?:{UNIT_PATTERN})(?![A-Za-z]))"
#: "Seats 6 guests": without a list, what ends on an s may be a verb.
_NAMED = re.compile(
    rf"\b({_NOUNS})\s+(?:no\.?\s?|number\s|#\s?)?({_ONE}(?:{_JOIN}{_ONE}){{0,12}}){_NO_MEASURE}"
    rf"|\b({_NOUNS})s\s+({_ONE}(?:{_JOIN}{_ONE}){{1,12}}){_NO_MEASURE}",
    re.IGNORECASE,
)
_SPAN = re.compile(rf"(\d+)\s?{_TO}\s?(\d+)", re.IGNORECASE)
#: Of others, the third is the third that is told of.
_ORDINAL = re.compile(
    r"\b((?:[a-z]{3,8}(?:st|nd|rd|th)|first|second|third|\d{1,3}(?:st|nd|rd|th))[\s-])"
    r"(floor|storey|grade)\b",
    re.IGNORECASE,
)


def things(text: str) -> frozenset[tuple[str, str]]:
    """What a text names so, each the noun and the number: ``room`` and ``6``."""
    found: set[tuple[str, str]] = set()
    for match in _NAMED.finditer(text):
        noun, said = filter(None, match.groups())
        found |= {(noun.lower(), number) for number in _listed(said)}
    for match in _ORDINAL.finditer(text):
        found |= {(match[2].lower(), number) for number in numbered(match[1])}
    return frozenset(found)


def _listed(said: str) -> set[str]:
    """The numbers of a list, with those between the ends of a span."""
    found = {str(int(number)) for number in re.findall(r"\d+", said)}
    for first, last in _SPAN.findall(said):
        found |= {str(n) for n in range(int(first), min(int(last), int(first) + 100) + 1)}
    return found
