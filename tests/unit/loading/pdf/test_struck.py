"""What is struck out, and stands on the page still."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 11.0


def write(
    path: Path,
    *pieces: str,
    above: float = 0.27,
    fontname: str = "helv",
    rotation: int = 0,
    is_before: bool = False,
    width: float = 0.6,
    beyond: tuple[float, float] = (0, 0),
) -> Path:
    """A row of pieces, or rows where one ends with a newline. Those in brackets have a rule through
    them, drawn right behind them or ``before`` them, so many font sizes ``above`` the baseline, and
    so many points beyond both their ends."""
    document = pymupdf.open()
    page = document.new_page()
    page.set_rotation(rotation)
    x, y = 72.0, 100.0
    turned = page.derotation_matrix

    def draw(text: str, end: float) -> None:
        place = pymupdf.Point(x, y) * turned
        page.insert_text(place, text, fontname=fontname, fontsize=SIZE, rotate=rotation)

    def strike(text: str, end: float) -> None:
        if width > 1:
            middle = y - above * SIZE
            page.draw_rect(
                (x, middle - width / 2, end, middle + width / 2), fill=(0, 0, 0), width=0
            )
            return
        ends = (x - beyond[0], y - above * SIZE), (end + beyond[1], y - above * SIZE)
        page.draw_line(*(pymupdf.Point(*point) * turned for point in ends), width=width)

    for piece in pieces:
        text = piece.strip("[]\n")
        end = x + pymupdf.get_text_length(text, fontname, SIZE)
        steps = [draw, strike][: 1 + (piece[0] == "[")]
        for step in reversed(steps) if is_before else steps:
            step(text, end)
        x, y = (72.0, y + 16) if piece[-1] == "\n" else (end, y)
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
        (["It is ", "[thir]", "[ty]", " days."], "It is ~~thirty~~ days."),
        (["It is ", "[thirty]", " ", "[long]", " days."], "It is ~~thirty~~ ~~long~~ days."),
        (["It is twenty", "[five]", " days."], "It is twenty ~~five~~ days."),
        (["It is ", "[6]", " days."], "It is ~~6~~ days."),
    ],
)
def test_what_is_struck_out_is_marked_and_no_part_of_a_word(
    pieces: list[str], md: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.pdf", *pieces)
    loaded = load(path)
    assert loaded.md == md
    check_anchors(loaded, path)


@pytest.mark.parametrize("struck", ["三十日", "六"])
def test_chinese_text_that_is_struck_out_is_marked(struck: str, tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.pdf", "承包人应在", f"[{struck}]", "四十五日内开工。", fontname="china-s"
    )
    assert load(path).md == f"承包人应在 ~~{struck}~~ 四十五日内开工。"


def test_a_mark_of_a_note_stays_where_it_is_beside_what_is_struck_out(tmp_path: Path) -> None:
    path = tmp_path / "n.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        x = 72.0
        for text, size in [("The rent", SIZE), ("1", 6), (" is due within thirty", SIZE)]:
            page.insert_text((x, 100 - (4 if size == 6 else 0)), text, fontsize=size)
            begin, x = x, x + pymupdf.get_text_length(text, fontsize=size)
        begin = x - pymupdf.get_text_length("thirty", fontsize=SIZE)
        page.draw_line((begin, 97), (x, 97), width=0.6)
        for row in range(20):
            page.insert_text((72, 200 + 16 * row), "The boats are kept apart.", fontsize=SIZE)
        page.insert_text((72, 760), "1", fontsize=5)
        page.insert_text((76, 763), "Of the year before.", fontsize=8)
        document.save(path)
    assert "The rent[^1] is due within ~~thirty~~" in load(path).md


def test_a_line_in_which_a_power_is_written_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "It has 5 m", fontsize=SIZE)
        x = 72 + pymupdf.get_text_length("It has 5 m", fontsize=SIZE)
        page.insert_text((x, 96), "2", fontsize=7)
        page.insert_text((x + 4, 100), " of thirty", fontsize=SIZE)
        end = x + 4 + pymupdf.get_text_length(" of thirty", fontsize=SIZE)
        begin = end - pymupdf.get_text_length("thirty", fontsize=SIZE)
        page.draw_line((begin, 97), (end, 97), width=0.6)
        document.save(path)
    assert load(path).md == "It has 5 m^2 of thirty"


@pytest.mark.parametrize("is_before", [True, False])
@pytest.mark.parametrize(
    ("pieces", "md"),
    [
        (
            ["[Clause 4. A dog may be kept.]\n", "Clause 5. The rent is due monthly."],
            "~~Clause 4. A dog may be kept.~~ Clause 5. The rent is due monthly.",
        ),
        (
            ["Clause 4. The fee is ", "[64]\n", "Clause 5. The rent is due."],
            "Clause 4. The fee is ~~64~~ Clause 5. The rent is due.",
        ),
        (["Clause 4. The fee is ", "[due monthly.]"], "Clause 4. The fee is ~~due monthly.~~"),
    ],
)
def test_the_end_of_a_line_or_a_whole_line_that_is_struck_out_is_marked(
    pieces: list[str], md: str, is_before: bool, tmp_path: Path
) -> None:
    path = write(tmp_path / "e.pdf", *pieces, is_before=is_before)
    loaded = load(path)
    assert loaded.md == md
    check_anchors(loaded, path)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_what_is_struck_out_on_a_turned_page_is_marked(rotation: int, tmp_path: Path) -> None:
    pieces = ["It begins within ", "[thirty]", " forty-five days, or ", "[never]"]
    path = write(tmp_path / "t.pdf", *pieces, rotation=rotation)
    assert load(path).md == "It begins within ~~thirty~~ forty-five days, or ~~never~~"


@pytest.mark.parametrize(
    "drawn",
    [{"width": 2.5}, {"beyond": (9, 0)}, {"beyond": (0, 9)}, {"above": 0.05}, {"above": 0.6}],
    ids=["a bar", "from outside", "to outside", "an underline", "over the letters"],
)
def test_what_is_drawn_at_a_line_otherwise_strikes_nothing_out(
    drawn: dict[str, Any], tmp_path: Path
) -> None:
    path = write(tmp_path / "n.pdf", "[The storm rose.]\n", "Nobody slept.", **drawn)
    assert "~~" not in load(path).md


def test_a_label_in_a_drawing_is_not_struck_out(tmp_path: Path) -> None:
    assert "~~" not in load(write(tmp_path / "d.pdf", "[6]\n", "The arm turns.")).md


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


@pytest.mark.parametrize("sign", ["C", "§"])
def test_the_bar_of_a_sign_strikes_out_nothing(sign: str, tmp_path: Path) -> None:
    path = write(tmp_path / "s.pdf", "It costs 32 ", f"[{sign}]", " a day, and 5 in winter.")
    assert "~~" not in load(path).md
