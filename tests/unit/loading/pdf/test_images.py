"""Which object of a PDF each picture on its pages is."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load


def picture(grey: int, width: int) -> pymupdf.Pixmap:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, width, 40))
    pixmap.clear_with(grey)
    return pixmap


def test_each_picture_of_a_size_is_told_by_its_pixels_and_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pages name all pictures, as programs write that share one dictionary."""
    document = pymupdf.open()
    for _ in range(4):
        document.new_page()
    first, *others = list(document)
    objects = [
        first.insert_image((72, 72 + 60 * at, 112, 112 + 60 * at), pixmap=picture(40 * at, 40))
        for at in range(3)
    ]
    for at in range(6):
        first.insert_image((300, 72 + 60 * at, 350, 112 + 60 * at), pixmap=picture(0, 50 + at))
    _, shared = document.xref_get_key(first.xref, "Resources")
    names = [name for _, _, _, _, _, _, _, name, *_ in first.get_images(full=True)]
    for page, name in zip(others, names, strict=False):
        document.xref_set_key(page.xref, "Resources", shared)
        content = document.get_new_xref()
        document.update_object(content, "<<>>")
        document.update_stream(content, f"q 40 0 0 40 72 700 cm /{name} Do Q".encode())
        document.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    document.save(tmp_path / "p.pdf")
    document.close()
    made: list[int] = []

    class Counted(pymupdf.Pixmap):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            made.append(args[1])

    monkeypatch.setattr(pymupdf, "Pixmap", Counted)
    loaded = load(tmp_path / "p.pdf")
    drawn = [(ref.page, ref.origin_ref) for ref in loaded.media_refs]
    assert [ref for page, ref in drawn if page > 1] == [f"pdf:xref={xref}:0" for xref in objects]
    assert sorted(made) == sorted(objects)
