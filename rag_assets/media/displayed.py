"""A stored image as it is displayed: upright, on white."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from PIL import Image, ImageOps, UnidentifiedImageError

from rag_query.contracts.errors import ErrorCode, ExcerptaError


def in_eight_bits(image: Image.Image) -> Image.Image:
    """Grey levels of more than 8 bits as 0 to 255; Pillow would cut them off there."""
    if image.mode.startswith("I"):
        image = image.convert("I")
        _, high = cast(tuple[int, int], image.getextrema())
        scale = 255 / max(high, 65535) if high > 255 else 1.0
        return image.point(lambda level: level * scale).convert("L")
    if image.mode == "F":
        lowest, highest = cast(tuple[float, float], image.getextrema())
        scale = 255 / ((highest - lowest) or 1)
        return image.point(lambda level: level * scale - lowest * scale).convert("L")
    return image


#: Of EXIF (0x0112); 1 is upright.
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Displayed:
    """``image`` in RGB; of several frames, the first.

    Attributes:
        form: Pillow's name of its format.
        as_stored: every program shows the stored bytes so: one frame, upright, nothing of it
            transparent.
    """

    image: Image.Image
    form: str
    as_stored: bool


def open_displayed(path: Path) -> Displayed:
    """Open a stored image as it is displayed.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND`` or ``PARSE_FAILED``.
    """
    Image.MAX_IMAGE_PIXELS = None  # The limit is this library's; it was applied when it was stored.
    try:
        with Image.open(path) as opened:
            form = opened.format or ""
            upright = opened.getexif().get(_ORIENTATION, 1) == 1
            moving = getattr(opened, "is_animated", False)
            # One colour of a picture without alpha may be the transparent one.
            holed = "transparency" in opened.info
            as_stored = upright and not moving and not holed and opened.mode in ("L", "RGB")
            image = in_eight_bits(ImageOps.exif_transpose(opened))
            if holed or image.mode in ("RGBA", "LA", "PA", "P"):
                drawn = image.convert("RGBA")
                image = Image.new("RGB", drawn.size, "white")
                image.paste(drawn, mask=drawn.getchannel("A"))
            return Displayed(image.convert("RGB"), form, as_stored)
    except FileNotFoundError as exc:
        raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The image is no longer stored.") from exc
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as exc:
        raise ExcerptaError(
            ErrorCode.PARSE_FAILED, f"The image is damaged ({type(exc).__name__})."
        ) from exc
