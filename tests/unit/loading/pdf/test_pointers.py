"""What is read by pointer is what PyMuPDF says."""

from __future__ import annotations

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.pointers import inner, members_of, sides_of
from rag_assets.loading.pdf.extraction.stext import first_block, is_plain, text_flags, text_page_of
from rag_assets.loading.pdf.file.links import links_of


@pytest.fixture
def page() -> pymupdf.Page:
    """One with a line of text and a link to the second page of its document."""
    document = pymupdf.open()
    document.new_page(width=200, height=120)
    document.new_page()
    page = document[0]
    page.insert_text((20, 40), "Water level", fontsize=9)
    place = {"kind": pymupdf.LINK_GOTO, "page": 1, "to": pymupdf.Point(10, 30)}
    page.insert_link(place | {"from": pymupdf.Rect(20, 30, 60, 42)})
    return pymupdf.open(stream=document.tobytes())[0]


def test_the_sides_of_a_box_are_those_of_its_members(page: pymupdf.Page) -> None:
    bound = pymupdf.mupdf.ll_fz_bound_page(inner(page.this, "FzPage"))
    assert sides_of(bound) == (bound.x0, bound.y0, bound.x1, bound.y1) == (0, 0, 200, 120)


def test_blocks_of_a_text_page_follow_each_other_to_the_last(page: pymupdf.Page) -> None:
    text_page = text_page_of(page, text_flags(tables=False), plain=is_plain(page))
    block = first_block(text_page)
    assert sides_of(members_of("fz_stext_block").bbox(block.this)) == (
        block.bbox.x0,
        block.bbox.y0,
        block.bbox.x1,
        block.bbox.y1,
    )
    assert members_of("fz_stext_block").next(block.this) is None


def test_a_page_without_text_has_no_first_block() -> None:
    page = pymupdf.open().new_page()
    assert first_block(text_page_of(page, text_flags(tables=False), plain=True)) is None


def test_a_link_leads_to_its_place_from_its_box(page: pymupdf.Page) -> None:
    [link] = links_of(page, None, 1, 2, {})
    [said] = page.get_links()
    assert tuple(said["from"]) == pytest.approx((link.x0, link.y0, link.x1, link.y1))
    assert (link.page, link.uri, link.target_page, link.target_x) == (1, None, 2, 10)
