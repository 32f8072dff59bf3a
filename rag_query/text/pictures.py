"""Pictures in Markdown: their addresses, which say nothing, and texts of nothing else, as the
pages of a scan are in the facts."""

from __future__ import annotations

import re

#: One image whose alternative text says nothing.
PICTURE = re.compile(r"!\[\s*\]\([^)\n]*\)")
#: What the addresses of pictures that are kept begin with.
ASSET_SCHEME = "asset://"
#: Of a picture that is kept; its group is the ``asset_id``.
ASSET_ADDRESS = re.compile(rf"{ASSET_SCHEME}([0-9a-f]{{16,64}})")
_KEPT = re.compile(
    rf"""!\[([^\[\]\n]*)\]\({ASSET_ADDRESS.pattern}(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\)"""
)
_ONLY = re.compile(rf"(?:\s*{PICTURE.pattern})+\s*")


def asset_uri(asset_id: str) -> str:
    """The address of a picture, or other medium, that is kept."""
    return ASSET_SCHEME + asset_id


def only_pictures(text: str) -> bool:
    """Whether ``text`` has no words: images without alternative text, and blanks."""
    return _ONLY.fullmatch(text) is not None


def address_chars(text: str, start: int = 0, end: int | None = None) -> int:
    """Characters of ``text[start:end]`` that are addresses of kept pictures."""
    end = len(text) if end is None else end
    if text.find(ASSET_SCHEME, start, end) < 0:
        return 0
    return sum(found.end() - found.start() for found in ASSET_ADDRESS.finditer(text, start, end))


def without_addresses(text: str) -> str:
    """A text less the addresses of kept pictures, of which their descriptions stay. One that is
    nothing but pictures is left as it is."""
    if ASSET_SCHEME not in text or only_pictures(text):
        return text
    return ASSET_ADDRESS.sub("", _KEPT.sub(r"\1", text))


def words_of(chunk_text: str, ocr_text: str | None) -> str:
    """A chunk's text; what was read from its pictures where it is nothing but pictures."""
    return ocr_text if ocr_text and only_pictures(chunk_text) else chunk_text
