"""``linker.markdown``: where the links of a Markdown text lead.

Links are those of the syntax tree, so code holds none; ``<a href>`` in HTML counts too, and what
``![[name]]`` embeds unless it is an image. A relative path is resolved against the document's own
path inside its root, and never out of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import unquote

from pydantic import Field

from rag_assets.links.addresses import bare_addresses
from rag_assets.links.base import FoundLink
from rag_assets.links.section_references import section_references
from rag_assets.markdown_tree import characters_of_bytes, parse_events
from rag_assets.sources.formats import format_of, names_image
from rag_query.library.sources import source_uri
from rag_query.providers.registry import Params, register
from rag_query.text.ids import doc_id
from rag_query.text.slugs import fragment_slug

_REFERENCES = frozenset({"Reference", "Collapsed", "Shortcut"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_HREF = re.compile(
    r"""<a\s[^<>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
#: What wiki links name with its suffix; the last dot of other names is part of the title.
_MEDIA = re.compile(
    r"\.(?:avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp"
    r"|3gp|aac|flac|m4a|mp3|oga|ogg|opus|wav|avi|m4v|mkv|mov|mp4|mpeg|ogv|webm"
    r"|canvas|csv|docx?|epub|od[pst]|pptx?|rtf|tsv|xlsx?|zip)",
    re.IGNORECASE,
)


class MarkdownLinkerParams(Params):
    """Parameters of ``linker.markdown``."""

    wiki_suffix: str = Field(".md", description="added to [[names]] without that of a file")
    section_references: bool = Field(
        True, description="words such as 'see section 3.2' lead to the heading of that number"
    )
    shared_terms: int = Field(
        0,
        ge=0,
        le=20,
        description="links of a chunk to others of its document that share its rare terms, at most",
    )
    max_links: int = Field(10_000, ge=1, description="of one document; the rest is left out")


class MarkdownLinker:
    """See the module."""

    def __init__(self, params: MarkdownLinkerParams) -> None:
        self._params = params

    @property
    def shared_terms(self) -> int:
        """Links of a chunk to others by shared rare terms, at most."""
        return self._params.shared_terms

    @property
    def max_links(self) -> int:
        """Links of one document that are followed, at most."""
        return self._params.max_links

    def links(self, md: str, *, root: str, rel_path: str, own_uri: str) -> list[FoundLink]:
        """The links of ``md`` in order, then what it says of its own numbered sections.

        Args:
            root: name of the document's root.
            rel_path: POSIX path of the document inside it.
            own_uri: the document's ``source_uri``, the target of ``#anchors``.
        """
        found: list[FoundLink] = []
        bare = ((start, "bare", address, "") for start, address in bare_addresses(md))
        for start, kind, target, text in sorted([*_written_links(md), *bare]):
            if len(found) == self._params.max_links:
                break
            resolved = self._resolve(kind, target, root, rel_path, own_uri)
            if resolved is not None:
                uri, internal, anchor, kind_of = resolved
                found.append(
                    FoundLink(start, kind_of, text, uri, doc_id(uri) if internal else None, anchor)
                )
        if self._params.section_references:
            room = self._params.max_links - len(found)
            found += section_references(md, own_uri, room)
        return found

    def _resolve(
        self, kind: str, target: str, root: str, rel_path: str, own_uri: str
    ) -> tuple[str, bool, str | None, str] | None:
        """(target_uri, lies inside the root, anchor, kind); None for a link to nowhere."""
        target = target.strip()
        if _SCHEME.match(target) or target.startswith("//"):
            return target, False, None, "external"
        path, _, fragment = target.partition("#")
        anchor = fragment_slug(unquote(fragment)) or None
        path = unquote(path.partition("?")[0]) if kind != "wiki" else path
        if not path:
            return (own_uri, True, anchor, kind) if anchor else None
        if path.startswith("/"):
            # Only the site's own configuration knows which file such an address is.
            return target, False, anchor, kind
        if kind == "wiki" and not _names_file(path):
            path += self._params.wiki_suffix
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(rel_path), path))
        if inside == ".." or inside.startswith("../") or "\x00" in inside:
            return target, False, anchor, kind
        return source_uri(root, inside), True, anchor, kind


def _names_file(path: str) -> bool:
    """Whether a wiki link's path ends with the suffix of a document or of media."""
    suffix = posixpath.splitext(path)[1]
    return format_of(path) is not None or _MEDIA.fullmatch(suffix) is not None


def _written_links(md: str) -> Iterator[tuple[int, str, str, str]]:
    """(start, kind, target, text) of each link, images left out."""
    if not _MAY_LINK.search(md):
        return
    place = None if md.isascii() else characters_of_bytes(md)
    pending: tuple[int, str, str] | None = None
    opened = ""  # The kind of element that is pending: a link, which may hold images, or an image.
    text: list[str] = []
    for event, span in parse_events(md):
        if type(event) is not dict:
            text.append(" ")
        elif "Text" in event or "Code" in event:
            text.append(event.get("Text") or event.get("Code") or "")
        elif pending is not None:
            if event.get("End") == opened:
                start, kind, target = pending
                yield start, kind, target, "".join(text).strip()
                pending = None
        elif "InlineHtml" in event:
            start = span["start"] if place is None else int(place[span["start"]])
            yield from _hrefs(event["InlineHtml"], start)
        elif (tag := event.get("Start")) == "HtmlBlock":
            # Its events are lines, and an element can be several.
            start, end = span["start"], span["end"]
            if place is not None:
                start, end = int(place[start]), int(place[end])
            yield from _hrefs(md[start:end], start)
        elif type(tag) is dict and (led := _link_of(tag)):
            start = span["start"] if place is None else int(place[span["start"]])
            pending, opened = (start, *led), next(iter(tag))
            text = []


def _link_of(tag: dict[str, Any]) -> tuple[str, str] | None:
    """(kind, target) of a link or an embedded document that begins with ``tag``."""
    link = tag.get("Link") or tag.get("Image")
    if link is None or link["link_type"] == "Email":
        return None
    kind, target = _kind(link["link_type"]), link["dest_url"]
    if kind == "wiki" and target.strip("_").lower() == "toc":
        return None  # Where a list of contents is put.
    if kind == "wiki":
        # In a table the bar before other words has to be escaped.
        target = target.removesuffix("\\")
    if "Image" in tag and (kind != "wiki" or names_image(target.partition("#")[0])):
        return None
    return kind, target


def _hrefs(html: str, start: int) -> Iterator[tuple[int, str, str, str]]:
    """The links in ``html``, which stands at ``start``, as :func:`_written_links` has them."""
    if "<!--" in html:
        html = _COMMENT.sub(lambda comment: " " * len(comment[0]), html)
    for found in _HREF.finditer(html):
        target = unescape(found[1] or found[2] or found[3] or "")
        yield start + found.start(), "link", target, ""


_MAY_LINK = re.compile(r"\]\(|\]\[|\[\[|\]:|<[a-zA-Z]")


def _kind(link_type: str | dict[str, Any]) -> str:
    if isinstance(link_type, dict):
        return "wiki"
    return "reference" if link_type in _REFERENCES else "link"


register("linker.markdown", version="10", params=MarkdownLinkerParams, build=MarkdownLinker)
