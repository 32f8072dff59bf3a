"""``loader.text``: plain text files; the facts are the text as it is."""

from __future__ import annotations

import re
from pathlib import Path

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.decoding import decode_text, read_bytes
from rag_query.providers.registry import Params, register
from rag_query.text.language import detect_language

VERSION = "2"
_TITLE = re.compile(r"^.*?[^\W_].*", re.MULTILINE)


class TextLoader:
    """Plain text. The title is the first line that says something, when short enough to be one.

    What stands above it is a rule: ``=====``.
    """

    def __init__(self, params: TextParams) -> None:
        self._max_title_chars = params.max_title_chars

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``EMPTY_FILE``, ``NOT_UTF8`` or ``BINARY_CONTENT``."""
        md = decode_text(read_bytes(data))
        found = _TITLE.search(md)
        first = found[0].strip() if found else request.name
        return Loaded(
            loader_name="loader.text",
            loader_version=VERSION,
            parser_engine="excerpta",
            engine_version=VERSION,
            md=md,
            title=first if len(first) <= self._max_title_chars else request.name,
            language=detect_language(md),
        )


class TextParams(Params):
    """``max_title_chars``: a longer first line is a paragraph, not a title."""

    max_title_chars: int = 120


register("loader.text", version=VERSION, params=TextParams, build=TextLoader)
