"""Slides have their titles, and no tables made of what is drawn around their text."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import load

FRAMES = [
    ("Why the tide turns", "The moon draws the water", "and the sun helps it"),
    ("What the gauge says", "High water at noon", "low water at six"),
    ("Where it stands", "On the northern pier", "behind the lamp"),
    ("What remains open", "The wind of October", "the ice of January"),
]


def write_talk(
    path: Path,
    frames: Sequence[tuple[str, ...]],
    outline: Sequence[tuple[int, str, int]] = (),
) -> Path:
    """A talk; each slide has its title, in bold and as large as the text, and some text."""
    document = pymupdf.open()
    for title, *text in frames:
        page = document.new_page(width=360, height=270)
        page.insert_text((10, 30), title, fontsize=11, fontname="hebo")
        for number, row in enumerate(text):
            page.insert_text((30, 100 + 40 * number), row, fontsize=11)
    document.set_toc([list(entry) for entry in outline])
    document.save(path)
    document.close()
    return path


def test_the_titles_of_slides_are_headings(tmp_path: Path) -> None:
    loaded = load(write_talk(tmp_path / "t.pdf", FRAMES))
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, title) for title, *_ in FRAMES
    ]


def test_titles_stand_below_the_sections_the_outline_names(tmp_path: Path) -> None:
    frames = [("Tides",), FRAMES[0], FRAMES[1], ("Gauges",), *FRAMES[2:]]
    loaded = load(write_talk(tmp_path / "t.pdf", frames, [(1, "Tides", 1), (1, "Gauges", 4)]))
    heads = [line for line in loaded.md.split("\n") if line.startswith("#")]
    assert heads == [f"# {t}" if not text else f"## {t}" for t, *text in frames]


def test_what_is_hardly_larger_than_the_text_is_a_title_on_slides_alone(tmp_path: Path) -> None:
    for name, size, titles in (("slides", (360, 270), 4), ("pages", (595, 842), 0)):
        document = pymupdf.open(write_talk(tmp_path / "t.pdf", [("-", *f[1:]) for f in FRAMES]))
        for page, (title, *_) in zip(document, FRAMES, strict=True):
            page.set_mediabox(pymupdf.Rect(0, 270 - size[1], size[0], 270))
            page.insert_text((10, 50), title, fontsize=12)
        loaded = load(document.tobytes())
        document.close()
        assert (name, len(loaded.outline)) == (name, titles)


def test_the_frame_of_a_slide_is_no_table(tmp_path: Path) -> None:
    document = pymupdf.open(write_talk(tmp_path / "t.pdf", FRAMES))
    for page in document:
        width, height = page.rect.width, page.rect.height
        for y in (0, 50, 240, height):
            page.draw_line((0, y), (width, y))
        for x in (0, 200, width):
            page.draw_line((x, 0), (x, height))
        page.insert_text((220, 30), "Harbour board", fontsize=8)
        page.insert_text((220, 100), "Read at noon", fontsize=8)
    loaded = load(document.tobytes())
    document.close()
    assert loaded.summary["tables"] == 0
    assert [item.title for item in loaded.outline] == [title for title, *_ in FRAMES]


def test_feet_with_more_text_than_the_slides_are_not_their_text(tmp_path: Path) -> None:
    document = pymupdf.open(write_talk(tmp_path / "t.pdf", FRAMES))
    for page in document:
        page.insert_text((30, 180), "twice in a month", fontsize=10)
        for x, foot in ((10, "Ruth Okafor of Whitby University"), (180, "Tides and their gauges")):
            page.insert_text((x, 265), foot, fontsize=6)
    loaded = load(document.tobytes())
    document.close()
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, title) for title, *_ in FRAMES
    ]


def test_titles_smaller_than_the_large_letters_of_their_slides_are_headings(tmp_path: Path) -> None:
    document = pymupdf.open()
    for title, *text in FRAMES:
        page = document.new_page(width=960, height=540)
        page.insert_text((40, 60), title, fontsize=35)
        for number, row in enumerate(text):
            page.insert_text((34, 180 + 60 * number), f"{row}, and so it is", fontsize=37)
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == [title for title, *_ in FRAMES]


def test_the_first_rows_of_wide_pages_of_text_are_no_titles(tmp_path: Path) -> None:
    document = pymupdf.open()
    for _, *text in FRAMES:
        page = document.new_page(width=960, height=540)
        for number, row in enumerate(text * 3):
            page.insert_text((34, 40 + 60 * number), f"{row} {number}", fontsize=35)
    assert load(document.tobytes()).outline == []
    document.close()


def test_the_foot_of_slides_is_none_of_their_headings_though_signs_stand_around_it(
    tmp_path: Path,
) -> None:
    document = pymupdf.open(write_talk(tmp_path / "t.pdf", FRAMES))
    for page in document:
        for at, sign in enumerate((". . .", "-", ".", "<")):
            page.insert_text((300, 235 + 8 * at), sign, fontsize=6)
        page.insert_text((80, 254), "The tides of the north", fontsize=11, fontname="hebo")
    loaded = load(document.tobytes())
    document.close()
    assert [item.title for item in loaded.outline] == [title for title, *_ in FRAMES]
    assert [item.kind for item in loaded.furniture].count("footer") >= len(FRAMES)
