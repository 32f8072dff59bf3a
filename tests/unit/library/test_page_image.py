"""Pictures of pages: the boxes are drawn where the words are, on turned pages too."""

from io import BytesIO

import pymupdf
import pytest
from PIL import Image

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.page_image import MAX_PAGES, drawn_pages, page_image
from rag_query.library.served import Anchor


def pdf(rotation: int, pages: int = 1) -> bytes:
    document = pymupdf.open()
    for _ in range(pages):
        page = document.new_page(width=400, height=300)
        # A black bar stands for a word.
        page.draw_rect((50, 40, 150, 60), fill=(0, 0, 0))
        page.set_rotation(rotation)
    data: bytes = document.tobytes()
    document.close()
    return data


def anchor(page: int = 1) -> Anchor:
    return Anchor(0, 4, page, 50, 40, 150, 60)


def picture(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data)).convert("RGB")


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_box_lies_on_its_word(rotation: int) -> None:
    drawn = picture(page_image(pdf(rotation), [anchor()], dpi=72))
    bare = picture(page_image(pdf(rotation), [Anchor(0, 1, 1, None, None, None, None)], dpi=72))
    assert drawn.size == ((300, 400) if rotation in (90, 270) else (400, 300))
    black = [
        (x, y)
        for x in range(bare.width)
        for y in range(bare.height)
        if sum(bare.getpixel((x, y))) < 60
    ]
    changed = [
        (x, y)
        for x in range(bare.width)
        for y in range(bare.height)
        if bare.getpixel((x, y)) != drawn.getpixel((x, y))
    ]
    for axis in (0, 1):
        for pick in (min, max):
            assert abs(pick(p[axis] for p in black) - pick(p[axis] for p in changed)) <= 3


def test_several_pages_are_one_picture() -> None:
    two = picture(page_image(pdf(0, 3), [anchor(1), anchor(3), anchor(3)], dpi=72))
    assert two.width == 400
    assert 600 < two.height < 640
    anchors = [anchor(n) for n in range(20, 2, -1)]
    many = picture(page_image(pdf(0, 20), anchors, dpi=36))
    assert drawn_pages(anchors) == list(range(3, 3 + MAX_PAGES))
    assert MAX_PAGES * 150 <= many.height < (MAX_PAGES + 1) * 165


def test_huge_pages_are_drawn_small() -> None:
    document = pymupdf.open()
    document.new_page(width=14000, height=14000)
    drawn = picture(page_image(document.tobytes(), [anchor()], dpi=300))
    assert drawn.width * drawn.height <= 17_000_000


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(ExcerptaError) as caught:
        page_image(pdf(0), [])
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    with pytest.raises(ExcerptaError) as caught:
        page_image(pdf(0), [anchor(2)])
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    with pytest.raises(ExcerptaError) as caught:
        page_image(b"# Markdown", [anchor()])
    assert caught.value.code == ErrorCode.PDF_CORRUPT
