"""Which texts are figures: what stands in a column of numbers, with its unit perhaps."""

from __future__ import annotations

import re

from rag_query.text.numerals import ROMAN_SURELY

_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_MEASURE = re.compile(r"[^\w\s]{0,2}\d[\d.,]*\s?[^\W\d_]{1,3}[^\w\s]?")
_ROMAN = re.compile(ROMAN_SURELY.lower())
_YEAR = re.compile(r"(?:19|20)\d\d")
_NONE = frozenset("-–—−*/")


def is_figure(text: str) -> bool:
    """Whether a text is a number, a measure, a Roman number or what stands for none."""
    if text in _NONE:
        return True
    digits = len(_DIGIT.findall(text))
    # Most texts have none.
    if not digits:
        return _ROMAN.fullmatch(text) is not None
    return _MEASURE.fullmatch(text) is not None or digits > len(_LETTER.findall(text))


def is_year(text: str) -> bool:
    """Whether a text is a year alone, which heads columns of figures as a word does."""
    return _YEAR.fullmatch(text) is not None
