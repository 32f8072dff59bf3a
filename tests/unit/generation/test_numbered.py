"""Numbers of articles, chapters and the like that a text speaks of."""

import pytest

from rag_query.generation.vocabulary.numbered import numbered, roman_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("As chapter XIV and section iv say", {"14", "4"}),
        ("Volume CL of the log", {"150"}),
        ("Section C, appendix L", set()),
        ("The article civil servants like", set()),
        ("The chapter İ is none", set()),
    ],
)
def test_roman_numbers_are_read_and_letters_and_words_are_none(
    text: str, numbers: set[str]
) -> None:
    assert numbered(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("World War II and Phase IV", {"2", "4"}),
        ("World War I ended", {"1"}),
        ("When I met her, I was young", set()),
    ],
)
def test_an_i_alone_is_a_word_but_behind_a_name(text: str, numbers: set[str]) -> None:
    assert roman_numbers(text) == numbers
