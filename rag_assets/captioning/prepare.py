"""An image as it is sent to a model, made in a child process."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from rag_assets.captioning.routing import Features, features_of
from rag_query.library.home import Home

TARGET = "rag_assets.captioning.prepare:prepare_image"
#: What both vendors take as it is.
_SENT = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
#: Above it an image is sent as JPEG, whatever it was; vendors refuse more than 5 MB.
_MAX_BYTES = 3_500_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """Encoded bytes, their type, and what the pixels tell of the image's kind."""

    data: bytes
    mime: str
    features: Features


def prepare_image(home: str, asset_id: str, max_side: int) -> Prepared:
    """Read a stored image as it is displayed, at most ``max_side`` pixels a side.

    Services refuse moving pictures, and read turned or transparent ones otherwise than a person.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND`` or ``PARSE_FAILED``.
    """
    import numpy as np

    from rag_assets.media.displayed import open_displayed

    path = Home(Path(home)).media_file(asset_id)
    displayed = open_displayed(path)
    image, mime = displayed.image, _SENT.get(displayed.form)
    features = features_of(np.asarray(image, np.uint8))
    fits = max(image.size) <= max_side and path.stat().st_size <= _MAX_BYTES
    if mime is not None and displayed.as_stored and fits:
        return Prepared(path.read_bytes(), mime, features)
    image.thumbnail((max_side, max_side))
    out = io.BytesIO()
    image.save(out, "PNG")
    if out.tell() <= _MAX_BYTES:
        return Prepared(out.getvalue(), "image/png", features)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=85)
    return Prepared(out.getvalue(), "image/jpeg", features)
