"""Media files: content named by its sha256, with a thumbnail where it is a picture."""

from __future__ import annotations

import hashlib
import io
import mimetypes
import warnings
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from rag_assets.media.base import Stored
from rag_assets.media.displayed import in_eight_bits
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import renew, temporary_beside, write_atomic
from rag_query.library.home import Home
from rag_query.library.media_type import SVG, is_svg

#: Kept as they are, without a thumbnail.
_OTHER_MEDIA = ("audio/", "video/")


class ContentStore:
    """Stores content under ``media/``; the same bytes are stored once."""

    def __init__(self, home: Home, *, thumb_pixels: int, max_pixels: int) -> None:
        self._home = home
        self._thumb_pixels = thumb_pixels
        self._max_pixels = max_pixels
        # The limit is this library's, not Pillow's.
        Image.MAX_IMAGE_PIXELS = None

    def put(self, data: bytes, *, name: str = "", mime: str = "") -> Stored:
        """Store ``data``.

        Args:
            name: a file name, whose suffix tells the type when the bytes do not.
            mime: a type somebody said it is.

        Raises:
            ExcerptaError: ``EMPTY_FILE``, ``UNSUPPORTED_TYPE``, ``FILE_TOO_LARGE`` or
                ``PARSE_FAILED`` when it is no image that can be opened.
        """
        if not data:
            raise ExcerptaError(ErrorCode.EMPTY_FILE, "The image is empty.")
        asset_id = hashlib.sha256(data).hexdigest()
        said = mime or mimetypes.guess_type(name)[0] or ""
        width = height = None
        thumb: bytes | None = None
        if said.startswith(_OTHER_MEDIA):
            kind = said
        else:
            kind, width, height, thumb = self._picture(data)
        path = self._home.media_file(asset_id)
        is_new = not renew(path)
        if is_new:
            write_atomic(path, data)
        if thumb is not None:
            _keep_thumb(self._home.thumb_file(asset_id), thumb)
        return Stored(asset_id, kind, len(data), width, height, thumb is not None, is_new)

    def _picture(self, data: bytes) -> tuple[str, int | None, int | None, bytes | None]:
        """Media type, size and thumbnail (PNG); of a drawing the type alone."""
        try:
            with warnings.catch_warnings(), Image.open(io.BytesIO(data)) as image:
                warnings.simplefilter("ignore")
                width, height = image.size
                if width * height > self._max_pixels:
                    raise ExcerptaError(
                        ErrorCode.FILE_TOO_LARGE, f"The image has {width} x {height} pixels."
                    )
                kind = Image.MIME.get(image.format or "", "application/octet-stream")
                return kind, width, height, self._thumb(image)
        except ExcerptaError:
            raise
        except UnidentifiedImageError as exc:
            if is_svg(data):
                return SVG, None, None, None
            raise ExcerptaError(ErrorCode.UNSUPPORTED_TYPE, "The file is no known image.") from exc
        except MemoryError:
            raise
        # Pillow's decoders raise whatever a damaged file leads them to.
        except Exception as exc:
            raise ExcerptaError(
                ErrorCode.PARSE_FAILED, f"The image is damaged ({type(exc).__name__})."
            ) from exc

    def _thumb(self, image: Image.Image) -> bytes:
        side = self._thumb_pixels
        image.draft("RGB", (2 * side, 2 * side))
        small = in_eight_bits(image)
        if small.mode not in ("RGB", "RGBA", "L", "LA"):
            transparent = "transparency" in image.info or image.mode in ("PA", "La", "RGBa")
            small = small.convert("RGBA" if transparent else "RGB")
        small = ImageOps.exif_transpose(small)
        small.thumbnail((side, side))
        out = io.BytesIO()
        small.save(out, "PNG", compress_level=3)
        return out.getvalue()


def _keep_thumb(path: Path, data: bytes) -> None:
    """Whole or not at all, but not forced to disk: a thumbnail can always be made again."""
    if renew(path):
        return
    temporary = temporary_beside(path)
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
