"""What is struck out, and stands on the page still."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf_facts import check_anchors, load

SIZE = 11.0


def write(path: Path, *pieces: str, above: float = 0.27, fontname: str = "helv") -> Path:
    """A row of pieces, those in brackets with a rule through them, drawn right behind them, so many
    font sizes ``above`` the baseline."""
    document = pymupdf.open()
    page = document.new_page()
    x, y = 72.0, 100.0
    for piece in pieces:
        text = piece.strip("[]")
        page.insert_text((x, y), text, fontname=fontname, fontsize=SIZE)
        end = x + pymupdf.get_text_length(text, fontname, SIZE)
        if piece[0] == "[":
            rule = y - above * SIZE
            page.draw_line((x, rule), (end, rule), width=0.6)
        x = end
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize(
    ("pieces", "md"),
    [
        # Glued to what stands there instead, as the tracked changes of word processors are.
        (
            ["It begins within ", "[thirty]", "forty-five days."],
            "It begins within ~~thirty~~ forty-five days.",
        ),
        (["The fee is ", "[$64]", "$58."], "The fee is ~~$64~~ $58."),
        (["Hand in ", "[all]", ", or ", "[some]", "."], "Hand in ~~all~~, or ~~some~~."),
        (["The fee", "[s or duties]", " and taxes"], "The fee ~~s or duties~~ and taxes"),
    ],
)
def test_what_is_struck_out_is_marked_and_no_part_of_a_word(
    pieces: list[str], md: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.pdf", *pieces)
    loaded = load(path)
    assert loaded.md == md
    check_anchors(loaded, path)


def test_chinese_text_that_is_struck_out_is_marked(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.pdf", "承包人应在", "[三十日]", "四十五日内开工。", fontname="china-s"
    )
    assert load(path).md == "承包人应在 ~~三十日~~ 四十五日内开工。"


@pytest.mark.parametrize("above", [-0.12, 1.0])
def test_a_rule_below_or_over_a_text_strikes_nothing_out(above: float, tmp_path: Path) -> None:
    path = write(tmp_path / "u.pdf", "See ", "[the page]", " of the station.", above=above)
    assert load(path).md == "See the page of the station."


def test_the_bar_of_a_fraction_strikes_nothing_out(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "x = ", fontsize=SIZE)
    page.insert_text((90, 95.5), "13", fontsize=7)
    page.draw_line((89, 97), (99, 97), width=0.5)
    page.insert_text((90, 104), "27", fontsize=7)
    page.insert_text((100, 100), " is read.", fontsize=SIZE)
    document.save(tmp_path / "f.pdf")
    document.close()
    assert "~~" not in load(tmp_path / "f.pdf").md


def test_the_bar_of_a_sign_strikes_out_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "s.pdf", "It costs 32 ", "[C]", " a day, and 5 in winter.")
    assert "~~" not in load(path).md
