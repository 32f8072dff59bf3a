"""``loader.pdf_layout``: PDFs whose headings and margins only a look at the page tells.

PyMuPDF 2's layout analysis (a small network whose weights come with PyMuPDF, run by ONNX Runtime
on the CPU; about half a second a page) says what each region of a page is; text of two regions is
never one paragraph. Text, tables, boxes, links and the reading order are those of ``loader.pdf``
(the analysis orders regions by the column of their middle, which tears pages apart that mix columns
and full width). Pages that are displayed turned are read as ``loader.pdf`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Block, Line, PageContent, TextBlock, bounds
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.loading.pdf.order.order import reading_orders
from rag_assets.loading.pdf.order.rows import PageRows, Row, rows_of
from rag_query.providers.registry import register

VERSION = "17"
_FURNITURE = {"page-header": "header", "page-footer": "footer"}
_HEADINGS = frozenset({"section-header", "title"})
#: Level of a heading whose font is no larger than the text's.
_LEVEL = 2


class Region(NamedTuple):
    """A part of a page as displayed and what it is."""

    box: Box
    kind: str


class PdfLayoutLoader(PdfLoader):
    """See the module; errors and parameters are those of :class:`PdfLoader`."""

    name = "loader.pdf_layout"
    version = VERSION

    def __init__(self, params: PdfParams) -> None:
        super().__init__(params)
        self._regions: dict[int, list[Region]] = {}

    def arrange(self, document: Any, contents: Sequence[PageContent]) -> Iterable[PageRows]:
        """Pages whose blocks end where their regions do."""
        self._regions = {
            content.number: regions_of(document[content.number - 1])
            for content in contents
            if not content.flat
        }
        for content in contents:
            if regions := self._regions.get(content.number):
                content.blocks = in_regions(content.blocks, regions)
        return map(rows_of, contents, reading_orders(contents))

    def judge(self, pages: Sequence[PageRows], *, has_outline: bool) -> None:
        """Furniture as the regions say; headings too, where the document has no outline."""
        for page in pages:
            regions = self._regions.get(page.number, [])
            for row in page.rows if regions else ():
                kind = _kind(row, regions)
                if kind in _FURNITURE:
                    row.furniture = row.furniture or _FURNITURE[kind]
                    row.level = 0
                elif not has_outline:
                    row.level = (row.level or _LEVEL) if kind in _HEADINGS else 0


def regions_of(page: Any) -> list[Region]:
    """What PyMuPDF sees on a page. Raises whatever PyMuPDF raises."""
    import pymupdf.layout

    pymupdf.layout.activate()
    page.get_layout()
    return [
        Region(Box(*(round(side * UNIT) for side in found[:4])), str(found[4]))
        for found in page.layout_information or ()
    ]


def in_regions(blocks: Sequence[Block], regions: Sequence[Region]) -> list[Block]:
    """The blocks, text parted by region; what lies in no region keeps its own."""
    found: list[Block] = []
    for block in blocks:
        if not isinstance(block, TextBlock):
            found.append(block)
            continue
        runs: list[tuple[int | None, list[Line]]] = []
        for line in block.lines:
            at = _holder(Box(line.x0, line.y0, line.x1, line.y1), regions)
            if runs and runs[-1][0] == at:
                runs[-1][1].append(line)
            else:
                runs.append((at, [line]))
        found += [TextBlock(bounds(lines), lines) for _, lines in runs]
    return found


def _holder(box: Box, regions: Sequence[Region]) -> int | None:
    """The first region that holds the middle of a box."""
    x, y = (box.x0 + box.x1) // 2, (box.y0 + box.y1) // 2
    return next(
        (
            at
            for at, (region, _) in enumerate(regions)
            if region.x0 - UNIT <= x <= region.x1 + UNIT
            and region.y0 - UNIT <= y <= region.y1 + UNIT
        ),
        None,
    )


def _kind(row: Row, regions: Sequence[Region]) -> str:
    at = _holder(Box(row.x0, row.y0, row.x1, row.y1), regions)
    return "" if at is None else regions[at].kind


register("loader.pdf_layout", version=VERSION, params=PdfParams, build=PdfLayoutLoader)
