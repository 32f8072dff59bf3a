"""Numbers in Roman and in Chinese numerals."""

import re

import pytest

from rag_query.text.numerals import ROMAN, ROMAN_SURELY, han_value, numeral_value, roman_value


@pytest.mark.parametrize(
    ("said", "value"), [("I", 1), ("IV", 4), ("XIV", 14), ("XL", 40), ("XCIX", 99), ("CCC", 300)]
)
def test_roman_numerals_are_read(said: str, value: int) -> None:
    assert roman_value(said) == value


@pytest.mark.parametrize(
    ("said", "is_roman", "surely"),
    [
        ("XLIX", True, True),
        ("CL", True, True),
        ("LI", True, True),
        ("I", True, True),
        ("C", True, False),
        ("L", True, False),
        ("", False, False),
        ("IC", False, False),
        ("IIII", False, False),
        ("CIVIL", False, False),
        ("xi", False, False),
    ],
)
def test_a_lone_c_or_l_may_be_a_letter(said: str, is_roman: bool, surely: bool) -> None:
    assert (re.fullmatch(ROMAN, said) is not None) is is_roman
    assert (re.fullmatch(ROMAN_SURELY, said) is not None) is surely


@pytest.mark.parametrize(
    ("said", "value"),
    [("十二", 12), ("三千五百", 3500), ("二〇一六", 2016), ("一亿三千万", 130_000_000)],
)  # fmt: skip
def test_chinese_numerals_are_read(said: str, value: int) -> None:
    assert han_value(said) == value


@pytest.mark.parametrize(
    ("said", "value"), [("3", 3), ("03", 3), ("三", 3), ("十二", 12), ("", None), ("3楼", None)]
)
def test_a_numeral_is_read_however_it_is_written(said: str, value: int | None) -> None:
    assert numeral_value(said) == value
