"""An image as it is sent to a model, made in a child process."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from rag_assets.captioning.routing import Features, features_of
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home

TARGET = "rag_assets.captioning.prepare:prepare_image"
#: What both vendors take as it is.
_SENT = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
#: Above it an image is sent as JPEG, whatever it was; vendors refuse more than 5 MB.
_MAX_BYTES = 3_500_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """Encoded bytes, their type, and what the pixels tell of the image's kind."""

    data: bytes
    mime: str
    features: Features


def prepare_image(home: str, asset_id: str, max_side: int) -> Prepared:
    """Read a stored image and bring it to at most ``max_side`` pixels a side.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND`` or ``PARSE_FAILED``.
    """
    import numpy as np
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # The limit is this library's; the media stage applies it.
    path = Home(Path(home)).media_file(asset_id)
    try:
        data = path.read_bytes()
        with Image.open(io.BytesIO(data)) as opened:
            form = opened.format or ""
            image = ImageOps.exif_transpose(opened)
            plain = _on_white(image)
    except FileNotFoundError as exc:
        raise ExcerptaError(ErrorCode.ASSET_NOT_FOUND, "The image is no longer stored.") from exc
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as exc:
        raise ExcerptaError(
            ErrorCode.PARSE_FAILED, f"The image is damaged ({type(exc).__name__})."
        ) from exc
    small = max(plain.size) <= max_side
    features = features_of(np.asarray(plain, np.uint8))
    if small and form in _SENT and len(data) <= _MAX_BYTES:
        return Prepared(data, _SENT[form], features)
    plain.thumbnail((max_side, max_side))
    out = io.BytesIO()
    plain.save(out, "PNG")
    if out.tell() > _MAX_BYTES:
        out = io.BytesIO()
        plain.save(out, "JPEG", quality=85)
        return Prepared(out.getvalue(), "image/jpeg", features)
    return Prepared(out.getvalue(), "image/png", features)


def _on_white(image: Image.Image) -> Image.Image:
    from PIL import Image as images

    if image.mode in ("RGBA", "LA", "PA", "P"):
        drawn = image.convert("RGBA")
        image = images.new("RGB", drawn.size, "white")
        image.paste(drawn, mask=drawn.getchannel("A"))
    return image.convert("RGB")
