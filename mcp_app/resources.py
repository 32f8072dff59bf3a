"""Media, documents and chunks as resources, for clients that read by URI.

``asset://{asset_id}`` (``?variant=thumb`` for its thumbnail), ``document://{doc_id}`` and
``chunk://{chunk_id}``. Tools give the same by call; a client needs only one of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import ListResourcesResult, Resource

from mcp_app.budget import end_within
from mcp_app.cursor import decode, encode, refused
from mcp_app.off_loop import off_loop
from mcp_app.reading import Position, pages_told, passage, piece, place_line, version_with_text
from mcp_app.service import NOTHING_THERE, LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.pictures import ASSET_SCHEME, asset_uri

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentSummary, MediaListing

MARKDOWN = "text/markdown"
ANY_MEDIA = "application/octet-stream"

#: Resources on a page of the list.
PAGE = 100
_DOCUMENTS, _MEDIA = "documents", "media"
#: Tokens kept free for the note about the next piece.
_NOTE_TOKENS = 200

_T = TypeVar("_T")
_ABSENT = {
    ErrorCode.ASSET_NOT_FOUND,
    ErrorCode.CHUNK_NOT_FOUND,
    ErrorCode.DOCUMENT_NOT_FOUND,
    ErrorCode.INVALID_ARGUMENT,
}


def add_resources(server: MCPServer[Any], service: LibraryService) -> None:
    """List the templates in ``server``; what they give is of the published snapshot."""

    @server.resource(
        ASSET_SCHEME + "{asset_id}{?variant}",
        name="asset",
        title="Image or other medium",
        description="A medium by the asset_id of a passage; variant=thumb gives its thumbnail.",
        mime_type=ANY_MEDIA,
    )
    async def asset(asset_id: str, variant: str = "raw") -> bytes:
        return await _read(partial(_asset, service, asset_id, variant))

    @server.resource(
        "document://{doc_id}{?cursor}",
        name="document",
        title="Document",
        description="The text of a document as Markdown, by the doc_id of a citation. A long one "
        "comes in pieces; each ends with the URI of the next.",
        mime_type=MARKDOWN,
    )
    async def document(doc_id: str, cursor: str = "") -> str:
        return await _read(partial(_document, service, doc_id, cursor))

    @server.resource(
        "chunk://{chunk_id}",
        name="chunk",
        title="Passage",
        description="One passage and where it stands, by the chunk_id of a result.",
        mime_type=MARKDOWN,
    )
    async def chunk(chunk_id: str) -> str:
        return await _read(partial(_chunk, service, chunk_id))


async def listed_resources(service: LibraryService, cursor: str | None) -> ListResourcesResult:
    """One page of the documents, then of their media. Passages are found by asking.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for a cursor that is none.
    """
    try:
        return await off_loop(partial(_page, service, cursor))
    except ExcerptaError as exc:
        if exc.code in NOTHING_THERE:
            return ListResourcesResult(resources=[])
        raise


def typed(item: ReadResourceContents) -> ReadResourceContents:
    """A medium with the type its bytes are."""
    if not isinstance(item.content, bytes):
        return item
    from rag_query.library.media_type import describe_media

    return replace(item, mime_type=describe_media(item.content).mime)


def _page(service: LibraryService, cursor: str | None) -> ListResourcesResult:
    kind, offset = decode(cursor, str, int) if cursor else (_DOCUMENTS, 0)
    if kind not in (_DOCUMENTS, _MEDIA):
        raise refused()
    catalog = service.snapshot().catalog
    if kind == _DOCUMENTS:
        from rag_query.library.catalog_lists import DocumentFilter

        page = catalog.list_documents(
            DocumentFilter(status="active"), limit=PAGE, cursor=f"o{offset}"
        )
        listed = [_document_resource(item) for item in page.items]
        following = encode(_DOCUMENTS, offset + PAGE) if page.next_cursor else encode(_MEDIA, 0)
    else:
        media = catalog.list_media(offset=offset, limit=PAGE + 1)
        listed = [_media_resource(item) for item in media[:PAGE]]
        following = encode(_MEDIA, offset + PAGE) if len(media) > PAGE else ""
    if following == encode(_MEDIA, 0) and not catalog.list_media(limit=1):
        following = ""
    return ListResourcesResult(resources=listed, next_cursor=following or None)


def _document_resource(item: DocumentSummary) -> Resource:
    about = [item.collection, *item.tags, *([pages_told(item.pages)] if item.pages else [])]
    return Resource(
        uri=f"document://{item.doc_id}",
        name=item.name,
        title=item.title,
        description=f"{item.source_uri} · {', '.join(about)}",
        mime_type=MARKDOWN,
    )


def _media_resource(item: MediaListing) -> Resource:
    return Resource(
        uri=asset_uri(item.asset_id),
        name=item.alt or f"Medium of {item.title}",
        title=item.alt or None,
        description=f"In {item.title}",
        mime_type=item.mime or ANY_MEDIA,
        size=item.bytes,
    )


async def _read(work: Callable[[], _T]) -> _T:
    """Off the event loop, with the library's failures as the protocol's."""
    try:
        return await off_loop(work)
    except ExcerptaError as exc:
        raise (ResourceNotFoundError if exc.code in _ABSENT else ResourceError)(str(exc)) from exc


def _asset(service: LibraryService, asset_id: str, variant: str) -> bytes:
    from rag_query.library.media import read_media

    if variant not in ("raw", "thumb"):
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, "`variant` is raw or thumb.")
    return read_media(service.home, asset_id, thumbnail=variant == "thumb")


def _document(service: LibraryService, doc_id: str, cursor: str) -> str:
    catalog = service.snapshot().catalog
    start = Position.decode(cursor) if cursor else None
    if start is not None and start != Position(start.version_id, start.offset):
        raise refused()
    found = catalog.get_document(doc_id, start.version_id if start else None)
    version_id = version_with_text(found)
    text = catalog.document_markdown(found.doc_id, version_id)
    offset = start.offset if start else 0
    room = service.options.answer_tokens - _NOTE_TOKENS
    shown, following = piece(text, offset, max(1, end_within(text, offset, room) - offset))
    if following is None:
        return shown
    further = Position(version_id, following).encode()
    return f"{shown}\n\n(More: read document://{doc_id}?cursor={further})"


def _chunk(service: LibraryService, chunk_id: str) -> str:
    chunk = passage(service.snapshot(), chunk_id)
    where = place_line(chunk.section_path, chunk.page_start, chunk.page_end)
    place = f"{chunk.title} · {where} · {chunk.source_uri}"
    read = f"\n\n*Read from its pictures by OCR:*\n\n{chunk.ocr_text}" if chunk.ocr_text else ""
    return f"*{place}*\n\n{chunk.chunk_text}{read}"
