"""Numbers, units, dates, names and negation, in both languages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.generation.passages.table_rows import placed_numbers
from rag_query.generation.vocabulary.answer_types import asked_units
from rag_query.generation.vocabulary.facts import (
    UNIT_OF,
    Number,
    dates,
    latin_names,
    negated,
    numbers,
)
from rag_query.generation.vocabulary.numbered import numbered


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("加入 200 ml 水，煮 15 分钟", [Number("200", "ml"), Number("15", "min")]),
        ("冰糖５０克", [Number("50", "g")]),
        ("三千五百人，二〇一六年", [Number("3500", "person"), Number("2016", "year")]),
        ("十二个鸡蛋一起放", [Number("12", "piece")]),
        ("2.5 万人", [Number("25000", "person")]),
        ("twenty minutes, 1,200 points, 2%",
         [Number("20", "min"), Number("1200", "point"), Number("2", "%")]),
        ("v1.2 and x86", [Number("1.2", None), Number("86", None)]),
        ("$5, 230 EUR, €1,250.50, ¥99, USD 4.50 and £3",
         [Number("5", "dollar"), Number("230", "euro"), Number("1250.5", "euro"),
          Number("99", "yuan"), Number("4.5", "dollar"), Number("3", "sterling")]),
        ("一起来吧", []),
    ],
)  # fmt: skip
def test_numbers_have_a_value_and_a_unit(text: str, found: list[Number]) -> None:
    assert numbers(text) == found


#: Letters that are taken for one of ASCII whatever its case, those of other alphabets too.
WRITTEN = {"i": "iIİı", "s": "sSſ", "k": "kK\u212a"}


@given(st.sampled_from([unit for unit in UNIT_OF if unit.isascii() and unit.isalpha()]), st.data())
def test_a_unit_is_read_in_the_letters_of_any_alphabet(unit: str, data: st.DataObject) -> None:
    letters = [WRITTEN.get(letter, letter + letter.upper()) for letter in unit]
    said = "".join(data.draw(st.sampled_from(each)) for each in letters)
    assert numbers(f"sİx, 5 {said}") == [Number("6", None), Number("5", UNIT_OF[unit])]
    asked_units(f"How many {said}?")
    numbered(f"chapter İv, the sİxth {said}")
    placed_numbers([said, "5"], [said, f"Mean ({said})"], [Number("5", "g")])


@pytest.mark.parametrize("text", ["合同签订后7日内支付", "超过30日的", "130日", "15日以内"])
def test_a_span_of_days_is_no_date(text: str) -> None:
    assert dates(text) == []


def test_dates() -> None:
    assert dates("2021年12月3日上午") == ["2021年", "12月3日", "上午"]
    assert dates("on Monday, March 3rd 1998") == ["Monday", "March", "3rd", "1998"]
    assert dates("一起来吧, five items") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("不要收干", 1),
        ("不过很好，不仅便宜", 0),
        ("无论如何", 0),
        ("Do not boil. Never stir.", 2),
        ("It doesn't boil", 1),
        ("Another note", 0),
        ("禁止加水", 1),
    ],
)
def test_negation(text: str, count: int) -> None:
    assert negated(text) == count


def test_names_are_capitalised_words_that_do_not_merely_begin_a_sentence() -> None:
    assert latin_names("Panthers beat New York in Super Bowl 50. They won.") == [
        "New York",
        "Super Bowl",
    ]


def test_a_name_in_a_chinese_sentence_ends_where_the_chinese_begins() -> None:
    assert latin_names("PJ-501的价格是多少？") == ["PJ-501"]
    assert latin_names("公司采用SAP系统和Windows Server的许可") == ["SAP", "Windows Server"]
    assert latin_names("이 회사는 SAP를 쓴다") == ["SAP"]


def test_a_name_behind_the_end_of_a_sentence_is_told_however_far_it_stands() -> None:
    assert latin_names("In the end. \n\t Berlin won") == []
    assert latin_names("It was in \n\t Berlin") == ["Berlin"]


@pytest.mark.parametrize("text", ["A1." * 60_000, "A" + " " * 60_000])
def test_names_of_a_long_line_are_read_in_time_that_grows_with_it(text: str) -> None:
    began = time.process_time()
    latin_names(text)
    assert time.process_time() - began < 2
