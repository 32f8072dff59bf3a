"""Korean words that stand apart and have no blank between them."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

SENTENCE = "한 문장을 여러 줄로 나누어 입력할 때 나누어지는 위치를 무시하도록 한다"
WORDS = SENTENCE.split(" ")


def write_words(path: Path, rows: list[list[str]], gap: float, size: float = 10) -> Path:
    """Rows of words, ``gap`` font sizes apart, without blanks."""
    document = pymupdf.open()
    page = document.new_page()
    for at, words in enumerate(rows):
        x = 72.0
        for word in words:
            page.insert_text((x, 100 + 18 * at), word, fontname="korea", fontsize=size)
            x += (len(word) + gap) * size
    document.save(path)
    return path


@pytest.mark.parametrize(("gap", "between"), [(0.3, " "), (0.05, "")])
def test_korean_words_that_stand_apart_have_blanks(
    gap: float, between: str, tmp_path: Path
) -> None:
    path = write_words(tmp_path / "k.pdf", [WORDS, WORDS], gap)
    loaded = load(path)
    assert between.join(WORDS) in loaded.md
    check_anchors(loaded, path)


def test_korean_that_has_blanks_and_what_is_set_wide_stay_as_they_are(tmp_path: Path) -> None:
    row = "".join(WORDS)
    path = write_words(tmp_path / "k.pdf", [list("보고서"), [SENTENCE], [row]], 0.5)
    assert load(path).md.split() == ["보고서", *WORDS, row]


def test_a_note_is_found_behind_korean_words_that_stand_apart(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    x = 72.0
    for word in WORDS:
        page.insert_text((x, 100), word, fontname="korea", fontsize=10)
        x += 10 * (len(word) + 0.3)
    page.insert_text((x - 3, 96), "1", fontname="korea", fontsize=6)
    page.insert_text((72, 700), "1 각주는 여기에 있다.", fontname="korea", fontsize=7)
    document.save(tmp_path / "n.pdf")
    md = load(tmp_path / "n.pdf").md
    assert "한다[^1]" in md and "[^1]: 각주는" in md


def test_what_is_struck_out_is_told_among_korean_words_that_stand_apart(tmp_path: Path) -> None:
    path = write_words(tmp_path / "s.pdf", [WORDS], 0.3)
    document = pymupdf.open(path)
    left = 72 + 10 * (len(WORDS[0]) + 0.3)
    document[0].draw_line((left, 97), (left + 10 * len(WORDS[1]), 97), width=0.6)
    document.saveIncr()
    loaded = load(path)
    assert " ".join([WORDS[0], f"~~{WORDS[1]}~~", *WORDS[2:]]) in loaded.md
    check_anchors(loaded, path)
