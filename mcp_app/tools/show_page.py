"""``library_show_page``: the page of a passage as a picture, with its boxes drawn."""

from __future__ import annotations

import base64
from functools import partial

from mcp_types import ImageContent
from pydantic import Field

from mcp_app.envelope import Answer, resource_link
from mcp_app.off_loop import off_loop
from mcp_app.reading import passage
from mcp_app.resources import MARKDOWN
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments
from rag_query.contracts.errors import ErrorCode, ExcerptaError

_MIME = "image/png"


class ShowPageArguments(ToolArguments):
    chunk_id: str = Field(min_length=1, max_length=200, description="Of a result of library_query.")
    dpi: int = Field(110, ge=36, le=200, description="Pixels an inch.")
    max_bytes: int = Field(
        2_000_000, ge=1, le=10_000_000, description="A larger picture is refused; lower the dpi."
    )


async def run(service: LibraryService, arguments: ShowPageArguments, _: Report) -> Answer:
    return await off_loop(partial(_draw, service, arguments))


def _draw(service: LibraryService, arguments: ShowPageArguments) -> Answer:
    from rag_query.library.page_image import drawn_pages, page_image

    snapshot = service.snapshot()
    chunk = passage(snapshot, arguments.chunk_id)
    if chunk.format != "pdf" or not chunk.places:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"A passage of a {chunk.format or 'text'} document stands on no page.",
            hint="library_get_document shows its text; only PDF pages can be drawn.",
        )
    pdf = snapshot.catalog.document_bytes(chunk.doc_id, chunk.version_id)
    png = page_image(pdf, chunk.places, arguments.dpi)
    if len(png) > arguments.max_bytes:
        raise ExcerptaError(
            ErrorCode.FILE_TOO_LARGE,
            f"The picture has {len(png)} bytes, more than max_bytes.",
            hint="Ask with a lower dpi.",
            details={"bytes": len(png)},
        )
    pages = drawn_pages(chunk.places)
    last = max(anchor.page for anchor in chunk.places)
    shown = f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]}-{pages[-1]}"
    if last > pages[-1]:
        shown += f" of {pages[0]}-{last}"
    encoded = base64.b64encode(png).decode()
    marked = (
        "the passage is marked in the picture"
        if arguments.level == "L2"
        else "ask with level L2 for the picture"
    )
    return Answer(
        f"**{chunk.title}** · `{chunk.source_uri}` · {shown}: {marked}."
        f"\n\n> {' '.join(chunk.chunk_text.split())[:300]}",
        {
            "chunk_id": chunk.chunk_id,
            "doc_id": chunk.doc_id,
            "pages": pages,
            "mime": _MIME,
            "bytes": len(png),
        },
        beside=[
            ImageContent(type="image", data=encoded, mime_type=_MIME),
            resource_link(f"document://{chunk.doc_id}", chunk.title, MARKDOWN),
        ],
    )


TOOL = LibraryTool(
    name="library_show_page",
    title="Show a passage on its page",
    description="""
        The PDF page a passage stands on, as a picture with the passage marked, to check a
        citation or to see a table, formula or layout as it was printed. library_query_assets
        fetches single images; library_get_document the text.
        """,
    arguments=ShowPageArguments,
    data={
        "chunk_id": {"type": "string"},
        "doc_id": {"type": "string"},
        "pages": {"type": "array", "items": {"type": "integer"}},
        "mime": {"type": "string"},
        "bytes": {"type": "integer"},
    },
    annotations=READS,
    run=run,
    place=24,
)
