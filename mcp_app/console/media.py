"""Pictures of documents, and pages with the boxes of a passage drawn on them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_app.console.documents import served_chunk
from mcp_app.console.forms import given
from mcp_app.console.library import ConsoleLibrary
from rag_query.library.media import read_media
from rag_query.library.media_type import describe_media

#: What a browser may show. An SVG can hold scripts, so it runs nothing.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "Cache-Control": "private, max-age=86400, immutable",
}


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/media/{asset_id}``, ``/chunks/{chunk_id}/page.png``"""

    def medium(request: Request) -> Response:
        data = read_media(
            library.home,
            request.path_params["asset_id"],
            thumbnail=given(request, "thumb") is not None,
        )
        return Response(data, media_type=describe_media(data).mime, headers=_HEADERS)

    def sheet(request: Request) -> Response:
        from rag_query.library.page_image import page_image

        snapshot = library.snapshot()
        chunk = served_chunk(snapshot, request.path_params["chunk_id"], given(request, "version"))
        pdf = snapshot.catalog.document_bytes(chunk.doc_id, chunk.version_id)
        return Response(page_image(pdf, chunk.places), media_type="image/png", headers=_HEADERS)

    return [Route("/media/{asset_id}", medium), Route("/chunks/{chunk_id}/page.png", sheet)]
