"""MuPDF's structured text of a page, read from the JSON MuPDF prints.

MuPDF extracts, hunts for tables and prints in C; decoding that JSON into typed structs costs a
fraction of building PyMuPDF's dictionaries, and it holds what a loader needs of a line: box,
baseline and font. Only the members used are declared; the decoder skips the rest.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec

from rag_assets.loading.pdf.extraction.pointers import inner, members_of, sides_of
from rag_assets.loading.pdf.extraction.radicals import as_ideographs

#: Coordinates are integers, hundredths of a PDF point.
UNIT = 100
#: What the box of a stroked line is wider and higher than the line, in points, at most.
_STROKED = 12.0


class Box(msgspec.Struct, frozen=True, gc=False):
    """A struct, not a tuple: one is made for every line, and this is five times as fast."""

    x0: int
    y0: int
    x1: int
    y1: int


class BoxOf(msgspec.Struct, gc=False):
    x: int
    y: int
    w: int
    h: int


class FontOf(msgspec.Struct, gc=False):
    """Of the first character of a line."""

    name: str
    # Of a few words the decoder makes no text anew.
    family: Literal["serif", "sans-serif", "monospace"]
    weight: Literal["normal", "bold"]
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


class Character(NamedTuple):
    """Where the middle of a character is on its baseline, and its font size."""

    x: int
    y: int
    size: float


class TextOf(msgspec.Struct, tag="text"):
    lines: list[LineOf]


class ImageOf(msgspec.Struct, tag="image"):
    bbox: BoxOf


class VectorOf(msgspec.Struct, tag="vector", gc=False):
    """Its box is not printed, see :func:`shapes_of`."""

    stroked: int = 0


class GridOf(msgspec.Struct, tag="grid"):
    """A table's rulings: ``w`` columns, ``h`` rows, ``xpos`` and ``ypos`` in points.

    ``flags`` tell of each cell (and of a row and a column more, which end the grid) whether a line
    is drawn along its left side (4) and along its top (8).
    """

    xpos: list[float]
    ypos: list[float]
    w: int
    h: int
    flags: list[list[int]] = []


class StructureOf(msgspec.Struct, tag="structure"):
    """``std`` is ``Table``, ``TR``, ``TD`` …; ``index`` its place among the kids of its parent, in
    the tree of a tagged PDF."""

    std: str = ""
    index: int = 0
    contents: list[TextOf | ImageOf | VectorOf | GridOf | StructureOf] = []


Node = TextOf | ImageOf | VectorOf | GridOf | StructureOf


class PageOf(msgspec.Struct):
    blocks: list[TextOf | ImageOf | VectorOf | GridOf | StructureOf]


_DECODER = msgspec.json.Decoder(PageOf)
#: Where a grid's rulings stand; MuPDF prints 0.5 as .5, which JSON does not know.
_RULINGS = re.compile(rb'"[xy]pos":\[[^\]]*\]')
_NO_ZERO = re.compile(rb"(?<![0-9])\.")
#: What TeX's bitmap fonts mean, which name no characters, by their place in the Cork encoding
#: (TUGboat 11:4, 1990); elsewhere these are control characters without a meaning.
CORK = {
    0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–", 0x16: "—",
    0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl",
}  # fmt: skip
#: Where they stand in words; a font of ornaments may use the same places. It begins with what is
#: found quickly.
_LIGATURE = re.compile(rb"\\u001[b-eB-E](?:[a-z]|(?<=[a-z]\\u001[b-eB-E]))")
#: The bullet of TeX's companion fonts (TS1) where it begins a line; they name no characters either.
_BULLET = b'"text":"\xc2\x88'
#: What begins a line in a font of signs, of which MuPDF takes the glyph a19 for character 19.
_TICK = re.compile(
    rb'(\{"name":"(?:[A-Z]{6}\+)?(?:Zapf)?Dingbats"[^}]*\}[^{}]*"text":")\\u001([3-8])'
)
_TICKS = {at: sign.encode() for at, sign in zip(b"345678", "✓✔✕✖✗✘", strict=True)}
#: Any escape, so that a backslash that is text begins none.
_ESCAPE = re.compile(rb"\\(?:u00(1[0-9a-fA-F])|.)")


@cache
def text_flags(*, tables: bool) -> int:
    """PyMuPDF's flags for a text page to read: images as boxes, tables hunted for or not."""
    import pymupdf

    flags = pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_PRESERVE_IMAGES
    # A glyph nobody can name is U+FFFD, not the character whose number happens to be its own.
    flags &= ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    # The letters of a ligature, which are what people search for.
    flags &= ~pymupdf.TEXT_PRESERVE_LIGATURES
    if tables:
        flags |= pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_TABLE_HUNT
    return int(flags)


def is_plain(page: Any) -> bool:
    """Whether a page is displayed as it is and bears no annotations and no fields of a form, as
    most are. Raises whatever PyMuPDF raises for a damaged page."""
    mupdf = _mupdf()
    # Page.rotation, first_annot and first_widget wrap what they find.
    of_pdf = mupdf.ll_pdf_page_from_fz_page(inner(page.this, "FzPage")).this
    turned = mupdf.ll_pdf_dict_gets_inheritable(members_of("pdf_page").obj(of_pdf), "Rotate")
    return not (
        (turned and mupdf.ll_pdf_to_int(turned))
        or mupdf.ll_pdf_first_annot(of_pdf)
        or mupdf.ll_pdf_first_widget(of_pdf)
    )


def text_page_of(page: Any, flags: int, *, plain: bool) -> Any:
    """MuPDF's text page, in the frame of a page before its rotation."""
    if plain:
        # What Page.get_textpage does, less what is only asked of the other pages.
        return _mupdf().FzStextPage(page.this.this, _options(flags).this)
    return page.get_textpage(flags=flags).this


@cache
def _options(flags: int) -> Any:
    return _mupdf().FzStextOptions(flags)


@cache
def _mupdf() -> Any:
    # Asked for several times a page.
    from pymupdf import mupdf

    return mupdf


def printed(text_page: Any, print_page: Any, option: int) -> bytes:
    """A text page as one of MuPDF's functions prints it."""
    mupdf = _mupdf()
    buffer = mupdf.fz_new_buffer(1 << 16)
    store = mupdf.FzOutput(buffer.this)
    # MuPDF prints character by character. A deflating output that does not compress (effort 0, no
    # header) gathers them before it passes them on, which takes half the time.
    output = mupdf.FzOutput(store.this, 0, 1)
    print_page(output.this, text_page.this, option)
    mupdf.fz_close_output(output.this)
    mupdf.fz_close_output(store.this)
    stored = mupdf.fz_buffer_extract(buffer)
    return zlib.decompress(stored, wbits=-zlib.MAX_WBITS, bufsize=len(stored))


def image_sizes(text_page: Any) -> list[tuple[int, int]]:
    """Width and height, in pixels, of the images of a text page that stand in no table, in the
    order of its blocks."""
    mupdf = _mupdf()
    of_block = members_of("fz_stext_block")
    found = []
    block = first_block(text_page)
    while block:
        if of_block.type(block.this) == mupdf.FZ_STEXT_BLOCK_IMAGE:
            image = mupdf.FzStextBlock(block).i_image()
            found.append((image.w(), image.h()))
        block = of_block.next(block.this)
    return found


def first_block(text_page: Any) -> Any:
    """The first block of a text page; null when it has none."""
    return members_of("fz_stext_page").first_block(inner(text_page, "FzStextPage"))


def all_blocks(text_page: Any) -> Iterator[Any]:
    """The blocks of a text page, those within tables too."""
    mupdf = _mupdf()
    at = mupdf.ll_fz_stext_page_block_iterator_begin_dfs(inner(text_page, "FzStextPage"))
    while at.block:
        yield at.block
        at = mupdf.ll_fz_stext_page_block_iterator_next_dfs(at)


def shapes_of(
    text_page: Any, nodes: Sequence[Node], among: Sequence[int] | None = None
) -> list[Box]:
    """What is drawn on a text page outside of tables; the box of a rule is as high as its width.

    Args:
        nodes: the blocks of the page, as printed.
        among: the places of those shapes among them to look at, ascending; None for all.
    """
    if among is None:
        # One node is printed for each block: they tell of what type it is quicker than it does.
        among = [at for at, node in enumerate(nodes) if isinstance(node, VectorOf)]
    found = []
    of_block = members_of("fz_stext_block")
    block = first_block(text_page)
    reached = 0
    for at in among:
        for _ in range(at - reached):
            block = of_block.next(block.this)
        reached = at
        x0, y0, x1, y1 = sides_of(of_block.bbox(block.this))
        node = nodes[at]
        if isinstance(node, VectorOf) and node.stroked:
            # The box of what is stroked is wider than it is drawn, on all sides.
            more = min(x1 - x0, y1 - y0, _STROKED) / 2
            x0, y0, x1, y1 = x0 + more, y0 + more, x1 - more, y1 - more
        found.append(Box(round(x0 * UNIT), round(y0 * UNIT), round(x1 * UNIT), round(y1 * UNIT)))
    return found


def outlines(nodes: Sequence[Node], shapes: Sequence[Box]) -> list[Box]:
    """The shapes drawn on a page, a stroked one that is high and wide, a frame, as far as its
    outline reaches; a rule lies in the middle of its stroke."""
    vectors = [node for node in nodes if isinstance(node, VectorOf)]
    more = round(_STROKED * UNIT / 2)
    return [
        Box(box.x0 - more, box.y0 - more, box.x1 + more, box.y1 + more)
        if node.stroked and min(box.x1 - box.x0, box.y1 - box.y0) > 0
        else box
        for node, box in zip(vectors, shapes, strict=True)
    ]


def characters_before(text_page: Any, line: Box, piece: Box) -> int | None:
    """How many characters of the line in a box stand before a piece that fills a gap of it; null
    where characters stand in its place, or the line in a table."""
    middle = (piece.x0 + piece.x1) / 2
    for each in _lines_at(text_page, line):
        before = 0
        for character in _characters(each):
            begin, end = _ends(character)
            if begin[0] * UNIT >= middle:
                break
            if end[0] * UNIT > middle and character.c != ord(" "):
                return None
            before += 1
        return before
    return None


def characters_of(text_page: Any, line: Box) -> list[Character]:
    """The characters of the line in a box; none where it stands in a table."""
    for each in _lines_at(text_page, line):
        found = []
        of_character = members_of("fz_stext_char")
        for character in _characters(each):
            begin, end = _ends(character)
            origin = _place(of_character.origin(character.this))
            x, y = (o + (e - b) / 2 for o, b, e in zip(origin, begin, end, strict=True))
            size = of_character.size(character.this)
            found.append(Character(round(UNIT * x), round(UNIT * y), UNIT * size))
        return found
    return []


def _lines_at(text_page: Any, line: Box) -> Iterator[Any]:
    """The lines that MuPDF has in a box, outside of tables."""
    mupdf = _mupdf()
    of_block, of_line = members_of("fz_stext_block"), members_of("fz_stext_line")
    block = first_block(text_page)
    while block:
        if of_block.type(block.this) == mupdf.FZ_STEXT_BLOCK_TEXT:
            # Asked of every block: most stand above the line, or below it.
            _, top, _, low = sides_of(of_block.bbox(block.this))
            if UNIT * low >= line.y1 - 1 and UNIT * top <= line.y0 + 1:
                for wrapped in mupdf.FzStextBlock(block.this):
                    each = wrapped.m_internal
                    x0, y0, _, _ = sides_of(of_line.bbox(each.this))
                    if abs(x0 * UNIT - line.x0) <= 1 and abs(y0 * UNIT - line.y0) <= 1:
                        yield each
        block = of_block.next(block.this)


def _characters(line: Any) -> Iterator[Any]:
    following = members_of("fz_stext_char").next
    character = line.first_char
    while character:
        yield character
        character = following(character.this)


def _ends(character: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a character begins and ends, at its foot."""
    quad = members_of("fz_stext_char").quad(character.this).this
    corner = members_of("fz_quad")
    return _place(corner.ll(quad)), _place(corner.lr(quad))


def _place(point: Any) -> tuple[float, float]:
    read = members_of("fz_point")
    return read.x(point.this), read.y(point.this)


def printed_page(text_page: Any) -> bytes:
    """A text page as JSON in UTF-8."""
    return as_ideographs(printed(text_page, _mupdf().fz_print_stext_page_as_json, UNIT))


def structured_text(data: bytes) -> list[Node]:
    """The blocks of a printed page, in the order of the content stream.

    Raises ValueError when what MuPDF prints cannot be understood.
    """
    # A single byte is found much quicker.
    if b"\xc2" in data and _BULLET in data:
        data = data.replace(_BULLET, '"text":"•'.encode())
    if b"\\" in data and b"\\u001" in data:
        data = _TICK.sub(lambda found: found[1] + _TICKS[found[2][0]], data)
        if _LIGATURE.search(data):
            data = _ESCAPE.sub(_named, data)
    try:
        return _DECODER.decode(data).blocks
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _leniently_decoded(data)


def _named(escape: re.Match[bytes]) -> bytes:
    text = CORK.get(int(escape[1], 16)) if escape[1] else None
    return escape[0] if text is None else text.encode()


def _leniently_decoded(data: bytes) -> list[Node]:
    data = _RULINGS.sub(lambda rulings: _NO_ZERO.sub(b"0.", rulings[0]), data)
    # Text no font explains can hold bytes that are no characters, or bare control characters.
    lenient = json.loads(data.decode("utf-8", "replace"), strict=False)
    try:
        return msgspec.convert(lenient, PageOf).blocks
    except msgspec.ValidationError as exc:
        raise ValueError(f"unknown form of text page: {exc}") from exc
