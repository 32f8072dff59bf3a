"""``excerpta show``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_app.commands.invocation import (
    DocumentArgument,
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    table,
)
from rag_query.text.section_paths import shown_path

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentDetail, DocumentVersion
    from rag_query.library.catalog import Catalog
    from rag_query.library.served import ServedChunk
    from rag_query.library.snapshot import Snapshot

_PREVIEW = 70


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
    if chunk is not None and png is not None:
        _draw_chunk(catalog, _chunk(snapshot, detail, chunk), png, as_json)
    elif chunk is not None:
        _show_chunk(_chunk(snapshot, detail, chunk), as_json)
    elif md:
        text = catalog.document_markdown(detail.doc_id, version)
        if as_json:
            print_json(
                {"ok": True, "doc_id": detail.doc_id, "version_id": detail.version_id, "md": text}
            )
        else:
            typer.echo(text)
    elif as_json:
        print_json({"ok": True, **_as_json(catalog, detail, version)})
    else:
        _show_document(catalog, current, detail)


def _as_json(catalog: Catalog, detail: DocumentDetail, version: str | None) -> dict[str, Any]:
    sections = catalog.document_sections(detail.doc_id, version)
    chunks = catalog.document_chunks(detail.doc_id, version)
    failed = _failed(catalog, detail)
    return {
        "document": detail.model_dump(mode="json"),
        "sections": [section.model_dump(mode="json") for section in sections],
        "chunks": [
            chunk.model_dump(mode="json") | {"code": failed.get(chunk.chunk_id)} for chunk in chunks
        ],
    }


def _failed(catalog: Catalog, detail: DocumentDetail) -> dict[str, str]:
    """chunk_id -> code of the chunks shown that could not be embedded."""
    return catalog.failed_chunks([detail.version_id]).get(detail.version_id or "", {})


def _show_document(catalog: Catalog, current: DocumentDetail, detail: DocumentDetail) -> None:
    """Print the version ``detail`` of a document that is now ``current``."""
    version = detail.version_id
    out = console()
    out.print(detail.title, style="bold cyan")
    out.print(f"{detail.source_uri} · {detail.doc_id}", style="dim")
    for alias in detail.aliases:
        out.print(f"also stands at {alias}", style="dim")
    facts = [
        _standing(current, detail),
        f"version {detail.version_no} of {detail.versions}",
        detail.format,
    ]
    facts += [f"{detail.pages} pages" if detail.pages else None, detail.language, detail.collection]
    out.print(" · ".join([*filter(None, facts), *(f"#{tag}" for tag in detail.tags)]))
    if detail.code:
        out.print(f"{detail.code}: {detail.message}", style="red")
    for warning in detail.warnings:
        out.print(f"warning: {warning}", style="yellow")
    if failed := _failed(catalog, detail):
        said = f"warning: {len(failed)} of its chunks could not be embedded and cannot be found"
        out.print(f"{said}; `excerpta ingest` tries again.", style="yellow")
    if detail.outline:
        out.print("\noutline", style="bold")
        for entry in detail.outline:
            page = f"  p. {entry.page}" if entry.page else ""
            out.print(f"{'  ' * entry.level}{entry.title}{page}")
    sections = table("section", "pages", "lines", "chars", right=["chars"], title="sections")
    for section in catalog.document_sections(detail.doc_id, version):
        sections.add_row(
            shown_path(section.section_path),
            _span(section.page_start, section.page_end),
            _span(section.line_start, section.line_end),
            str(section.char_end - section.char_start),
        )
    out.print()
    out.print(sections)
    chunks = table("#", "chunk", "block", "pages", "text", right=["#"], title="chunks")
    for chunk in catalog.document_chunks(detail.doc_id, version):
        text = " ".join(chunk.words.split())
        shown = text if len(text) <= _PREVIEW else text[:_PREVIEW] + "…"
        if chunk.is_read:
            shown = f"(by OCR) {shown}"
        if code := failed.get(chunk.chunk_id):
            shown = f"({code}) {shown}"
        chunks.add_row(
            str(chunk.chunk_index),
            chunk.chunk_id,
            chunk.block_type,
            _span(chunk.page_start, chunk.page_end),
            shown,
            style="red" if code else None,
        )
    out.print(chunks)
    if len(detail.all_versions) > 1:
        versions = table("no", "version", "state", "created", right=["no"], title="versions")
        for item in detail.all_versions:
            created = f"{item.created_at:%Y-%m-%d %H:%M}" if item.created_at else ""
            versions.add_row(str(item.version_no), item.version_id, _state(current, item), created)
        out.print(versions)


def _standing(current: DocumentDetail, shown: DocumentDetail) -> str:
    """What has become of the version that is shown."""
    if shown.version_id == current.version_id:
        return current.status
    version = next(v for v in current.all_versions if v.version_id == shown.version_id)
    state = _state(current, version)
    return f"{state} by version {current.version_no}" if state == "superseded" else state


def _state(current: DocumentDetail, version: DocumentVersion) -> str:
    """What has become of a version: the one that answers is "active", whatever came after it."""
    if version.parse_status == "failed":
        return "failed"
    answers = version.version_id == current.version_id and version.status == "superseded"
    return "active" if answers and current.status == "active" else version.status


def _chunk(snapshot: Snapshot, detail: DocumentDetail, chunk_id: str) -> ServedChunk:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    wanted = chunk_id.partition("@")[0]
    found = [c for c in snapshot.chunks([wanted], detail.version_id) if c.doc_id == detail.doc_id]
    if not found and (code := _failed(snapshot.catalog, detail).get(wanted)):
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
    rest = f" of {_span(pages[0], last)}" if last > pages[-1] else ""
    typer.echo(f"{target}: page {_span(pages[0], pages[-1])}{rest}, {boxes} boxes")


def _show_chunk(chunk: ServedChunk, as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        print_json({"ok": True, "chunk": asdict(chunk)})
        return
    out = console()
    out.print(f"{chunk.title} › {shown_path(chunk.section_path)}", style="bold cyan")
    pages, lines = _span(chunk.page_start, chunk.page_end), _span(chunk.line_start, chunk.line_end)
    facts = [chunk.block_type, f"page {pages}" if pages else "", f"lines {lines}" if lines else ""]
    facts.append(f"characters {chunk.char_start}-{chunk.char_end}")
    out.print(" · ".join([*filter(None, facts), chunk.source_uri]), style="dim")
    out.print(chunk.chunk_text)
    if chunk.ocr_text:
        out.print("Read from its pictures by OCR:", style="dim")
        out.print(chunk.ocr_text)
    for anchor in chunk.places:
        if anchor.x0 is not None:
            box = f"{anchor.x0:.0f} {anchor.y0:.0f} {anchor.x1:.0f} {anchor.y1:.0f}"
            out.print(f"page {anchor.page}: {box}", style="dim")


def _span(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return str(first) if last in (None, first) else f"{first}-{last}"
