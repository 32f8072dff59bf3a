"""Media by ``asset_id``, the only way any of them is ever served (DESIGN 7)."""

from __future__ import annotations

import re
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home

_ASSET_ID = re.compile(r"[0-9a-f]{64}")


def media_path(home: Home, asset_id: str, *, thumbnail: bool = False) -> Path:
    """The file of a medium, or of its thumbnail.

    Args:
        asset_id: sha256 of its bytes, 64 lower-case hex digits; anything else never reaches the
            file system.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND``.
    """
    if _ASSET_ID.fullmatch(asset_id):
        path = home.thumb_file(asset_id) if thumbnail else home.media_file(asset_id)
        if path.is_file():
            return path
    known = thumbnail and _ASSET_ID.fullmatch(asset_id) and home.media_file(asset_id).is_file()
    raise ExcerptaError(
        ErrorCode.ASSET_NOT_FOUND,
        "There is no such medium in this library." if not known else "It has no thumbnail.",
        hint="Ask for variant raw."
        if known
        else "Use an asset_id from evidence or from `library_get_document`.",
    )


def read_media(home: Home, asset_id: str, *, thumbnail: bool = False) -> bytes:
    """Its bytes. Raises ExcerptaError ``ASSET_NOT_FOUND``."""
    return media_path(home, asset_id, thumbnail=thumbnail).read_bytes()
