"""One page of a PDF as lines, tables and images, in the order of its content stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from rag_assets.loading.pdf.characters.accents import may_hold_accents, write_accents
from rag_assets.loading.pdf.characters.cyrillic import may_hold_cyrillic
from rag_assets.loading.pdf.characters.hangul import write_blanks
from rag_assets.loading.pdf.characters.lamalef import may_hold_lam_alef, write_lam_alef
from rag_assets.loading.pdf.characters.raised import (
    may_hold_notes,
    may_hold_powers,
    raised_in,
    write_powers,
)
from rag_assets.loading.pdf.characters.widegaps import write_wide_gaps
from rag_assets.loading.pdf.characters.wordgaps import may_lack_blanks, write_word_gaps
from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    ImageBlock,
    Line,
    PageContent,
    TableBlock,
    lines_of,
)
from rag_assets.loading.pdf.extraction.pointers import inner, sides_of
from rag_assets.loading.pdf.extraction.reading import Reading
from rag_assets.loading.pdf.extraction.stext import (
    UNIT,
    Box,
    Node,
    image_sizes,
    is_plain,
    outlines,
    printed_page,
    structured_text,
)
from rag_assets.loading.pdf.file.links import links_of
from rag_assets.loading.pdf.pages.backgrounds import count_aslant, hunted_text_page
from rag_assets.loading.pdf.pages.listmarks import (
    give_drawn_marks,
    give_image_marks,
    give_marks,
    may_have_drawn_marks,
)
from rag_assets.loading.pdf.pages.marksizes import set_text_sizes
from rag_assets.loading.pdf.pages.page_blocks import PageReader
from rag_assets.loading.pdf.pages.pages_before import PagesBefore
from rag_assets.loading.pdf.pages.pieces import write_inner, write_underscores
from rag_assets.loading.pdf.pages.struck import write_struck
from rag_assets.loading.pdf.pages.turn import Turn
from rag_assets.loading.pdf.tables.aligned import aligned_tables
from rag_assets.loading.pdf.tables.booktabs import booktabs, may_hold_booktabs
from rag_assets.loading.pdf.tables.filled_cells import filled_tables
from rag_assets.loading.pdf.tables.placed_tables import with_found, with_tables
from rag_assets.loading.pdf.tables.rowsbelow import with_rows_below
from rag_assets.loading.pdf.tables.tagged import may_hold_tagged, tagged_tables

#: What a page is drawn with, and how thin a shape is a rule.
_SHAPES = frozenset({"fill-path", "stroke-path", "fill-shade"})
_RULE_POINTS = 4.0
#: On pages with more shapes nobody looks for what is struck out.
_MAX_SHAPES = 400


def read_page(
    page: Any,
    number: int,
    before: PagesBefore,
    apart: AbstractContextManager[object],
    reading: Reading,
) -> PageContent:
    """Extract a page, and add to ``before``; ``apart`` takes the faults that cost no text.

    Raises whatever PyMuPDF raises for a page it cannot load.
    """
    import pymupdf

    plain = is_plain(page)
    degrees = 0 if plain else page.rotation % 360
    text_page = hunted_text_page(page, reading, plain=plain)
    x0, y0, x1, y1 = sides_of(pymupdf.mupdf.ll_fz_bound_page(inner(page.this, "FzPage")))
    width, height = round((x1 - x0) * UNIT), round((y1 - y0) * UNIT)
    turn = None
    if degrees:
        turn = Turn(degrees, *((height, width) if degrees in (90, 270) else (width, height)))
    flat = page.derotation_matrix if turn else None
    content = PageContent(number, width, height, reading, flat=flat, plain=plain)
    reader = PageReader(content, turn, before)
    data = printed_page(text_page)
    try:
        nodes = structured_text(data)
    except ValueError:
        if not reading.hunts:
            raise
        # Its text can be understood without the grids.
        return read_page(page, number, before, apart, replace(reading, grids=False))
    stamped = _read_blocks(reader, content, nodes, count_aslant(text_page) if reading.aslant else 0)
    if (better := _better(reading, reader, turn, text_page, nodes)) is not None:
        return read_page(page, number, before, apart, better)
    if reader.doubtful_tables:
        # What was laid out as a grid is no table; without the hunt it keeps its own blocks.
        bare = read_page(page, number, before, apart, replace(reading, tables=False))
        _hunted(reader, content, apart, text_page, nodes, page=page, before=before)
        return with_tables(bare, _tables_of(content))
    _write_apart(content, reader, text_page, nodes, data)
    _give_marks(content, reader, text_page, nodes)
    lines = content.lines()
    if reading.tables:
        lines = _hunted(reader, content, apart, text_page, nodes, page=page, before=before)
    content.blocks += stamped
    if content.images:
        sizes = image_sizes(text_page)
        content.image_sizes = sizes if len(sizes) == reader.images else []
    text = _text_of(lines, before.sizes)
    content.numbers = sum([line.text.isdecimal() for line in lines])
    _part_words(content, text, text_page, data)
    write_wide_gaps(lines, text, text_page)
    if may_hold_notes(lines, height, before.sizes) or may_hold_powers(text):
        content.raised = write_powers(
            raised_in(text_page, content.extracted, images=bool(content.images))
        )
    _mark_struck(content, reader, turn, text_page, nodes)
    if not content.blocks and _is_drawn(page):
        _take_for_drawing(content, turn)
    content.links = links_of(page, content.flat, number, before.pages, before.targets)
    return content


def _better(
    reading: Reading, reader: PageReader, turn: Turn | None, text_page: Any, nodes: Sequence[Node]
) -> Reading | None:
    """How a page should have been read, as this ``reading`` tells; None when it was."""
    if reading.tables and reader.has_large and not reading.aslant and count_aslant(text_page):
        return replace(reading, aslant=True)
    if reading.hunts and not (reading.boxed or turn) and reader.holds_box(text_page, nodes):
        return replace(reading, boxed=True)
    return replace(reading, grids=False) if reader.is_framed else None


def _read_blocks(
    reader: PageReader, content: PageContent, nodes: Sequence[Node], aslant: int
) -> list[Block]:
    """Read the blocks of a page; those of the last nodes, so many, which run ``aslant``, are given
    back: they are part of no table."""
    reader.read(nodes[: len(nodes) - aslant])
    read, content.blocks = content.blocks, []
    reader.read(nodes[len(nodes) - aslant :])
    stamped, content.blocks = content.blocks, read
    content.across = frozenset(map(id, lines_of(stamped)))
    return stamped


def _text_of(lines: Sequence[Line], sizes: defaultdict[int, int]) -> str:
    """The text of some lines, of which the characters are added to those of each font size."""
    for line in lines:
        sizes[line.size] += len(line.text)
    return "\n".join([line.text for line in lines])


def _write_apart(
    content: PageContent, reader: PageReader, text_page: Any, nodes: Sequence[Node], data: bytes
) -> None:
    """Write what was drawn apart from its words into them, or as one glyph in its order; ``data``
    is the page as printed."""
    if may_hold_accents(data):
        write_accents(content.extracted, text_page)
    content.high_words = may_hold_cyrillic(data)
    if may_hold_lam_alef(data):
        write_lam_alef(content.extracted, text_page)
    if reader.underscores and content.flat is None:
        write_underscores(reader.underscores, reader.drawn(text_page, nodes))
    write_inner(content, text_page)


def _part_words(content: PageContent, text: str, text_page: Any, data: bytes) -> None:
    """Write the blanks that are not drawn into the ``text`` of a page; ``data`` is the page as
    printed."""
    write_blanks(content.extracted, text, text_page)
    if may_lack_blanks(data):
        write_word_gaps(content.extracted, text_page)


def _give_marks(
    content: PageContent, reader: PageReader, text_page: Any, nodes: Sequence[Node]
) -> None:
    """Put marks of lists that were drawn apart in front of their items, which have the sizes of
    their text."""
    give_marks(content.blocks)
    if content.flat is None:
        set_text_sizes(content.lines(), text_page)
    blocks, beside = content.blocks, reader.beside
    if content.flat is None and may_have_drawn_marks(blocks, beside, reader.shapes):
        give_drawn_marks(blocks, beside, reader.drawn(text_page, nodes))
    if content.flat is None and content.images:
        give_image_marks(content)


def _mark_struck(
    content: PageContent,
    reader: PageReader,
    turn: Turn | None,
    text_page: Any,
    nodes: Sequence[Node],
) -> None:
    if reader.crossed and reader.shapes <= _MAX_SHAPES:
        shapes = reader.drawn_across(text_page, nodes)
        write_struck(content, turn, reader.crossed, text_page, shapes)


def _hunted(
    reader: PageReader,
    content: PageContent,
    apart: AbstractContextManager[object],
    text_page: Any,
    nodes: Sequence[Node],
    *,
    page: Any,
    before: PagesBefore,
) -> list[Line]:
    """The lines of a page once the tables are found that no grid is drawn around; whatever goes
    wrong in the hunt for them, the text is there."""
    lines = content.lines()
    with apart:
        lines = _beside_tagged(content, lines, page, before)
    with apart:
        return _beside_tables(reader, content, lines, text_page, nodes)
    return lines


def _beside_tagged(
    content: PageContent, lines: list[Line], page: Any, before: PagesBefore
) -> list[Line]:
    """The lines of a page once the tables it is tagged with are found too."""
    if not (before.tags and content.flat is None and may_hold_tagged(lines)):
        return lines
    tables = before.tags.tables_on(page, plain=content.plain)
    return with_found(content, tagged_tables(tables, lines), lines)


def _beside_tables(
    reader: PageReader,
    content: PageContent,
    lines: list[Line],
    text_page: Any,
    nodes: Sequence[Node],
) -> list[Line]:
    """The lines of a page once the tables in which little or nothing is ruled are found too."""
    if content.flat is None and reader.tables:
        lines = with_rows_below(content, lines)
    if content.flat is None and (
        # What is drawn may have been read already, which takes longer than the rest.
        reader.knows_drawn or may_hold_booktabs(nodes, lines, reader.shapes, reader.run)
    ):
        lines = _with_filled(reader, content, lines, text_page, nodes)
        lines = with_found(content, booktabs(lines, reader.drawn(text_page, nodes)), lines)
    return with_found(content, aligned_tables(lines), lines)


def _with_filled(
    reader: PageReader,
    content: PageContent,
    lines: list[Line],
    text_page: Any,
    nodes: Sequence[Node],
) -> list[Line]:
    """The lines of a page once the tables of filled or framed cells are found too."""
    shapes = outlines(nodes, reader.drawn(text_page, nodes)) + reader.frames
    return with_found(content, filled_tables(lines, shapes, _tables_of(content)), lines)


def _tables_of(content: PageContent) -> list[TableBlock]:
    return [block for block in content.blocks if isinstance(block, TableBlock)]


def _take_for_drawing(content: PageContent, turn: Turn | None) -> None:
    """Make a page without text an image, which all of it is."""
    width, height = content.width, content.height
    flat_box = Box(0, 0, *((turn.width, turn.height) if turn else (width, height)))
    content.images.append(ImageBlock(Box(0, 0, width, height), flat_box, 0))
    content.blocks += content.images
    content.is_drawing = True


def _is_drawn(page: Any) -> bool:
    """Whether shapes that are no rules stand on a page; a single one over all of it is only its
    background."""
    x0, y0, x1, y1 = page.rect * page.derotation_matrix
    shapes = [
        (left, top, right, low)
        for kind, (left, top, right, low) in page.get_bboxlog()
        if kind in _SHAPES and min(right - left, low - top) >= _RULE_POINTS
    ]
    return len(shapes) > 1 or any(
        left > x0 or top > y0 or right < x1 or low < y1 for left, top, right, low in shapes
    )
