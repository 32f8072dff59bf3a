"""Page two: documents, their versions, sections and chunks (DEV_SPEC 3.5.5.3)."""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_app.console.forms import given, offset
from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.rendering import page
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.catalog_lists import DocumentFilter
from rag_query.library.served import ServedChunk
from rag_query.library.snapshot import Snapshot
from rag_query.library.versions import version_meant
from rag_query.text.pictures import ASSET_SCHEME

_ROWS = 50
_CHUNKS = 100
#: Characters of a preview; the rest is in ``excerpta show --md`` and library_get_document.
_PREVIEW_CHARS = 40_000
STATUSES = ("active", "failed", "removed", "pending")
#: Orders of the list and how they are called; the first is the one it has by itself.
ORDERS = {
    "title": "by title",
    "source_uri": "by address",
    "-created_at": "newest first",
    "created_at": "oldest first",
    "-updated_at": "last changed first",
}


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/documents``, ``/documents/{doc_id}``, ``/chunks/{chunk_id}``"""
    pages = _DocumentPages(library)
    return [
        Route("/documents", pages.listing),
        Route("/documents/{doc_id}", pages.document),
        Route("/chunks/{chunk_id}", pages.chunk),
    ]


class _DocumentPages:
    """The pages of documents and chunks."""

    def __init__(self, library: ConsoleLibrary) -> None:
        self._library = library

    def listing(self, request: Request) -> Response:
        catalog = self._library.snapshot().catalog
        only = DocumentFilter(
            collection=given(request, "collection"),
            tag=given(request, "tag"),
            language=given(request, "language"),
            status=given(request, "status"),
            text=given(request, "text"),
        )
        found = catalog.list_documents(
            only,
            order=given(request, "order") or "title",
            limit=_ROWS,
            cursor=given(request, "cursor"),
        )
        return page(
            request,
            "documents.html",
            found=found,
            unknown=[] if found.total else catalog.unknown_values(only),
            collections=list(catalog.collections()),
            statuses=STATUSES,
            orders=ORDERS,
        )

    def document(self, request: Request) -> Response:
        catalog = self._library.snapshot().catalog
        doc_id, named = request.path_params["doc_id"], given(request, "version")
        detail = catalog.get_document(doc_id)
        version = version_meant(detail, named).version_id if named else None
        if version:
            detail = catalog.get_document(doc_id, version)
        ready = detail.version_id is not None and detail.chunks > 0
        start = offset(request, "from")
        return page(
            request,
            "document.html",
            detail=detail,
            chosen=version,
            sections=catalog.document_sections(doc_id, version) if ready else [],
            chunks=catalog.document_chunks(doc_id, version, offset=start, limit=_CHUNKS)
            if ready
            else [],
            offset=start,
            limit=_CHUNKS,
            preview=_preview(catalog.document_markdown(doc_id, version)) if ready else None,
        )

    def chunk(self, request: Request) -> Response:
        snapshot = self._library.snapshot()
        shown = served_chunk(snapshot, request.path_params["chunk_id"], given(request, "version"))
        edges = snapshot.links.edges(shown.chunk_id)[:_ROWS]
        linked = {c.chunk_id: c for c in snapshot.chunks([edge.chunk_id for edge in edges])}
        return page(
            request,
            "chunk.html",
            chunk=shown,
            drawable=shown.format == "pdf" and bool(shown.places),
            edges=[(edge, linked[edge.chunk_id]) for edge in edges if edge.chunk_id in linked],
        )


def served_chunk(snapshot: Snapshot, chunk_id: str, version_id: str | None) -> ServedChunk:
    """A chunk of the snapshot. Raises ExcerptaError ``CHUNK_NOT_FOUND``."""
    try:
        found = snapshot.chunks([chunk_id], version_id)
    except ValueError:
        found = []
    if not found:
        raise ExcerptaError(
            ErrorCode.CHUNK_NOT_FOUND,
            f"Snapshot {snapshot.number} holds no chunk {chunk_id[:80]!r}.",
            hint="The document may have changed since; search for it under Documents.",
        )
    return found[0]


def _preview(markdown: str) -> dict[str, Any]:
    return {
        "html": Markup(_MARKDOWN.render(markdown[:_PREVIEW_CHARS])),
        "cut": len(markdown) > _PREVIEW_CHARS,
        "chars": len(markdown),
    }


def _image(_renderer: Any, tokens: list[Token], index: int, *_: Any) -> str:
    """The library's own images; a picture from elsewhere would call another server."""
    token = tokens[index]
    source = str(token.attrGet("src") or "")
    if not source.startswith(ASSET_SCHEME):
        return str(Markup("<code>{}</code>").format(token.content or source))
    asset_id = source.removeprefix(ASSET_SCHEME)
    return str(
        Markup('<img src="/media/{}" alt="{}" loading="lazy">').format(asset_id, token.content)
    )


class _Preview(MarkdownIt):
    """Text of documents: raw HTML is shown as text, and links to scripts are no links."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 (markdown-it's name)
        """Whether a link may be followed."""
        return url.startswith(_LINKS) or ":" not in url


_LINKS = ("http://", "https://", "mailto:", ASSET_SCHEME)
_MARKDOWN = _Preview("gfm-like", {"html": False, "linkify": False})
_MARKDOWN.add_render_rule("image", _image)
