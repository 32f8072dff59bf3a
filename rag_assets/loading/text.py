"""``loader.text``: plain text files; the facts are the text, with its headings as Markdown's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from rag_assets.loading.base import Loaded, LoadRequest, OutlineItem
from rag_assets.loading.decoding import decode, read_bytes
from rag_assets.loading.markdown_syntax import inline_title
from rag_assets.loading.text_headings import TextMarkdown, text_as_markdown, without_roles
from rag_query.providers.registry import Params, register
from rag_query.text.language import markdown_language

VERSION = "4"
_WORD = re.compile(r"[^\W_]")
#: Explicit markup of reStructuredText, with what is indented below it.
_MARKUP = re.compile(r"\.\.(?: |$)")
#: Fields, attributes, anchors and comments of RST and AsciiDoc, and what editors are told.
_NO_TITLE = re.compile(r":[\w -]+:(?:[ \t]|$)|\[.*\]$|//|.*-\*-.*-\*-")
_HASHES = re.compile(r"#{1,6}[ \t]+")


class TextLoader:
    """Plain text. The title is the first line that says something, when short enough to be one.

    What stands above it is markup: ``=====``, ``.. _label:``.
    """

    def __init__(self, params: TextParams) -> None:
        self._max_title_chars = params.max_title_chars

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``EMPTY_FILE``, ``NOT_UTF8`` or ``BINARY_CONTENT``."""
        decoded = decode(read_bytes(data))
        read = text_as_markdown(decoded.text)
        outline = _outline(read)
        title = _title(decoded.text.split("\n"), {h.line: h.title for h in read.headings})
        return Loaded(
            loader_name="loader.text",
            loader_version=VERSION,
            parser_engine="excerpta",
            engine_version=VERSION,
            md=read.md,
            title=title if title and len(title) <= self._max_title_chars else request.name,
            language=markdown_language(decoded.text),
            outline=outline,
            warnings=decoded.warnings,
        )


def _outline(read: TextMarkdown) -> list[OutlineItem]:
    if not read.headings:
        return []
    starts = [0, *accumulate(len(line) + 1 for line in read.md.split("\n"))]
    titled = ((heading, inline_title(heading.title)) for heading in read.headings)
    return [OutlineItem(h.level, title, None, starts[h.line]) for h, title in titled if title]


def _title(lines: Sequence[str], headings: dict[int, str]) -> str:
    """The first line that says something and is no markup; empty when there is none."""
    number = next(_telling(lines), None)
    if number is None:
        return ""
    if number in headings:
        return inline_title(headings[number])
    line = lines[number].strip()
    line = _HASHES.sub("", line, count=1) if _HASHES.match(line) else line
    return line if ":`" not in line else inline_title(without_roles(line))


def _telling(lines: Sequence[str]) -> Iterator[int]:
    within = False
    for number, line in enumerate(lines):
        if within and (not line.strip() or line[0].isspace()):
            continue
        within = _MARKUP.match(line) is not None
        if not within and _WORD.search(line) and not _NO_TITLE.match(line.strip()):
            yield number


class TextParams(Params):
    """``max_title_chars``: a longer first line is a paragraph, not a title."""

    max_title_chars: int = 120


register("loader.text", version=VERSION, params=TextParams, build=TextLoader)
