"""Ages: what is said of people of 80 to 89 years is no answer about those of 70. Both languages."""

from __future__ import annotations

import re

_AGE = re.compile(
    r"(?P<han>\d{1,3})\s*(?:周岁|岁)|\b(?:aged?|ages)\s+(?P<aged>\d{1,3})\b"
    r"|\b(?P<old>\d{1,3})[\s-]years?[\s-]olds?\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"以上|及其?以后|超过|起(?!见)|\b(?:over|above|older|from|at least|up)\b", re.IGNORECASE
)
_BELOW = re.compile(
    r"以下|以内|不满|未满|不足|\b(?:under|below|younger|up to|at most|within|less)\b", re.IGNORECASE
)


def ages(text: str) -> list[int]:
    """The ages that a text gives, in its order."""
    return [int(next(filter(None, match.groups()))) for match in _AGE.finditer(text)]


def is_of_other_age(question: str, text: str) -> bool:
    """Whether a text tells apart people by their ages, and those of the one age that a question is
    about are none of them."""
    asked, told = ages(question), ages(text)
    if len(asked) != 1 or len(set(told)) < 2:
        return False
    age = asked[0]
    if age < min(told):
        return _BELOW.search(text) is None
    return age > max(told) and _ABOVE.search(text) is None
