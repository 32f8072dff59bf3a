"""Numbers of articles, chapters and the like that a text speaks of."""

import pytest

from rag_query.generation.numbered import numbered


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
