"""``loader.html``: HTML as Markdown facts.

Headings, paragraphs, lists, tables, links, images, quotations, formulas and preformatted text are
kept; scripts, styles, controls and what is hidden are not. Navigation and what else stands around
the content is furniture, put above or below it. Outline and images are read from the content's
Markdown as ``loader.markdown`` reads them. Ids that lead to headings and terms, which Markdown
does not have, stand in the parse summary as ``anchors`` and ``term_anchors``, all others with
their lines as ``line_anchors``.
"""

from __future__ import annotations

import codecs
import platform
import re
from collections.abc import Iterable
from itertools import accumulate, pairwise
from pathlib import Path

from rag_assets.loading.base import Furniture, Loaded, LoadRequest
from rag_assets.loading.decoding import decode, read_bytes
from rag_assets.loading.html.markdown import to_markdown
from rag_assets.loading.html.tree import flat
from rag_assets.loading.markdown import MarkdownLoader
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register
from rag_query.text.slugs import heading_slug

VERSION = "16"
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.I)
_DECLARED_WITHIN = 4096
_HEADING = re.compile(r"#.*")
#: Characters of the longest title or term that is kept as what an id leads to.
_MAX_ANCHORED = 500
#: What pages mean by the name of a smaller character set (WHATWG Encoding Standard, 4.2).
_MEANT = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class HtmlLoader:
    """HTML of any version, also fragments."""

    def __init__(self, params: Params) -> None:
        self._markdown = MarkdownLoader(params)

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``EMPTY_FILE``, ``NOT_UTF8`` or ``BINARY_CONTENT``."""
        decoded = decode(_as_utf8(read_bytes(data)))
        page = to_markdown(decoded.text)
        if not page.md:
            raise ExcerptaError(ErrorCode.EMPTY_FILE, "The page holds no text.")
        loaded = self._markdown.load(page.md.encode("utf-8", "replace"), request)
        loaded.loader_name, loaded.loader_version = "loader.html", VERSION
        loaded.parser_engine, loaded.engine_version = "html.parser", platform.python_version()
        loaded.title = " ".join((page.title or loaded.title).split())
        loaded.metadata = dict(page.metadata)
        loaded.warnings = decoded.warnings + loaded.warnings
        if anchors := _anchors(page.anchors, loaded):
            loaded.summary["anchors"] = anchors
        if terms := {name: line for name, line in page.terms.items() if len(line) <= _MAX_ANCHORED}:
            loaded.summary["term_anchors"] = terms
        if page.places:
            above = sum(text.count("\n") + 2 for text in page.before)
            loaded.summary["line_anchors"] = {
                name: line + above + 1 for name, line in page.places.items()
            }
        _put_around(loaded, page.before, page.after)
        loaded.tags = _tags(page.metadata.get("keywords", ""), page.title)
        return loaded


def _tags(keywords: str, title: str) -> list[str]:
    """The keywords of a page. Texinfo gives each the words of its title, which tell no more."""
    if flat(keywords) == title:
        return []
    words = map(str.strip, keywords.split(","))
    return [word for word in words if word and word != title]


def _put_around(loaded: Loaded, before: list[str], after: list[str]) -> None:
    """Add to the facts what is none of the page's content, as furniture.

    A range has the blank line that parts it from the content.
    """
    if not before and not after:
        return
    above = [f"{text}\n\n" for text in before]
    below = [f"\n\n{text}" for text in after]
    characters = sum(map(len, above))
    lines = sum(text.count("\n") for text in above)
    ranges = [*_ranges(0, above), *_ranges(characters + len(loaded.md), below)]
    loaded.md = "".join([*above, loaded.md, *below])
    loaded.outline = [
        item._replace(char_start=_plus(item.char_start, characters)) for item in loaded.outline
    ]
    loaded.media_refs = [
        reference._replace(
            char_start=_plus(reference.char_start, characters),
            char_end=_plus(reference.char_end, characters),
            line_start=_plus(reference.line_start, lines),
            line_end=_plus(reference.line_end, lines),
        )
        for reference in loaded.media_refs
    ]
    loaded.furniture = [Furniture(start, end, "navigation") for start, end in ranges]
    loaded.summary["furniture"] = {"navigation": len(ranges)}


def _ranges(start: int, texts: list[str]) -> Iterable[tuple[int, int]]:
    return pairwise(accumulate(map(len, texts), initial=start))


def _plus(place: int | None, distance: int) -> int | None:
    return None if place is None else place + distance


def _anchors(headings: dict[str, str], loaded: Loaded) -> dict[str, str]:
    """Id -> title in the outline of the heading it leads to, for links to ``page.html#id``. An id
    that means the same as the heading's slug is left out.

    Args:
        headings: id -> Markdown of the heading.
    """
    titles: dict[str, str] = {}
    for item in loaded.outline:
        # Without what may stand before a heading in a list or a quotation.
        heading = _HEADING.search(loaded.md, item.char_start or 0)
        if heading and len(item.title) <= _MAX_ANCHORED:
            titles[heading[0]] = item.title
    return {
        name: titles[line]
        for name, line in headings.items()
        if line in titles and heading_slug(name) != heading_slug(titles[line])
    }


def _as_utf8(data: bytes) -> bytes:
    """The bytes in UTF-8 when the page declares another encoding that Python knows."""
    declared = _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is None or data.startswith(_MARKS):
        return data
    try:
        name = codecs.lookup(declared[1].decode()).name
        # A page that says UTF-16 in ASCII letters is not.
        return data if name.startswith("utf") else data.decode(_MEANT.get(name, name)).encode()
    except (LookupError, UnicodeError):
        return data


register("loader.html", version=VERSION, build=HtmlLoader)
