"""Which weekdays a question is about, and which a text tells of: single ones, lists (周一、三) and
spans ("Monday to Friday", 周一至周五). Both languages."""

from __future__ import annotations

import re

_ENGLISH = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HAN = "一二三四五六日"
#: The sun shines, and who sat there is no Saturday: short ones are written with a capital.
_NAME = (
    r"\b(?:(?i:mon|tues|wednes|thurs|fri|satur|sun)[Dd]ays?"
    r"|(?<![Tt]he )(?:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)(?![\w’']))"
)
#: Not 每周一次, 一周五天.
_HAN_NAME = r"(?:周|星期|礼拜)[一二三四五六日天](?![次天回个期年篇])"
_DAY = re.compile(rf"{_NAME}|{_HAN_NAME}")
_SAID = re.compile(
    rf"(?P<first>{_NAME}|{_HAN_NAME})"
    rf"(?:\.?\s*(?:[-–—~～至到]|to\b|through\b|until\b)\s*"
    rf"(?P<last>{_NAME}|{_HAN_NAME}|(?<=[-–—~～至到])[一二三四五六日天](?![次回个期年篇月])))?"
    r"(?P<more>(?:[、和及,，][一二三四五六日天](?![次回个期年篇月周])){0,6})"
)
#: Days that are not called by their names.
_WORKDAYS = re.compile(r"\b(?:week|work(?:ing)? ?)days?\b|工作日|平日", re.IGNORECASE)
_WEEKEND = re.compile(r"\bweekends?\b|周末|双休日", re.IGNORECASE)
#: All of them, or those that are left; or from a day on, or up to one.
_OPEN = re.compile(
    r"\b(?:daily|every ?day|all|each day|any day|other|except|from|since|until|till|by|before|after"
    r"|seven days)\b|每[天日]|天天|全[周年]|其[他余它]|除|起|[之以]?[前后]|截[至止]",
    re.IGNORECASE,
)


def asked_weekdays(question: str) -> set[str]:
    """The days of the week a question is about, as it writes them."""
    return set(_DAY.findall(question))


def weekday_of(name: str) -> int:
    """The number of a day by its name, Monday's being 0."""
    if name.isascii():
        return _ENGLISH.index(name[:3].lower())
    return _HAN.index(name[-1].replace("天", "日"))


def single_weekdays(text: str) -> frozenset[int]:
    """The days a text names one by one, and not as part of a span."""
    found: set[int] = set()
    for match in _SAID.finditer(text):
        found |= set() if match["last"] else {weekday_of(match["first"])}
        found |= {weekday_of(day) for day in match["more"] if day in f"{_HAN}天"}
    return frozenset(found)


def weekdays(text: str) -> frozenset[int]:
    """The days a text tells of, with those between the ends of a span."""
    found = set(single_weekdays(text))
    for match in _SAID.finditer(text):
        first = weekday_of(match["first"])
        length = (weekday_of(match["last"]) - first) % 7 if match["last"] else 0
        found |= {(first + n) % 7 for n in range(length + 1)}
    if _WORKDAYS.search(text):
        found |= set(range(5))
    if _WEEKEND.search(text):
        found |= {5, 6}
    return frozenset(found)


def has_open_weekday(text: str) -> bool:
    """Whether a text tells of all days, or of all before or after one."""
    return _OPEN.search(_SAID.sub(" ", text)) is not None
