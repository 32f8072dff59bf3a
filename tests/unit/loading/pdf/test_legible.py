"""What is said of glyphs that nobody can name, and what becomes of them."""

from pathlib import Path

import pymupdf

from tests.fixtures.glyphnames import font_saying
from tests.unit.loading.pdf.facts import check_anchors, load

BEFORE = "The choir sings the second voice from here on, as it is printed"
AFTER = "below, until the bell is heard."


def write_score(path: Path, notes: list[str]) -> Path:
    """A sentence and rows of notes, which no character names, after its first row."""
    document = pymupdf.open()
    page = document.new_page()
    name = font_saying(page, {"x": "\ufffd"})
    page.insert_text((72, 100), BEFORE, fontname=name, fontsize=11)
    for at, note in enumerate(notes):
        page.insert_text((72 + 7 * (at % 5) * 11, 300 + 3 * at), note, fontname=name, fontsize=11)
    page.insert_text((72, 114), AFTER, fontname=name, fontsize=11)
    document.save(path)
    document.close()
    return path


def test_notes_of_music_are_no_text_and_their_page_is_read(tmp_path: Path) -> None:
    path = write_score(tmp_path / "m.pdf", ["x", "x .", "x x"] * 8)
    loaded = load(path)
    assert loaded.warnings == []
    ranges = [(item.char_start, item.char_end) for item in loaded.furniture]
    assert {item.kind for item in loaded.furniture} == {"nameless"}
    kept = loaded.md
    for start, end in reversed(ranges):
        kept = kept[:start] + kept[end:]
    assert "�" in loaded.md and kept.split() == f"{BEFORE} {AFTER}".split()
    check_anchors(loaded, path)


def test_words_of_nameless_glyphs_are_told(tmp_path: Path) -> None:
    loaded = load(write_score(tmp_path / "w.pdf", ["xxxx xxxxxx xxx"] * 2))
    assert loaded.warnings == ["UNDECODABLE_TEXT: page 1"]
    within = load(
        write_score(tmp_path / "i.pdf", ["the xrst oxce of the xles axer a xnal xght"] * 2)
    )
    assert within.warnings == ["UNDECODABLE_TEXT: page 1"]
    assert within.furniture == []


def test_labels_of_two_nameless_glyphs_are_told(tmp_path: Path) -> None:
    loaded = load(write_score(tmp_path / "l.pdf", ["xx", "xx xx"] * 12))
    assert loaded.warnings == ["UNDECODABLE_TEXT: page 1"]
