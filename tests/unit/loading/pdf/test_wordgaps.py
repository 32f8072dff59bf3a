"""Words that stand apart behind letters after which the extraction puts no blank."""

from pathlib import Path

import pymupdf
import pytest

from tests.fixtures.glyphnames import font_saying
from tests.unit.loading.pdf.facts import check_anchors, load

#: What the characters of each script's font are said to be.
VIETNAMESE = {"e": "ế", "u": "ụ", "o": "ở"}
GREEK = {"o": "ὸ", "t": "τ", "i": "ὶ", "k": "κ", "a": "α"}
THAI = {"a": "ก", "b": "ข", "c": "ค"}


def write_words(path: Path, words: list[str], said: dict[str, str], gap: float) -> Path:
    """A row of words, ``gap`` font sizes apart, without blanks."""
    document = pymupdf.open()
    page = document.new_page()
    name = font_saying(page, said)
    x = 72.0
    for word in words:
        page.insert_text((x, 100), word, fontname=name, fontsize=10)
        x += pymupdf.get_text_length(word, fontsize=10) + 10 * gap
    document.save(path)
    return path


@pytest.mark.parametrize(
    ("words", "said", "gap", "row"),
    [
        (["du", "thuc", "te", "hon", "co", "o"], VIETNAMESE, 0.3, "dụ thục tế hởn cở ở"),
        (["kai", "to", "kai", "to"], GREEK, 0.3, "καὶ τὸ καὶ τὸ"),
        (["kai", "to", "kai", "to"], GREEK, 0.05, "καὶτὸκαὶτὸ"),
        # Marked letters of a word that is set wide.
        (["t", "o", "o", "o", "i"], GREEK, 0.4, "τ ὸὸὸὶ"),
        # No blanks part words there.
        (["abc", "cab", "bca"], THAI, 0.3, "กขคคกขขคก"),
    ],
)
def test_words_that_stand_apart_have_blanks(
    words: list[str], said: dict[str, str], gap: float, row: str, tmp_path: Path
) -> None:
    path = write_words(tmp_path / "w.pdf", words, said, gap)
    loaded = load(path)
    assert loaded.md == row
    check_anchors(loaded, path)


def test_a_letter_whose_part_is_a_glyph_of_its_own_ends_no_word(tmp_path: Path) -> None:
    """ത്യ is one glyph said to be three characters, and ya is drawn beside it and names nothing."""
    document = pymupdf.open()
    page = document.new_page()
    name = font_saying(page, {"n": "ന", "t": "ത്യ", "l": "ൻ", "c": "ഭ"})
    for x, text in ((72, "nt"), (86, "ln"), (110, "cn"), (130, "nt"), (146, "cnn")):
        page.insert_text((x, 100), text, fontname=name, fontsize=10)
    document.save(tmp_path / "m.pdf")
    assert load(tmp_path / "m.pdf").md == "നത്യൻന ഭന നത്യ ഭനന"
