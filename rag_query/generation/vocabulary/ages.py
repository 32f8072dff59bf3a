"""Ages: what is said of people of 80 to 89 years is no answer about those of 70. Both languages."""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.answer_types import AnswerType, answer_type

_AGE = re.compile(
    r"(?P<han>\d{1,3})\s?(?:周岁|岁)|\b(?:aged?|ages)\s+(?P<aged>\d{1,3})\b"
    r"|\b(?P<old>\d{1,3})[\s-]years?[\s-]olds?\b",
    re.IGNORECASE,
)
_TO = r"\s?(?:[-–—~～至到]|to|and)\s?"
#: Ages from one to another.
_RANGE = re.compile(
    rf"(\d{{1,3}})\s?(?:周岁|岁)?{_TO}(\d{{1,3}})\s?(?:周岁|岁)"
    rf"|\b(?:aged?|ages)\s+(\d{{1,3}}){_TO}(\d{{1,3}})\b"
    rf"|\b(\d{{1,3}}){_TO}(\d{{1,3}})[\s-]years?[\s-]olds?\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"以上|及其?以后|超过|满|成人|成年|其[他余]|从|起(?!见)"
    r"|\b(?:over|above|older|from|at least|up|must be|adults?|others?|all)\b",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"以下|以内|不满|未满|不足|儿童|其[他余]"
    r"|\b(?:under|below|younger|up to|at most|within|less|child(?:ren)?|others?|all)\b",
    re.IGNORECASE,
)
_ASKS_AGE = re.compile(
    r"几岁|多少(?:周)?岁|多大|年龄|\bhow old\b|\b(?:what|which) age\b", re.IGNORECASE
)


def ages(text: str) -> list[int]:
    """The ages that a text gives, in its order."""
    return [int(next(filter(None, match.groups()))) for match in _AGE.finditer(text)]


def is_of_other_age(question: str, text: str) -> bool:
    """Whether a text tells apart people by ranges of their ages, and those of the one age that a
    question is about are in none of them. Who may do something from some age on, and at what age,
    is told of all who are older too: such questions ask for no range."""
    asked = ages(question)
    if len(asked) != 1 or _ASKS_AGE.search(question):
        return False
    ends = {int(end) for found in _RANGE.finditer(text) for end in found.groups() if end}
    told = ends.union(ages(text))
    if not ends or len(told) < 3 or answer_type(question) is AnswerType.YES_NO:
        return False
    age = asked[0]
    if age < min(told):
        return _BELOW.search(text) is None
    return age > max(told) and _ABOVE.search(text) is None
