"""``excerpta show``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_app.commands.document_view import (
    failed_chunks,
    show_chunk,
    show_document,
    shown_span,
)
from mcp_app.commands.invocation import (
    DocumentArgument,
    HomeOption,
    JsonOption,
    command,
    print_json,
    print_text,
    resolve_home,
)

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentDetail
    from rag_query.library.catalog import Catalog
    from rag_query.library.served import ServedChunk
    from rag_query.library.snapshot import Snapshot


@command
def show(
    document: DocumentArgument,
    *,
    chunk: Annotated[
        str | None, typer.Option(metavar="ID", help="One chunk: its text and where it stands.")
    ] = None,
    md: Annotated[bool, typer.Option("--md", help="The document's text as Markdown.")] = False,
    version: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="Another version than the newest: id or number."),
    ] = None,
    png: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --chunk: its PDF pages as a picture, its boxes drawn."
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a document: its versions, outline, sections and chunks."""
    from rag_query.library.snapshot import Library
    from rag_query.library.versions import version_meant

    if png is not None and chunk is None:
        raise _png_alone()

    snapshot = Library.open(resolve_home(home)).snapshot()
    catalog = snapshot.catalog
    current = detail = catalog.get_document(catalog.resolve_document(document))
    if version is not None:
        version = version_meant(current, version).version_id
        detail = catalog.get_document(current.doc_id, version)
    if chunk is not None:
        served = _chunk(snapshot, detail, chunk)
        if png is not None:
            _draw_chunk(catalog, served, png, as_json)
        elif as_json:
            print_json({"ok": True, "chunk": asdict(served)})
        else:
            show_chunk(served)
    elif md:
        _show_markdown(catalog, detail, version, as_json)
    elif as_json:
        print_json({"ok": True, **_as_json(catalog, detail, version)})
    else:
        show_document(catalog, current, detail)


def _show_markdown(
    catalog: Catalog, detail: DocumentDetail, version: str | None, as_json: bool
) -> None:
    text = catalog.document_markdown(detail.doc_id, version)
    if as_json:
        ids = {"doc_id": detail.doc_id, "version_id": detail.version_id}
        print_json({"ok": True, **ids, "md": text})
    else:
        print_text(text)


def _as_json(catalog: Catalog, detail: DocumentDetail, version: str | None) -> dict[str, Any]:
    sections = catalog.document_sections(detail.doc_id, version)
    chunks = catalog.document_chunks(detail.doc_id, version)
    failed = failed_chunks(catalog, detail)
    return {
        "document": detail.model_dump(mode="json"),
        "sections": [section.model_dump(mode="json") for section in sections],
        "chunks": [
            chunk.model_dump(mode="json") | {"code": failed.get(chunk.chunk_id)} for chunk in chunks
        ],
    }


def _chunk(snapshot: Snapshot, detail: DocumentDetail, chunk_id: str) -> ServedChunk:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    wanted = chunk_id.partition("@")[0]
    found = [c for c in snapshot.chunks([chunk_id], detail.version_id) if c.doc_id == detail.doc_id]
    if not found and (code := failed_chunks(snapshot.catalog, detail).get(wanted)):
        raise ExcerptaError(
            ErrorCode.CHUNK_NOT_FOUND,
            f"The chunk {wanted!r} could not be embedded ({code}) and is in no index.",
            hint="`excerpta ingest` tries again; `excerpta show DOC --json` has its text.",
        )
    if not found:
        raise ExcerptaError(
            ErrorCode.CHUNK_NOT_FOUND,
            f"This document has no chunk {chunk_id!r}.",
            hint="`excerpta show DOC` lists its chunks.",
        )
    return found[0]


def _png_alone() -> Exception:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "--png draws a chunk and needs --chunk.",
        hint="`excerpta show DOC` lists its chunks.",
    )


def _draw_chunk(catalog: Catalog, chunk: ServedChunk, target: Path, as_json: bool) -> None:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.library.page_image import drawn_pages, page_image

    if chunk.format != "pdf" or not chunk.places:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"A chunk of a {chunk.format or 'text'} document stands on no page; "
            "only PDF pages can be drawn.",
            hint="Leave out --png to see its text and lines.",
        )
    data = page_image(catalog.document_bytes(chunk.doc_id, chunk.version_id), chunk.places)
    try:
        target.write_bytes(data)
    except OSError as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT, f"{target.name} cannot be written: {exc.strerror}."
        ) from exc
    pages = drawn_pages(chunk.places)
    if as_json:
        print_json({"ok": True, "chunk_id": chunk.chunk_id, "pages": pages, "png_bytes": len(data)})
        return
    boxes = sum(anchor.page in pages and anchor.x0 is not None for anchor in chunk.places)
    last = max(anchor.page for anchor in chunk.places)
    rest = f" of {shown_span(pages[0], last)}" if last > pages[-1] else ""
    print_text(f"{target}: page {shown_span(pages[0], pages[-1])}{rest}, {boxes} boxes")
