"""Arabic words whose lam and alef are one glyph."""

from pathlib import Path

import pymupdf
import pytest

from tests.fixtures.glyphnames import font_saying
from tests.unit.loading.pdf.facts import load

LETTERS = {"a": "ا", "w": "ل", "s": "س", "m": "م", "h": "ه"}


@pytest.mark.parametrize(
    ("glyph", "drawn", "word"),
    [
        # As they stand from left to right; l is the one glyph.
        ("\ufefb", "msla", "الاسم"),
        ("لا", "msla", "الاسم"),
        ("\ufef9", "msla", "الإسم"),
        ("\ufdf2", "l", "الله"),
        # Letters of their own, in words in which alef stands before lam.
        ("\ufefb", "mwswa", "السلم"),
    ],
)
def test_lam_and_alef_of_one_glyph_are_read_in_their_order(
    glyph: str, drawn: str, word: str, tmp_path: Path
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    name = font_saying(page, LETTERS | {"l": glyph})
    page.insert_text((300, 100), drawn, fontname=name, fontsize=12)
    document.save(tmp_path / "a.pdf")
    loaded = load(tmp_path / "a.pdf")
    assert loaded.md == word
    assert [(each.char_start, each.char_end) for each in loaded.anchors] == [(0, len(word))]
