"""What was filled into a form is read although the page does not show all of it."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import load

TEXT, CHOICE = pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_LISTBOX
REMARKS = {
    "english": "The gauge was read at noon and again at dusk.\n" * 6 + "The seal is broken.",
    "chinese": "水位计在正午和傍晚各读一次，读数相差两厘米。\n" * 6 + "铅封已损坏。",
}


def filled(path: Path, *fields: dict[str, Any], keys: dict[str, str] | None = None) -> Loaded:
    """A form as it is read, each field 24 points high; ``keys`` are set in the file for all."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), "Inspection form")
    for row, given in enumerate(fields):
        field = pymupdf.Widget()
        field.field_name, field.field_type = f"f{row}", TEXT
        field.rect = pymupdf.Rect(72, 80 + 40 * row, 300, 104 + 40 * row)
        for name, value in given.items():
            setattr(field, name, value)
        page.add_widget(field)
    for widget in page.widgets():
        for key, value in (keys or {}).items():
            document.xref_set_key(widget.xref, key, value)
    document.save(path)
    document.close()
    return load(path)


@pytest.mark.parametrize("remark", REMARKS.values(), ids=REMARKS)
def test_a_remark_longer_than_its_box_is_read_to_its_end(remark: str, tmp_path: Path) -> None:
    long = {"field_value": remark, "field_flags": pymupdf.PDF_TX_FIELD_IS_MULTILINE}
    loaded = filled(tmp_path / "f.pdf", long, {"field_value": "Okafor"})
    lines = remark.split("\n")
    assert "\n> ".join(["", *lines]) in loaded.md
    assert loaded.md.count("Okafor") == 1
    (end,) = [a for a in loaded.anchors if loaded.md[a.char_start : a.char_end] == lines[-1]]
    assert (end.page, end.x0, end.y0) == (1, pytest.approx(72, abs=1), pytest.approx(80, abs=1))


@pytest.mark.parametrize("keys", [{}, {"AA": "<</K <</S /JavaScript /JS (check\\(\\))>>>>"}])
def test_every_character_of_a_name_is_read(keys: dict[str, str], tmp_path: Path) -> None:
    name = {"field_value": "张三丰 and Li Si"}
    assert "> 张三丰 and Li Si" in filled(tmp_path / "f.pdf", name, keys=keys).md


def test_a_value_of_which_nothing_is_drawn_is_read_in_whatever_form(tmp_path: Path) -> None:
    path = tmp_path / "f.pdf"
    filled(path, {"field_value": "1234.5"})
    with pymupdf.open(path) as document:
        empty = document.get_new_xref()
        document.update_object(empty, "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]>>")
        document.update_stream(empty, b" ")
        field = next(document[0].widgets()).xref
        document.xref_set_key(field, "AP", f"<</N {empty} 0 R>>")
        document.xref_set_key(field, "AA", "<</F <</S /JavaScript /JS (format\\(\\))>>>>")
        data = document.tobytes()
    assert "> 1234.5" in load(data).md


def test_what_is_drawn_is_read_once(tmp_path: Path) -> None:
    loaded = filled(
        tmp_path / "f.pdf",
        {"field_value": "Ann Lee"},
        {"field_type": CHOICE, "choice_values": ["One", "Two"], "field_value": "Two"},
    )
    assert ">" not in loaded.md and loaded.summary["notes"] == 0
    assert loaded.md.count("Ann Lee") == loaded.md.count("Two") == 1


@pytest.mark.parametrize("value", ["Kitti\u00adwake", "Ann\tLee", "Ann\u200bLee"])
def test_a_value_with_what_is_not_drawn_is_read_once(value: str, tmp_path: Path) -> None:
    assert ">" not in filled(tmp_path / "f.pdf", {"field_value": value}).md


@pytest.mark.parametrize("place", [(8, 96), (320, 96), (100, 75), (100, 125)])
def test_what_is_not_drawn_in_a_field_is_read_though_it_stands_beside(
    place: tuple[float, float], tmp_path: Path
) -> None:
    path = tmp_path / "f.pdf"
    filled(path, {"field_value": "张三丰"})
    with pymupdf.open(path) as document:
        document[0].insert_text(place, "张三丰", fontname="china-s", fontsize=8)
        data = document.tobytes()
    assert "> 张三丰" in load(data).md


def test_a_choice_is_known_by_the_words_offered_for_it(tmp_path: Path) -> None:
    keys = {"Opt": "[[(x1)(Alpha)][(x2)(Beta)]]", "V": "[(x2)]"}
    box = {"field_type": CHOICE, "choice_values": ["x1", "x2"], "field_value": "x2"}
    assert filled(tmp_path / "f.pdf", box, keys=keys).md.endswith("\n\n> Beta")


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ({}, {"F": "2"}),
        ({"field_flags": pymupdf.PDF_TX_FIELD_IS_PASSWORD}, {}),
        ({}, {"AA": "<</F <</S /JavaScript /JS (AFNumber_Format\\(2\\))>>>>"}),
    ],
    ids=["hidden", "password", "shown in another form"],
)
def test_a_value_that_is_not_to_be_seen_as_it_is_stays_unread(
    field: dict[str, Any], keys: dict[str, str], tmp_path: Path
) -> None:
    field = {"field_value": "1,234.50", **field}
    loaded = filled(tmp_path / "f.pdf", field, keys={"V": "(1234.5)", **keys})
    assert "1234.5" not in loaded.md
