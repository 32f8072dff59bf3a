"""A row is read with the heads of its table."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.table_rows import (
    cells_of,
    heads_of,
    is_delimiter,
    placed_numbers,
    row_text,
)
from rag_query.generation.vocabulary.facts import numbers

HEADS = ("司龄", "年假天数", "可结转天数")


def test_a_row_stands_under_its_heads() -> None:
    assert row_text(("机械密封", "6 个月"), ("部件", "质保期")) == "机械密封 — 质保期: 6 个月"
    row = row_text(("May", "2.9", "", "fine"), ("Month", "Mean (m)", "Gaps", ""))
    assert row == "May — Mean (m): 2.9; fine"


def test_a_row_without_heads_of_its_own_is_its_cells() -> None:
    assert row_text(("a", "3 cm"), ()) == "a | 3 cm"
    assert row_text(("a", "b", "c"), ("x", "y")) == "a | b | c"


def test_a_first_row_of_values_is_no_row_of_heads() -> None:
    assert heads_of(("Pump pressure", "15 bar", "9 kg")) == ()
    assert heads_of(("电话", "0571-8888 1234")) == ()
    assert heads_of(("", "")) == ()
    assert heads_of(("Month", "2024 年", "5 月")) == ("Month", "2024 年", "5 月")


def test_a_head_may_give_a_unit_or_stand_above_bare_numbers() -> None:
    priced = ("设备", "最高限价（万元）")
    assert heads_of(priced) == priced
    timed = ("Model", "3 hours ahead", "3 小时预见期")
    assert heads_of(timed) == ()
    assert heads_of(timed, [("A", "0.9", "0.8"), ("B", "1.2", "97%")]) == timed
    assert heads_of(timed, [("A", "9 bar", "0.8"), ("B", "1.2", "97%")]) == ()


@pytest.mark.parametrize(
    "first",
    [("Apples", "3 EUR", "10 kg"), ("Apples", "€3 each", "9 kg"), ("苹果", "3 元", "1 斤")],
)
def test_amounts_are_no_heads_of_the_bare_numbers_below_them(first: tuple[str, ...]) -> None:
    assert heads_of(first, [("Pears", "4", "20"), ("Plums", "5", "30")]) == ()
    for head in ("万元", "金额（元）"):
        assert heads_of(("水果", head), [("苹果", "4"), ("梨", "5")]) == ("水果", head)


def test_borders_of_cells() -> None:
    assert cells_of(r"| a | b \| c |  |") == ("a", r"b \| c", "")
    assert cells_of("| a | b") == ("a", "b")
    assert is_delimiter("| :--- | ---: |") and not is_delimiter("| a | - |")


def test_a_number_below_another_head_is_not_the_one_asked_about() -> None:
    asked = numbers("满15年的员工有几天年假")
    over = placed_numbers(("满 20 年以上", "15", "5"), HEADS, asked)
    within = placed_numbers(("满 10 年不满 20 年", "10", "5"), HEADS, asked)
    below = placed_numbers(("满 1 年不满 10 年", "5", "2"), HEADS, asked)
    assert over == (frozenset(), {"15"})
    assert within == ({"15"}, frozenset())
    assert below == (frozenset(), frozenset())


def test_a_range_holds_its_ends_as_it_says() -> None:
    heads = ("Wind (m)", "Action")
    asked = numbers("at 20 m")
    assert placed_numbers(("10 to 20", "close"), heads, asked)[0] == {"20"}
    assert placed_numbers(("满 10 米不满 20 米", "close"), heads, asked)[0] == frozenset()
    assert placed_numbers(("20 m", "close"), heads, asked)[0] == {"20"}
