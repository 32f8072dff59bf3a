"""What is said of people of other ages."""

from __future__ import annotations

import pytest

from rag_query.generation.vocabulary.ages import is_of_other_age


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "25岁可以申请大型货车驾照吗？",
            "年满18周岁可以申请小型汽车驾照，年满20周岁可以申请大型货车驾照。",
        ),
        ("40岁的女职工几岁退休？", "男职工60岁退休，女职工50岁退休。"),
        ("孩子7岁上学交多少钱？", "孩子年满3岁可入园，满6岁可上学。"),
        (
            "Can a guest aged 40 use the sauna?",
            "Guests must be 16 years old; a sauna guest must be 18 years old.",
        ),
        (
            "How much is the tariff for adults aged 30?",
            "The tariff for adults aged 18 is 40 EUR, for teenagers aged 14 it is 20 EUR.",
        ),
        (
            "What does a visitor aged 30 pay?",
            "Visitors aged 6 to 11 pay 3 EUR, those aged 12 to 17 pay 5 EUR, adults 9 EUR.",
        ),
    ],
)  # fmt: skip
def test_who_is_older_than_a_least_age_is_told_by_it(question: str, text: str) -> None:
    assert not is_of_other_age(question, text)


def test_ages_from_one_to_another_are_of_nobody_else() -> None:
    text = "Visitors aged 6 to 11 pay 3 EUR, those aged 12 to 17 pay 5 EUR."
    assert is_of_other_age("What does a visitor aged 30 pay?", text)
    assert not is_of_other_age("What does a visitor aged 12 pay?", text)
