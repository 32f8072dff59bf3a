"""Of which thing a question asks what it is."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.definitions import defined_in


@pytest.mark.parametrize(
    ("question", "says", "not_says"),
    [
        ("What is C++?", "C++ is a language with objects.", "C is a procedural language."),
        ("What is C#?", "C# is a language of .NET.", "C is a procedural language."),
        ("“什么是 C++？”", "C++ 是一种编程语言。", "C 是一种过程式语言。"),
        (
            "Who was Leonardo da Vinci?",
            "Leonardo da Vinci was an Italian artist.",
            "Paris has paintings of Leonardo da Vinci.",
        ),
        ("Who is Ronald McDonald?", "Ronald McDonald is a clown.", "Ronald waves."),
        ("Who is J. R. R. Tolkien?", "J. R. R. Tolkien was a writer.", "Tolkien wrote."),
    ],
)
def test_a_thing_is_told_by_its_whole_name(question: str, says: str, not_says: str) -> None:
    definition = defined_in(question)
    assert definition is not None
    assert definition.says.match(says) and not definition.says.match(not_says)


@pytest.mark.parametrize(
    "question",
    [
        "Who is CEO?", "Who is CEO of Acme?", "Who is President of France?",
        "Who is the Chairman?", "Who is Germany's Chancellor?", "Who is Acme’s Safety Officer?",
    ],
)  # fmt: skip
def test_who_has_an_office_is_not_told_by_what_the_office_is(question: str) -> None:
    assert defined_in(question) is None
