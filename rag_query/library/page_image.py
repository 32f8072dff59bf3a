"""The pages a chunk stands on as one picture, with its boxes drawn: how a citation is checked."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.served import Anchor

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_DPI = 110
#: Pages in one picture; a chunk that stands on more is no passage.
MAX_PAGES = 8
#: Pixels of one page: a poster of several metres is drawn smaller than asked.
_MAX_PIXELS = 16_000_000
_GAP = 12
_FILL = (255, 196, 0, 70)
_EDGE = (214, 93, 14, 255)


def drawn_pages(anchors: Sequence[Anchor]) -> list[int]:
    """The pages (1-based) that :func:`page_image` draws: the first :data:`MAX_PAGES` of them."""
    return sorted({anchor.page for anchor in anchors})[:MAX_PAGES]


def page_image(pdf: bytes, anchors: Sequence[Anchor], dpi: int = DEFAULT_DPI) -> bytes:
    """Draw the pages of some anchors, as displayed, below each other.

    Args:
        pdf: the document's bytes.
        anchors: boxes in the frame of ``contracts.columns`` (points before the page's rotation);
            those without a box only name their page. Neighbours' boxes may overlap.
        dpi: pixels an inch.

    Returns:
        A PNG of at most :data:`MAX_PAGES` pages.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when no anchor names a page of the document,
            ``PDF_CORRUPT`` when a page cannot be drawn.
    """
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(stream=pdf, filetype="pdf") as document:
            if not document.is_pdf:
                raise ValueError("no PDF")
            if document.needs_pass:
                document.authenticate("")
            numbers = drawn_pages([a for a in anchors if 1 <= a.page <= document.page_count])
            if not numbers:
                raise _no_pages()
            pages = [
                _drawn(document[number - 1], [a for a in anchors if a.page == number], dpi)
                for number in numbers
            ]
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as exc:
        raise ExcerptaError(
            ErrorCode.PDF_CORRUPT, "The pages of this passage cannot be drawn."
        ) from exc
    return _png(pages)


def _drawn(page: Any, anchors: Sequence[Anchor], dpi: int) -> Image.Image:
    import pymupdf
    from PIL import Image, ImageDraw

    zoom = dpi / 72
    area = max(page.rect.width * page.rect.height, 1.0)
    zoom = min(zoom, (_MAX_PIXELS / area) ** 0.5)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    picture = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    for anchor in anchors:
        if anchor.x0 is None or anchor.y0 is None or anchor.x1 is None or anchor.y1 is None:
            continue
        box = pymupdf.Rect(anchor.x0, anchor.y0, anchor.x1, anchor.y1) * page.rotation_matrix
        box = box.normalize() * zoom
        pen.rectangle((box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1), fill=_FILL, outline=_EDGE)
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")


def _png(pages: Sequence[Image.Image]) -> bytes:
    from PIL import Image

    width = max(page.width for page in pages)
    height = sum(page.height for page in pages) + _GAP * (len(pages) - 1)
    sheet = Image.new("RGB", (width, height), (128, 128, 128))
    at = 0
    for page in pages:
        sheet.paste(page, (0, at))
        at += page.height + _GAP
    target = BytesIO()
    sheet.save(target, "PNG")
    return target.getvalue()


def _no_pages() -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "This passage stands on no page that can be drawn.",
        hint="Only passages of PDF documents have pages; `excerpta show DOC --chunk ID` prints "
        "the lines of others.",
    )
