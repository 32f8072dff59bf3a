"""What stands in a column of numbers."""

import pytest

from rag_assets.loading.pdf.columns.figures import is_figure


@pytest.mark.parametrize("text", ["12", "3.5 kg", "-", "i", "xii", "cl"])
def test_numbers_measures_and_roman_numbers_are_figures(text: str) -> None:
    assert is_figure(text)


@pytest.mark.parametrize("text", ["a", "c", "l", "ill", "civil", "XII", "No. 1 gauge"])
def test_letters_and_words_are_none(text: str) -> None:
    assert not is_figure(text)
