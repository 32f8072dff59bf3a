"""What stands raised on pages with pictures."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from rag_assets.loading.pdf.characters import raised
from tests.unit.loading.pdf.facts import load


def test_pictures_do_not_make_raised_numbers_slow_to_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The colony held 4,210")
    page.insert_text((72 + pymupdf.get_text_length("The colony held 4,210"), 96), "3", fontsize=6)
    # One in the flow, and one in a grid that is drawn.
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 64, 64))
    picture.set_rect(picture.irect, (200, 30, 30))
    page.insert_image((72, 120, 200, 220), pixmap=picture)
    for x in (72, 172, 272):
        page.draw_line((x, 300), (x, 400))
    for y in (300, 350, 400):
        page.draw_line((72, y), (272, y))
        page.insert_text((80, y - 20), "level")
        page.insert_text((180, y - 20), "noon")
    page.insert_image((100, 310, 140, 340), pixmap=picture)
    document.save(tmp_path / "p.pdf")
    document.close()
    printed: list[bytes] = []

    def print_page(*args: Any) -> bytes:
        printed.append(raised_page := whole(*args))
        return raised_page

    whole = raised.printed
    monkeypatch.setattr(raised, "printed", print_page)
    loaded = load(tmp_path / "p.pdf")
    assert "4,210^3" in loaded.md
    assert len(loaded.media_refs) == 2
    assert printed and not any(b"<img" in page for page in printed)
