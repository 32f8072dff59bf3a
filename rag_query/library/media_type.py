"""What a stored medium is, by its bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass

UNKNOWN = "application/octet-stream"
_SVG_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """MIME type, and pixels where it is a raster image."""

    mime: str
    width: int | None = None
    height: int | None = None


def describe_media(data: bytes) -> MediaFacts:
    """Reads the head of an image only; what is no image is ``application/octet-stream``."""
    from PIL import Image, UnidentifiedImageError

    if b"<svg" in data[:_SVG_HEAD_BYTES]:
        return MediaFacts("image/svg+xml")
    try:
        with Image.open(io.BytesIO(data)) as image:
            return MediaFacts(Image.MIME.get(image.format or "", UNKNOWN), *image.size)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return MediaFacts(UNKNOWN)
