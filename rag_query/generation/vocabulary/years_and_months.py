"""Which years and months a question is about, and which a text tells of: single ones, spans
("2019–21", 1月至5月), decades, and all before or after one ("since 2010", 2018年以前). Both
languages."""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.facts import NO_UNIT
from rag_query.text.months import MONTH_PATTERN, MONTHS

#: "May not exceed" begins with no month.
_MAY = (
    r"(?:(?<=[a-z\d,–-] )May\b|\bMay(?=\s*(?:[\d,.:;|)/–—-]|$"
    r"|(?:to|and|or|through|until|till|is|was|were|had|has|saw)\b)))"
)
_NAMES = "|".join(name for name in MONTH_PATTERN.split("|") if name != "May")
_MONTH = rf"(?:\b(?:{_NAMES})\b|{_MAY})"
_YEAR = r"(?<!\d)(?<!\d[.,])(?:1[0-9]|20)\d\d(?!\d|[.,]\d)"
#: Requests, people and pixels are counted; a year is followed by none of them.
_NO_COUNT = (
    r"(?![A-Za-z\d,]|\.\d|\s*[x×]\s*\d"
    rf"|\s+(?!(?:is|was|has|does|its|this|as|versus)\b)[a-z]+s\b){NO_UNIT}"
)
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?)?"
#: "Since 1980" and "before 1900" ask for another year than they name.
_ASKED_YEAR = re.compile(
    rf"(?:\b(?:in|of|during|year|fiscal|season)\s+|{_MONTH}[\s,]*{_DAY}[\s,]*)({_YEAR}){_NO_COUNT}"
    rf"|\b(?i:Q[1-4]|H[12]|FY)\s*({_YEAR}){_NO_COUNT}"
    rf"|\bfor\s+((?:19|20)\d\d(?!\d|[.,]\d)){_NO_COUNT}"
    rf"|(?<![自从至到\d])({_YEAR})\s*年(?!\s*(?:[以之]?[前后来]|[起至到代—–~～-]))"
)
_ASKED_YEAR_TOO = re.compile(rf"\b(?:in|of|during)\s+{_YEAR}\s+(?:and|or)\s+({_YEAR}){_NO_COUNT}")
_ASKED_MONTH = re.compile(
    rf"\b(?:in|of|for|during|last|this)\s+({_MONTH})"
    r"|(?<![\d个自从至到])(\d{1,2})月(?!\s*(?:[以之]?[前后来]|[起至到底初]))"
)
_TO = r"(?:[-–—~～至到]|\bto\b|\bthrough\b|\buntil\b)"
#: Two digits that more digits follow are the month of a date: 2003-05-01.
_YEARS = re.compile(
    rf"\b[Bb]etween\s+({_YEAR})\s+and\s+({_YEAR})"
    rf"|({_YEAR})\s*年?\s*[和与]\s*({_YEAR})\s*年?之间"
    rf"|({_YEAR})(?:-\d\d-\d\d|\s*年\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*日)?)?"
    rf"(?:\s*年?\s*(?:{_TO}|/)\s*(?:{_DAY}\s*{_MONTH}\s*{_DAY},?\s+)?"
    r"(\d{4}|\d{2})(?!\d|[-/]\d|\s*月))?"
)
_DECADE = re.compile(r"(?<!\d)((?:1[0-9]|20)\d)0(?:s\b|\s*年代)")
_MONTH_SAID = re.compile(
    rf"({_MONTH})|(?<!\d)(\d{{1,2}})\s*月|(?<!\d)\d{{4}}-(0[1-9]|1[0-2])(?:-\d{{2}})?(?!\d)"
)
_MONTH_SPAN = re.compile(
    rf"({_MONTH})\s*{_DAY}\s*{_TO}\s*{_DAY}\s*({_MONTH})"
    rf"|\b[Bb]etween\s+({_MONTH})\s+and\s+({_MONTH})"
    r"|(?<!\d)(\d{1,2})\s*(?:月份?)?(?:\s*\d{1,2}\s*日)?\s*[-–—~～至到]\s*(\d{1,2})\s*月"
)
_BETWEEN = rf"(?:\s*(?:in|the|early|mid|late|end|of|{_MONTH}|\d{{1,2}}(?:st|nd|rd|th)?,?))*\s*$"
_SINCE = re.compile(
    rf"(?:\b(?:[Ss]ince|[Ff]rom|[Aa]fter|[Ss]tarting|[Bb]eginning|[Aa]s of)\b|[自从]){_BETWEEN}"
)
_UNTIL = re.compile(
    rf"(?:\b(?:[Uu]ntil|[Tt]ill|[Bb]efore|[Bb]y|[Uu]p to|[Tt]hrough|[Pp]rior to)\b|[至到]|截[至止])"
    rf"{_BETWEEN}"
)
_ONWARDS = re.compile(
    r"\s*(?:年|月)?[^，。；,.;]{0,6}?(?:起|以来|[之以]?后|至今|开始)"
    r"|\s*(?:onwards?\b|and (?:later|after|onwards?)\b)"
    r"|\s*年?\s*(?:[-–—~～至到]|to\b)\s*(?:now|the present|present|today|date|今|现在)"
)
_EARLIER = re.compile(
    r"\s*(?:年|月)?[^，。；,.;]{0,6}?(?:[之以]?前|止)|\s*(?:and|or) (?:earlier|before)\b"
)
#: How far before a year or a month the word may stand that makes it an end.
_NEAR = 40


def asked_years(question: str) -> set[str]:
    """The years a question is about."""
    return _matched(_ASKED_YEAR, question) | _matched(_ASKED_YEAR_TOO, question)


def asked_months(question: str) -> set[str]:
    """The months a question is about, as numbers without a leading zero."""
    return {_month(said) for said in _matched(_ASKED_MONTH, question)}


def years(text: str) -> frozenset[str]:
    """The years a text names, with those between the ends of a span and those of a decade."""
    found: set[str] = set()
    for match in _YEARS.finditer(text):
        first, last = _ends(match)
        # 2019-05 is a month of 2019.
        end = max(int(first), min(int(first[: 4 - len(last)] + last), int(first) + 100))
        found |= {str(year) for year in range(int(first), end + 1)}
    for decade in _DECADE.findall(text):
        found |= {f"{decade}{digit}" for digit in range(10)}
    return frozenset(found)


def may_reach(text: str, asked: frozenset[str]) -> bool:
    """Whether a text tells of all years before or after one, with one of those asked for."""
    for match in _YEARS.finditer(text):
        first, last = _ends(match)
        since, until = _open_ends(text, match.start(), match.end())
        if last == first and any(
            (since and year >= first) or (until and year <= first) for year in asked
        ):
            return True
    return False


def months(text: str) -> frozenset[str]:
    """The months a text names, with those between the ends of a span."""
    found = {_month(said) for said in _matched(_MONTH_SAID, text)}
    for match in _MONTH_SPAN.finditer(text):
        first, last = (int(_month(said)) for said in match.groups() if said)
        found |= {str((first + n - 1) % 12 + 1) for n in range((last - first) % 12 + 1)}
    return frozenset(found)


def has_open_month(text: str) -> bool:
    """Whether a text tells of all months before or after one."""
    text = _MONTH_SPAN.sub(" ", text)
    return any(any(_open_ends(text, m.start(), m.end())) for m in _MONTH_SAID.finditer(text))


def _ends(match: re.Match[str]) -> tuple[str, str]:
    """The ends of what ``_YEARS`` found; the same twice where it is a single year."""
    said = [year for year in match.groups() if year]
    return said[0], said[-1]


def _open_ends(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether what stands there is said to last from then on, and up to then."""
    before = text[max(0, start - _NEAR) : start]
    since = _SINCE.search(before) or _ONWARDS.match(text, end)
    until = _UNTIL.search(before) or _EARLIER.match(text, end)
    return since is not None, until is not None


def _matched(pattern: re.Pattern[str], text: str) -> set[str]:
    """What the one group of each match holds that took part in it."""
    return {next(filter(None, match.groups())) for match in pattern.finditer(text)}


def _month(said: str) -> str:
    """Its number, without a leading zero."""
    if said.isdigit():
        return str(int(said))
    return str(1 + next(i for i, name in enumerate(MONTHS) if name.startswith(said[:3])))
