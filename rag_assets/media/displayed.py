"""A stored image as it is displayed: upright, on white."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from rag_query.contracts.errors import ErrorCode, ExcerptaError


def open_displayed(path: Path) -> tuple[Image.Image, str]:
    """The image in RGB, and Pillow's name of its format.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND`` or ``PARSE_FAILED``.
    """
    Image.MAX_IMAGE_PIXELS = None  # The limit is this library's; it was applied when it was stored.
    try:
        with Image.open(path) as opened:
            form = opened.format or ""
            image: Image.Image = ImageOps.exif_transpose(opened)
            if image.mode in ("RGBA", "LA", "PA", "P"):
                drawn = image.convert("RGBA")
                image = Image.new("RGB", drawn.size, "white")
                image.paste(drawn, mask=drawn.getchannel("A"))
            return image.convert("RGB"), form
    except FileNotFoundError as exc:
        raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The image is no longer stored.") from exc
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as exc:
        raise ExcerptaError(
            ErrorCode.PARSE_FAILED, f"The image is damaged ({type(exc).__name__})."
        ) from exc
