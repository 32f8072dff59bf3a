"""Markdown that is nothing but pictures, as the pages of a scan are in the facts."""

from __future__ import annotations

import re

#: One image whose alternative text says nothing.
PICTURE = re.compile(r"!\[\s*\]\([^)\n]*\)")
_ONLY = re.compile(rf"(?:\s*{PICTURE.pattern})+\s*")


def only_pictures(text: str) -> bool:
    """Whether ``text`` has no words: images without alternative text, and blanks."""
    return _ONLY.fullmatch(text) is not None


def words_of(chunk_text: str, ocr_text: str | None) -> str:
    """A chunk's text; what was read from its pictures where it is nothing but pictures."""
    return ocr_text if ocr_text and only_pictures(chunk_text) else chunk_text
