"""Media, documents and chunks as resources, for clients that read by URI.

``asset://{asset_id}`` (``?variant=thumb`` for its thumbnail), ``document://{doc_id}`` and
``chunk://{chunk_id}``. Tools give the same by call; a client needs only one of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from mcp_app.service import LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError

MARKDOWN = "text/markdown"
ANY_MEDIA = "application/octet-stream"

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
        "asset://{asset_id}{?variant}",
        name="asset",
        title="Image or other medium",
        description="A medium by the asset_id of a passage; variant=thumb gives its thumbnail.",
        mime_type=ANY_MEDIA,
    )
    async def asset(asset_id: str, variant: str = "raw") -> bytes:
        return await _read(partial(_asset, service, asset_id, variant))

    @server.resource(
        "document://{doc_id}",
        name="document",
        title="Document",
        description="The whole text of a document as Markdown, by the doc_id of a citation.",
        mime_type=MARKDOWN,
    )
    async def document(doc_id: str) -> str:
        return await _read(partial(_document, service, doc_id))

    @server.resource(
        "chunk://{chunk_id}",
        name="chunk",
        title="Passage",
        description="One passage and where it stands, by the chunk_id of a result.",
        mime_type=MARKDOWN,
    )
    async def chunk(chunk_id: str) -> str:
        return await _read(partial(_chunk, service, chunk_id))


async def _read(work: Callable[[], _T]) -> _T:
    """Off the event loop, with the library's failures as the protocol's."""
    try:
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except ExcerptaError as exc:
        raise (ResourceNotFoundError if exc.code in _ABSENT else ResourceError)(str(exc)) from exc


def _asset(service: LibraryService, asset_id: str, variant: str) -> bytes:
    from rag_query.library.media import read_media

    if variant not in ("raw", "thumb"):
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, "`variant` is raw or thumb.")
    return read_media(service.home, asset_id, thumbnail=variant == "thumb")


def _document(service: LibraryService, doc_id: str) -> str:
    catalog = service.snapshot().catalog
    found = catalog.get_document(doc_id)
    if found.status != "active":
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND, f"{found.title!r} has no text: it is {found.status}."
        )
    return catalog.document_markdown(found.doc_id, found.version_id)


def _chunk(service: LibraryService, chunk_id: str) -> str:
    found = service.snapshot().chunks([chunk_id])
    if not found:
        raise ExcerptaError(
            ErrorCode.CHUNK_NOT_FOUND,
            "There is no such passage in this library.",
            hint="Use a chunk_id that library_query gave.",
        )
    (chunk,) = found
    pages = f", page {chunk.page_start}" if chunk.page_start is not None else ""
    place = f"{chunk.title} · {chunk.section_path}{pages} · {chunk.source_uri}"
    read = f"\n\n*Read from its pictures by OCR:*\n\n{chunk.ocr_text}" if chunk.ocr_text else ""
    return f"*{place}*\n\n{chunk.chunk_text}{read}"
