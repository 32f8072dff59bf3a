"""Letters whose accents are drawn apart from them, as TeX's older fonts have it."""

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.pdf.pages.page import may_hold_accents
from tests.unit.loading.pdf.facts import check_anchors, load

#: Helvetica's accents are 333 wide, and a, e, u, E and A 556, 556, 556, 667 and 667.
DIAERESIS, GRAVE, ACUTE, CEDILLA = r"\250", r"\140", r"\264", r"\270"
CIRCUMFLEX = r"\210"


def write_line(path: Path, array: str) -> Path:
    """One line of the strings and moves (thousandths of the font size, to the left) of an array."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "x", fontname="helv", fontsize=10)
    stream = f"BT /helv 10 Tf 1 0 0 1 72 700 Tm [{array}] TJ ET"
    document.update_stream(page.get_contents()[0], stream.encode("latin-1"))
    document.save(path)
    return path


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (f"(Deutsches Institut f) -112 ({DIAERESIS}) 445 (ur Normung)", "Institut für Normung"),
        (f"(Un d) -112 ({ACUTE}) 445 (epart sol) -112 ({ACUTE}) 445 (eno)", "départ soléno"),
        (f"(documento ) -112 ({GRAVE}) 445 (e possibile)", "documento è possibile"),
        (f"(fran) -84 ({CEDILLA}) 417 (caise)", "française"),
        (f"(franc) 417 ({CEDILLA}) -84 (aise)", "française"),
        # Above a capital an accent may be read behind it, and above another accent it is.
        (f"(la lettre E) 500 ({ACUTE}) 0 (t)", "lettre Ét"),
        (f"(H) -112 ({CIRCUMFLEX}) 445 (e) 445 ({ACUTE}) -112 (n)", "Hến"),
    ],
)
def test_accents_drawn_over_a_letter_make_it_one_with_an_accent(
    array: str, text: str, tmp_path: Path
) -> None:
    path = write_line(tmp_path / "a.pdf", array)
    loaded = load(path)
    assert text in loaded.md
    check_anchors(loaded, path)


def test_no_blank_is_left_before_a_letter_whose_accent_stands_high(tmp_path: Path) -> None:
    document = pymupdf.open(write_line(tmp_path / "h.pdf", "(x)"))
    stream = (
        "BT /helv 10 Tf 1 0 0 1 72 700 Tm [(THE URB) -112]TJ 2.1 Ts"
        f" [({ACUTE}) 445]TJ 0 Ts (AN MODEL) Tj ET"
    )
    document.update_stream(document[0].get_contents()[0], stream.encode("latin-1"))
    assert "THE URBÁN MODEL" in load(document.tobytes()).md


def test_accents_that_stand_beside_letters_stay(tmp_path: Path) -> None:
    path = write_line(tmp_path / "c.pdf", f"(run `echo` with x{ACUTE} or {DIAERESIS}u)")
    assert "run `echo` with x´ or ¨u" in load(path).md


def test_a_note_is_found_behind_letters_with_accents(tmp_path: Path) -> None:
    array = f"(Une phrase de plus que dix mots est le d) -112 ({ACUTE}) 445 (epart)"
    document = pymupdf.open(write_line(tmp_path / "n.pdf", array))
    page = document[0]
    end = page.get_text("dict")["blocks"][0]["lines"][0]["bbox"][2]
    page.insert_text((end, 138), "1", fontname="helv", fontsize=6)
    page.insert_text((72, 700), "1 Note au bas de la page.", fontname="helv", fontsize=7)
    assert "le départ[^1]" in load(document.tobytes()).md


@pytest.mark.parametrize(
    ("printed", "asked"),
    [("f¨ur", True), ("pi`u", True), ("`make`", False), ("für – it’s", False), ("§ 5 ©", False)],
)
def test_only_pages_that_may_hold_accents_are_looked_at_by_character(
    printed: str, asked: bool
) -> None:
    assert may_hold_accents(printed.encode()) is asked
