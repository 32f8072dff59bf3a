"""``linker.markdown``: where the links of a Markdown text lead.

Links are those of the syntax tree, so code holds none; ``<a href>`` in HTML counts too. A relative
path is resolved against the document's own path inside its root, and never out of it.
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
from rag_assets.sections.blocks import characters_of_bytes, parse_events
from rag_assets.sources.formats import format_of
from rag_query.library.settings import source_uri
from rag_query.providers.registry import Params, register
from rag_query.text.ids import doc_id
from rag_query.text.slugs import heading_slug

_REFERENCES = frozenset({"Reference", "Collapsed", "Shortcut"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_HREF = re.compile(
    r"""<a\s[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""", re.IGNORECASE
)
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
        0, ge=0, le=20, description="links of a chunk to others that share its rare terms, at most"
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
        for start, kind, target, text in sorted([*_written(md), *bare]):
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
        anchor = heading_slug(unquote(fragment)) or None
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


def _written(md: str) -> Iterator[tuple[int, str, str, str]]:
    """(start, kind, target, text) of each link, images left out."""
    if not _MAY_LINK.search(md):
        return
    place = None if md.isascii() else characters_of_bytes(md)
    pending: tuple[int, str, str] | None = None
    text: list[str] = []
    for event, span in parse_events(md):
        if type(event) is not dict:
            text.append(" ")
        elif "Text" in event or "Code" in event:
            text.append(event.get("Text") or event.get("Code") or "")
        elif pending is not None:
            if event.get("End") == "Link":
                start, kind, target = pending
                yield start, kind, target, "".join(text).strip()
                pending = None
        elif "Start" in event:
            link = event["Start"].get("Link") if isinstance(event["Start"], dict) else None
            if link is not None and link["link_type"] != "Email":
                start = span["start"] if place is None else int(place[span["start"]])
                pending = start, _kind(link["link_type"]), link["dest_url"]
                text = []
        else:
            html = event.get("InlineHtml") or event.get("Html") or ""
            for match in _HREF.finditer(html):
                start = span["start"] if place is None else int(place[span["start"]])
                yield start, "link", unescape(match[1] or match[2] or match[3] or ""), ""


_MAY_LINK = re.compile(r"\]\(|\]\[|\[\[|^ {0,3}\[[^\]]+\]:|<[a-zA-Z]", re.MULTILINE)


def _kind(link_type: str | dict[str, Any]) -> str:
    if isinstance(link_type, dict):
        return "wiki"
    return "reference" if link_type in _REFERENCES else "link"


def _build(params: MarkdownLinkerParams) -> MarkdownLinker:
    return MarkdownLinker(params)


register("linker.markdown", version="6", params=MarkdownLinkerParams, build=_build)
