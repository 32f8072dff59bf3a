"""MuPDF's structured text of a page, read from the JSON MuPDF prints.

MuPDF extracts, hunts for tables and prints in C; decoding that JSON into typed structs costs a
fraction of building PyMuPDF's dictionaries, and it holds what a loader needs of a line: box,
baseline and font. Only the members used are declared; the decoder skips the rest.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

#: Coordinates are integers, hundredths of a PDF point.
UNIT = 100


class BoxOf(msgspec.Struct, gc=False):
    x: int
    y: int
    w: int
    h: int


class FontOf(msgspec.Struct, gc=False):
    """Of the first character of a line."""

    name: str
    family: str
    weight: str
    size: int


class LineOf(msgspec.Struct, gc=False):
    """``x`` and ``y`` are the origin of the first character; ``y`` is the baseline.

    ``wmode`` is 1 for vertical writing, of which each character is a line of its own.
    """

    bbox: BoxOf
    font: FontOf
    x: int
    y: int
    text: str
    wmode: int = 0


class TextOf(msgspec.Struct, tag="text"):
    lines: list[LineOf]


class ImageOf(msgspec.Struct, tag="image"):
    bbox: BoxOf


class VectorOf(msgspec.Struct, tag="vector"):
    pass


class GridOf(msgspec.Struct, tag="grid"):
    """A table's rulings: ``w`` columns, ``h`` rows, ``xpos`` in points."""

    xpos: list[float]
    w: int
    h: int


class StructureOf(msgspec.Struct, tag="structure"):
    """``std`` is ``Table``, ``TR``, ``TD`` …"""

    std: str = ""
    contents: list[TextOf | ImageOf | VectorOf | GridOf | StructureOf] = []


Node = TextOf | ImageOf | VectorOf | GridOf | StructureOf


class PageOf(msgspec.Struct):
    blocks: list[TextOf | ImageOf | VectorOf | GridOf | StructureOf]


_DECODER = msgspec.json.Decoder(PageOf)


def structured_text(text_page: Any) -> list[Node]:
    """The blocks of a PyMuPDF text page, in the order of the content stream."""
    from pymupdf import mupdf

    buffer = mupdf.fz_new_buffer(1 << 16)
    output = mupdf.FzOutput(buffer)
    mupdf.fz_print_stext_page_as_json(output, text_page.this, UNIT)
    output.fz_close_output()
    data = mupdf.fz_buffer_extract(buffer)
    try:
        return _DECODER.decode(data).blocks
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Text no font explains can hold bytes that are no characters, or bare control characters.
        lenient = json.loads(data.decode("utf-8", "replace"), strict=False)
        return msgspec.convert(lenient, PageOf).blocks
