"""What the extraction cuts and a reader sees as one line; columns and cells stay apart."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
BELOW = "Running text below the line says what else there is to say."


def draw(
    path: Path,
    pieces: Sequence[str],
    gap: float,
    rule: tuple[float, float] | None = None,
    sizes: Sequence[float] = (SIZE,),
) -> Loaded:
    """Pieces on one baseline, ``gap`` points apart, with something drawn between any two: a dot
    far above or, where it is given, a rule of that length so far below the baseline."""
    with pymupdf.open() as document:
        page = document.new_page()
        x = 72.0
        for at, piece in enumerate(pieces):
            size = sizes[at % len(sizes)]
            if at:
                length, low = rule or (1, -60)
                start = x + (gap - length) / 2
                page.draw_line((start, 100 + low), (start + length, 100 + low), width=0.4)
                x += gap
            page.insert_text((x, 100), piece, fontsize=size)
            x += pymupdf.get_text_length(piece, fontsize=size)
        page.insert_text((72, 140), BELOW, fontsize=SIZE)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded


def test_words_between_which_something_is_drawn_are_one_line(tmp_path: Path) -> None:
    loaded = draw(tmp_path / "a.pdf", ["the gauge", "at the", "harbour"], 5)
    assert loaded.md == f"the gauge at the harbour\n\n{BELOW}"


def test_code_in_a_smaller_type_stays_in_its_sentence(tmp_path: Path) -> None:
    loaded = draw(tmp_path / "a.pdf", ["Press", "Ctrl", "and then", "Enter"], 5, sizes=(10, 9))
    assert loaded.md.startswith("Press Ctrl and then Enter\n")


def test_what_stands_further_apart_or_is_much_larger_stays_apart(tmp_path: Path) -> None:
    assert draw(tmp_path / "a.pdf", ["Depth", "Drift"], 8).md.startswith("Depth\n\nDrift\n")
    loaded = draw(tmp_path / "b.pdf", ["Depth", "Drift"], 4, sizes=(10, 14))
    assert "Depth Drift" not in loaded.md


def test_an_underscore_drawn_as_a_rule_is_written(tmp_path: Path) -> None:
    loaded = draw(tmp_path / "a.pdf", ["call asn", "array", "tree now"], 4.6, (3, 0))
    assert loaded.md.startswith("call asn_array_tree now\n")


@pytest.mark.parametrize("rule", [(3, 2.5), (1, 0), (12, 0)], ids=["below", "short", "long"])
def test_another_rule_is_no_underscore(rule: tuple[float, float], tmp_path: Path) -> None:
    loaded = draw(tmp_path / "a.pdf", ["the gauge", "level"], 4.6, rule)
    assert loaded.md.startswith("the gauge level\n")


def test_a_framed_command_set_word_by_word_is_one_line_of_code(tmp_path: Path) -> None:
    commands = ["$ dpkg-depcheck -d ./configure", "# apt install tzdata", "sudo tlmgr update --all"]
    with pymupdf.open() as document:
        page = document.new_page()
        for y, command in zip((100, 180, 260), commands, strict=True):
            # A hunt for tables takes the words for cells.
            for side in ((57, -10, 503, -10), (58, -9, 58, 2), (502, -9, 502, 2), (57, 3, 503, 3)):
                x0, y0, x1, y1 = side
                page.draw_line((x0, y + y0), (x1, y + y1), width=3)
            x = 60
            for word in command.split():
                page.insert_text((x, y), word, fontname="cour", fontsize=SIZE)
                x += 6 * (len(word) + 1)
            page.insert_text((72, y + 40), BELOW, fontsize=SIZE)
        document.save(tmp_path / "a.pdf")
    loaded = load(tmp_path / "a.pdf")
    check_anchors(loaded, tmp_path / "a.pdf")
    assert loaded.md == "\n\n".join(f"```\n{command}\n```\n\n{BELOW}" for command in commands)


@pytest.mark.parametrize(("sign", "then"), [("+", " and"), ("+++++", ",")])
def test_signs_drawn_after_their_row_stand_in_its_gaps(
    tmp_path: Path, sign: str, then: str
) -> None:
    # As programs draw what a font lacks: after all the rest of a row, or of several.
    words = ["Price ", f"{then} food ", " and comfort are rated."]
    with pymupdf.open() as document:
        page = document.new_page()
        wide = pymupdf.get_text_length(sign, fontsize=SIZE)
        gaps, x = [], 72.0
        for at, word in enumerate(words):
            if at:
                gaps.append(x)
                x += wide
            page.insert_text((x, 100), word, fontsize=SIZE)
            x += pymupdf.get_text_length(word, fontsize=SIZE)
        for gap in gaps:
            page.insert_text((gap, 100), sign, fontsize=SIZE)
        page.insert_text((72, 112), BELOW, fontsize=SIZE)
        document.save(tmp_path / "a.pdf")
    loaded = load(tmp_path / "a.pdf")
    assert loaded.md.startswith(f"Price {sign}{then} food {sign} and comfort are rated.")
    check_anchors(loaded, tmp_path / "a.pdf")


def test_what_is_drawn_over_the_text_of_a_row_is_not_written_into_it(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "Name: " + 40 * "_", fontsize=SIZE)
        page.insert_text((150, 100), "Harper", fontsize=SIZE)
        document.save(tmp_path / "a.pdf")
    assert f"Name: {40 * '_'}" in load(tmp_path / "a.pdf").md
