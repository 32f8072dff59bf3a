"""Weekdays that texts tell of."""

from __future__ import annotations

import pytest

from rag_query.generation.vocabulary.weekdays import (
    asked_weekdays,
    has_open_weekday,
    single_weekdays,
    weekdays,
)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Monday to Thursday", {0, 1, 2, 3}),
        ("Fri–Mon 8–12", {4, 5, 6, 0}),
        ("Mon–Fri 8–18, Sat 9–12", {0, 1, 2, 3, 4, 5}),
        ("Saturdays and on weekdays", {0, 1, 2, 3, 4, 5}),
        ("星期一到五", {0, 1, 2, 3, 4}),
        ("周一、三、五和周日", {0, 2, 4, 6}),
        ("每周一次，一周五天", set()),
        ("The Sun rises over those who sat there.", set()),
    ],
)
def test_weekdays_of_a_text(text: str, days: set[int]) -> None:
    assert weekdays(text) == days


def test_weekdays_asked_and_left_open() -> None:
    assert asked_weekdays("Open on Fridays or 周日?") == {"Fridays", "周日"}
    assert has_open_weekday("daily except Mondays") and has_open_weekday("每天，周二除外")
    assert not has_open_weekday("周二至周四")


def test_weekdays_that_are_named_one_by_one() -> None:
    assert single_weekdays("Monday to Friday, Sat and Sunday") == {5, 6}
    assert single_weekdays("周一至周五，周六、日") == {5, 6}
