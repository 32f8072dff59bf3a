"""Marks of a list that were drawn apart from its items."""

from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import check_anchors, load

ITEMS = [
    ("1.", 72, "Press OPEN and raise the lid."),
    ("2.", 72, "Place the glassware in the basket."),
    ("●", 90, "Use insert B for flasks of 250 ml or less."),
    ("3.", 72, "Close the lid until it clicks."),
]
END = "The dryer stops by itself after three minutes, and its lamp turns green."


def write(path: Path, *, marks_at: float) -> Path:
    """The items below a paragraph, their marks drawn last and ``marks_at`` before them."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "How the glassware is dried:", fontsize=11)
    for at, (_, x, text) in enumerate(ITEMS):
        page.insert_text((x, 110 + 14 * at), text, fontsize=11)
    page.insert_text(
        (72, 190),
        END,
        fontsize=11,
    )
    for at, (mark, x, _) in enumerate(ITEMS):
        font = "helv" if mark.isascii() else "china-s"
        page.insert_text((x - marks_at, 110 + 14 * at), mark, fontname=font, fontsize=11)
    document.save(path)
    return path


def test_marks_drawn_last_stand_in_front_of_their_items(tmp_path: Path) -> None:
    path = write(tmp_path / "m.pdf", marks_at=14)
    loaded = load(path)
    assert [line.strip() for line in loaded.md.split("\n") if line] == [
        "How the glassware is dried:",
        *(f"{mark} {text}".replace("●", "-") for mark, _, text in ITEMS),
        END,
    ]
    check_anchors(loaded, path)


def test_numbers_drawn_last_in_the_block_of_their_items_stand_in_front_of_them(
    tmp_path: Path,
) -> None:
    items = ["Press OPEN.", "Close the lid."]
    document = pymupdf.open()
    page = document.new_page()
    for at, item in enumerate(items):
        page.insert_text((90, 110 + 14 * at), item, fontsize=11)
    for at in range(2):
        page.insert_text((78, 110 + 14 * at), f"{at + 1}. ", fontsize=11)
    document.save(tmp_path / "o.pdf")
    assert len(page.get_text("blocks")) == 1
    assert load(tmp_path / "o.pdf").md == "1. Press OPEN.\n2. Close the lid."


def test_marks_drawn_behind_the_first_rows_of_their_items_stand_in_front_of_them(
    tmp_path: Path,
) -> None:
    rows = ["Press OPEN and wait until the lid is", "free on all of its sides.", "Close the lid."]
    for mark in ("1.", ""):
        document = pymupdf.open()
        page = document.new_page()
        page.insert_text((72, 96), "How the glassware is dried every evening:", fontsize=11)
        for at, row in enumerate(rows):
            y = 110 + 14 * at
            page.insert_text((90, y), row, fontsize=11)
            if at == 1:
                continue
            if mark:
                page.insert_text((78, y), f"{at // 2 + 1}. ", fontsize=11)
            else:
                page.draw_circle((80, y - 4), 2, fill=(0, 0, 0), width=0)
        document.save(tmp_path / "b.pdf")
        one, two = ("1.", "2.") if mark else ("-", "-")
        assert load(tmp_path / "b.pdf").md.split("\n\n")[-1].split("\n") == [
            f"{one} {rows[0]} {rows[1]}",
            f"{two} {rows[2]}",
        ]


def test_figures_far_from_the_text_beside_them_are_no_marks(tmp_path: Path) -> None:
    loaded = load(write(tmp_path / "f.pdf", marks_at=50))
    assert "1. Press" not in loaded.md


def write_drawn(path: Path, *, size: float, as_images: bool = False) -> Path:
    """The items of a list, each behind a square ``size`` wide; the second stands further right."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "How the glassware is dried:", fontsize=11)
    square = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 4, 4))
    for at, x in enumerate((90, 120, 120, 90)):
        y = 110 + 14 * at
        place = pymupdf.Rect(x - 13, y - 4 - size / 2, x - 13 + size, y - 4 + size / 2)
        if as_images:
            page.insert_image(place, pixmap=square)
        else:
            page.draw_rect(place, fill=(0, 0, 0), width=0)
        page.insert_text((x, y), ITEMS[at][2], fontsize=11)
    page.insert_text((72, 190), END, fontsize=11)
    document.save(path)
    document.close()
    return path


DRAWN = [
    "How the glassware is dried:",
    f"- {ITEMS[0][2]}",
    f"  - {ITEMS[1][2]}",
    f"  - {ITEMS[2][2]}",
    f"- {ITEMS[3][2]}",
    END,
]


def test_shapes_drawn_before_items_are_their_marks(tmp_path: Path) -> None:
    path = write_drawn(tmp_path / "s.pdf", size=4)
    loaded = load(path)
    assert [line for line in loaded.md.split("\n") if line] == DRAWN
    check_anchors(loaded, path)


def test_small_images_before_items_are_their_marks(tmp_path: Path) -> None:
    loaded = load(write_drawn(tmp_path / "i.pdf", size=5, as_images=True))
    assert [line for line in loaded.md.split("\n") if line] == DRAWN
    assert loaded.media_refs == []


def test_boxes_as_large_as_letters_are_no_marks(tmp_path: Path) -> None:
    assert "- " not in load(write_drawn(tmp_path / "b.pdf", size=11)).md


def test_dots_drawn_last_stand_in_front_of_their_items(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 80), "This spring", fontsize=16)
        items = ["Two new boats", "A crew for each of them"]
        for at, item in enumerate(items):
            page.insert_text((90, 110 + 14 * at), item, fontsize=11)
        for at in range(2):
            page.insert_text((78, 110 + 14 * at), "· ", fontsize=11)
        data = document.tobytes()
    assert load(data).md == "# This spring\n\n- Two new boats\n- A crew for each of them"


def test_the_first_item_has_its_mark_behind_the_backgrounds_of_its_page(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for top in (200, 300):
            page.draw_rect((72, top, 540, top + 20), color=None, fill=(0.8, 0.9, 1))
        for at, (_, _, text) in enumerate(ITEMS[:2]):
            page.draw_circle((80, 97 + 14 * at), 1.5, color=None, fill=(0, 0, 0))
            page.insert_text((90, 100 + 14 * at), text, fontsize=11)
        for top, head in ((200, "The lid"), (300, "The lamp")):
            page.insert_text((74, top + 15), head, fontsize=15)
            page.insert_text((72, top + 40), END, fontsize=11)
        data = document.tobytes()
    assert load(data).md.startswith(f"- {ITEMS[0][2]}\n- {ITEMS[1][2]}\n")


def test_two_marks_behind_their_item_cost_no_text(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for at, text in enumerate(("Raise the lid", "Close the lid")):
            for x, piece in ((105, text), (90, "a. "), (78, f"{at + 1}. ")):
                page.insert_text((x, 110 + 14 * at), piece, fontsize=11)
        md = load(document.tobytes()).md
    assert "Raise the lid" in md and "Close the lid" in md
