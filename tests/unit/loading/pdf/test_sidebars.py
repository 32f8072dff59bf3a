"""The parts of a talk in a bar beside its slides."""

from pathlib import Path

import pymupdf

from rag_assets.loading.base import Loaded
from tests.unit.loading.pdf.facts import check_anchors, load

PARTS = ["Tides", "The gauges", "Readings", "Storms and floods"]


def load_slides(path: Path, side: float, size: float, width: float = 640) -> Loaded:
    document = pymupdf.open()
    for number in range(8):
        page = document.new_page(width=width, height=480)
        for at, part in enumerate(PARTS):
            # The bar shows what the part one is in consists of.
            y = 60 + 20 * at + 15 * (at > number // 2)
            page.insert_text((side, y), part, fontsize=size)
        left = 40 if side > 200 else 240
        page.insert_text((left, 40), f"Harbour {'ABCDEFGH'[number]}", fontsize=20)
        page.insert_text((left, 200), f"The level at noon was {number * number} cm.", fontsize=12)
    document.save(path)
    document.close()
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded


def test_the_parts_of_a_talk_beside_its_slides_are_navigation(tmp_path: Path) -> None:
    for side in (20, 520):
        loaded = load_slides(tmp_path / "s.pdf", side, 7)
        marked = {loaded.md[item.char_start : item.char_end] for item in loaded.furniture}
        assert marked == set(PARTS)
        assert len(loaded.furniture) == 8 * len(PARTS)


def test_names_beside_the_text_of_upright_pages_stay(tmp_path: Path) -> None:
    loaded = load_slides(tmp_path / "s.pdf", 320, 7, width=440)
    assert "navigation" not in {item.kind for item in loaded.furniture}


def test_labels_with_other_values_on_each_page_stay_beside_the_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    for number in range(8):
        page = document.new_page(width=640, height=480)
        for at, label in enumerate(PARTS):
            page.insert_text((20, 60 + 40 * at), label, fontsize=9)
            page.insert_text((20, 75 + 40 * at), f"{37 * number + at} and so on", fontsize=9)
        page.insert_text((240, 40), f"Harbour {'ABCDEFGH'[number]}", fontsize=20)
        page.insert_text((240, 200), f"The level at noon was {number * number} cm.", fontsize=12)
    document.save(tmp_path / "f.pdf")
    document.close()
    assert load(tmp_path / "f.pdf").furniture == []
