"""What a medium is, told by its bytes alone."""

from __future__ import annotations

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from rag_query.library.media_type import MediaFacts, describe_media, is_svg

ROOT = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>"
SUBSET = """<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [
  <!ENTITY ns_svg "http://www.w3.org/2000/svg"> <!-- ]> is not its end -->
  <!ENTITY quoted ']>'>
]>"""
#: What may stand before the root, in any number and order as far as this reader goes.
PROLOGS = (
    "\n\t ",
    "<?xml version='1.0' encoding='UTF-8'?>",
    "<?xml-stylesheet href='a.css' type='text/css'?>",
    "<!-- Created with a drawing program -->",
    "<!--" + "licence " * 2000 + "-->",
    "<!-- <html> -->",
    "<!DOCTYPE svg>",
    "<!doctype svg>",
    SUBSET,
)


@given(st.lists(st.sampled_from(PROLOGS), max_size=4), st.booleans())
def test_a_drawing_is_known_by_its_root_whatever_stands_before(
    before: list[str], other: bool
) -> None:
    text = "".join(before)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"):
        assert is_svg((text.lstrip() + ROOT).encode(encoding))
    root = "<html><body>" if other else "<svgx>"
    assert not is_svg((text + root + ROOT).encode())


@pytest.mark.parametrize(
    ("text", "drawing"),
    [
        (ROOT, True),
        ("<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>", True),
        ("<svg>", True),
        ("", False),
        ("svg", False),
        ("<svg", False),
        ("<!-- <svg> ", False),
        ("<!-- a --> words <svg>", False),
        ("<!DOCTYPE html><html><svg>", False),
        ("<!DOCTYPE svg [ <!ENTITY a '<svg>' ", False),
        ("<p>one</p><svg>", False),
    ],
)
def test_nothing_else_is_a_drawing(text: str, drawing: bool) -> None:
    assert is_svg(text.encode()) is drawing


@pytest.mark.parametrize(
    "hostile",
    [
        "<?xml version='1.0'?>\n" + "<!-- one line -->\n" * 50_000 + "no drawing",
        "<!DOCTYPE svg [" + "<!--" * 200_000,
        "<!DOCTYPE svg [" + "<!-- a -->[]'b'" * 60_000,
        "<" * 1_000_000,
        " " * 1_000_000,
    ],
)
def test_the_look_is_linear(hostile: str) -> None:
    began = time.process_time()
    assert not is_svg(hostile.encode())
    assert time.process_time() - began < 2


def test_a_picture_that_speaks_of_drawings_is_a_picture() -> None:
    said = PngImagePlugin.PngInfo()
    said.add_text("Comment", "made from <svg xmlns='http://www.w3.org/2000/svg'>")
    out = io.BytesIO()
    Image.new("RGB", (3, 2)).save(out, "PNG", pnginfo=said)
    assert b"<svg" in out.getvalue()[:4096]
    assert describe_media(out.getvalue()) == MediaFacts("image/png", 3, 2)
    assert describe_media(ROOT.encode()) == MediaFacts("image/svg+xml")
    assert describe_media(b"words") == MediaFacts("application/octet-stream")
