"""Images that lie in a PDF."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rag_assets.loading.parse import RawBytes, open_raw
from rag_assets.loading.pdf.file.document import first_line, is_out_of_memory, open_pdf
from rag_assets.loading.pdf.file.references import DRAWING, DRAWN, OBJECT
from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Dots an inch of a page that is drawn: enough for small print.
_DPI = 150


class PdfImages:
    """The images of one PDF by the references ``loader.pdf`` makes."""

    def __init__(self, raw: RawBytes, max_pixels: int) -> None:
        self._raw = raw
        self._max_pixels = max_pixels

    def read(self, origin: str) -> bytes:
        """An image file. An image with a soft mask becomes a PNG with transparency.

        Raises:
            ExcerptaError: ``ASSET_NOT_FOUND``, ``FILE_TOO_LARGE`` or ``PARSE_FAILED``.
        """
        try:
            if found := OBJECT.match(origin):
                return self._object(int(found[1]))
            if found := DRAWN.match(origin):
                return self._drawn(int(found[1]), int(found[2]))
            if found := DRAWING.match(origin):
                return self._page(int(found[1]))
        except ExcerptaError:
            raise
        except Exception as exc:
            if is_out_of_memory(exc):
                raise MemoryError from exc
            raise ExcerptaError(
                ErrorCode.PARSE_FAILED, f"The image cannot be read: {first_line(exc)}."
            ) from exc
        raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The PDF has no such image.")

    @cached_property
    def _document(self) -> Any:
        return open_pdf(open_raw(self._raw), max_pages=2**31 - 1)

    def _object(self, xref: int) -> bytes:
        import pymupdf

        document = self._document
        if not 0 < xref < document.xref_length():
            raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The PDF has no such image.")
        keys = (document.xref_get_key(xref, key)[1] for key in ("Width", "Height"))
        width, height = (int(value) if value.isdigit() else 0 for value in keys)
        if width * height > self._max_pixels:
            raise ExcerptaError(
                ErrorCode.FILE_TOO_LARGE, f"The image has {width} x {height} pixels."
            )
        image = document.extract_image(xref)
        if not image:
            raise ExcerptaError(ErrorCode.PARSE_FAILED, "The image cannot be decoded.")
        mask = image.get("smask", 0)
        if not mask:
            return bytes(image["image"])
        base = pymupdf.Pixmap(document, xref)
        if base.alpha:
            base = pymupdf.Pixmap(base, 0)
        if base.colorspace is None or base.colorspace.n > 3:
            base = pymupdf.Pixmap(pymupdf.csRGB, base)
        alpha = pymupdf.Pixmap(document, mask)
        if (alpha.width, alpha.height) != (base.width, base.height):
            alpha = pymupdf.Pixmap(alpha, base.width, base.height, None)
        return bytes(pymupdf.Pixmap(base, alpha).tobytes("png"))

    def _drawn(self, page: int, index: int) -> bytes:
        blocks = self._document[page - 1].get_text("dict")["blocks"]
        images = [block for block in blocks if block["type"] == 1]
        if index >= len(images):
            raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The page has no such image.")
        return bytes(images[index]["image"])

    def _page(self, number: int) -> bytes:
        """A whole page as displayed, as a PNG within the limit of pixels."""
        import pymupdf

        page = self._document[number - 1]
        area = max(page.rect.width * page.rect.height, 1.0)
        scale = min(_DPI / 72, (self._max_pixels / area) ** 0.5)
        drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
        return bytes(drawn.tobytes("png"))
