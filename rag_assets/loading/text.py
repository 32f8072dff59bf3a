"""``loader.text``: plain text files; the facts are the text, with headings and tables as Markdown
has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from rag_assets.loading.base import Furniture, Loaded, LoadRequest, OutlineItem
from rag_assets.loading.decoding import decode, read_bytes
from rag_assets.loading.markdown_syntax import inline_title
from rag_assets.loading.text_furniture import furniture_lines
from rag_assets.loading.text_headings import TextMarkdown, text_as_markdown
from rag_assets.loading.text_titles import title_of
from rag_query.providers.registry import Params, register
from rag_query.text.language import markdown_language

VERSION = "10"


class TextLoader:
    """Plain text, see :mod:`.text_headings`, :mod:`.text_titles`."""

    def __init__(self, params: TextParams) -> None:
        self._max_title_chars = params.max_title_chars

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``EMPTY_FILE``, ``NOT_UTF8`` or ``BINARY_CONTENT``."""
        del request
        decoded = decode(read_bytes(data))
        read = text_as_markdown(decoded.text)
        outline = _outline(read)
        title = title_of(decoded.text, {h.line: h.title for h in read.headings})
        furniture = _furniture(decoded.text.split("\n"), read)
        return Loaded(
            loader_name="loader.text",
            loader_version=VERSION,
            parser_engine="excerpta",
            engine_version=VERSION,
            md=read.md,
            title=title if title and len(title) <= self._max_title_chars else "",
            language=markdown_language(decoded.text),
            outline=outline,
            furniture=furniture,
            summary={"furniture": Counter(kind for _, _, kind in furniture)} if furniture else {},
            warnings=decoded.warnings,
        )


def _outline(read: TextMarkdown) -> list[OutlineItem]:
    if not read.headings:
        return []
    starts = _line_starts(read.md)
    titled = ((heading, inline_title(heading.title)) for heading in read.headings)
    return [OutlineItem(h.level, title, None, starts[h.line]) for h, title in titled if title]


def _furniture(lines: Sequence[str], read: TextMarkdown) -> list[Furniture]:
    headings = {line for heading in read.headings for line in (heading.line, *heading.others)}
    kinds = furniture_lines(lines, headings)
    starts = _line_starts(read.md) if kinds else []
    return [Furniture(starts[line], starts[line + 1] - 1, kind) for line, kind in kinds.items()]


def _line_starts(md: str) -> list[int]:
    """Of each line and of one behind the last."""
    return [0, *accumulate(len(line) + 1 for line in md.split("\n"))]


class TextParams(Params):
    """``max_title_chars``: a longer first line is a paragraph, not a title."""

    max_title_chars: int = 120


register("loader.text", version=VERSION, params=TextParams, build=TextLoader)
