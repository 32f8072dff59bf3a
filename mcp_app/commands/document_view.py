"""A document, or one of its chunks, as a person wants to read it in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcp_app.commands.invocation import console, table
from rag_query.text.section_paths import shown_path

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rag_query.contracts.documents import DocumentDetail, DocumentVersion
    from rag_query.library.catalog import Catalog
    from rag_query.library.served import ServedChunk

#: Characters of a chunk's text in the list of chunks.
_PREVIEW = 70


def show_document(catalog: Catalog, current: DocumentDetail, detail: DocumentDetail) -> None:
    """Print the version ``detail`` of a document that is now ``current``."""
    failed = failed_chunks(catalog, detail)
    out = console()
    _print_facts(out, current, detail, len(failed))
    if detail.outline:
        out.print("\noutline", style="bold")
        for entry in detail.outline:
            page = f"  p. {entry.page}" if entry.page else ""
            out.print(f"{'  ' * entry.level}{entry.title}{page}")
    out.print()
    out.print(_sections(catalog, detail))
    out.print(_chunks(catalog, detail, failed))
    if len(detail.all_versions) > 1:
        out.print(_versions(current, detail))


def _print_facts(
    out: Console, current: DocumentDetail, detail: DocumentDetail, failed: int
) -> None:
    """Title, names, state and warnings; ``failed`` is how many chunks could not be embedded."""
    from mcp_app.reading import pages_told

    out.print(detail.title, style="bold cyan")
    out.print(f"{detail.source_uri} · {detail.doc_id}", style="dim")
    for alias in detail.aliases:
        out.print(f"also stands at {alias}", style="dim")
    facts = [
        _standing(current, detail),
        f"version {detail.version_no} of {detail.versions}",
        detail.format,
        pages_told(detail.pages) if detail.pages else None,
        detail.language,
        detail.collection,
    ]
    out.print(" · ".join([*filter(None, facts), *(f"#{tag}" for tag in detail.tags)]))
    if detail.code:
        out.print(f"{detail.code}: {detail.message}", style="red")
    for warning in detail.warnings:
        out.print(f"warning: {warning}", style="yellow")
    if failed:
        said = f"warning: {failed} of its chunks could not be embedded and cannot be found"
        out.print(f"{said}; `excerpta ingest` tries again.", style="yellow")


def _sections(catalog: Catalog, detail: DocumentDetail) -> Table:
    shown = table("section", "pages", "lines", "chars", right=["chars"], title="sections")
    for section in catalog.document_sections(detail.doc_id, detail.version_id):
        shown.add_row(
            shown_path(section.section_path),
            shown_span(section.page_start, section.page_end),
            shown_span(section.line_start, section.line_end),
            str(section.char_end - section.char_start),
        )
    return shown


def _chunks(catalog: Catalog, detail: DocumentDetail, failed: Mapping[str, str]) -> Table:
    """``failed``: chunk_id -> code of those that could not be embedded."""
    shown = table("#", "chunk", "block", "pages", "text", right=["#"], title="chunks")
    for chunk in catalog.document_chunks(detail.doc_id, detail.version_id):
        text = " ".join(chunk.words.split())
        text = text if len(text) <= _PREVIEW else text[:_PREVIEW] + "…"
        if chunk.is_read:
            text = f"(by OCR) {text}"
        if code := failed.get(chunk.chunk_id):
            text = f"({code}) {text}"
        shown.add_row(
            str(chunk.chunk_index),
            chunk.chunk_id,
            chunk.block_type,
            shown_span(chunk.page_start, chunk.page_end),
            text,
            style="red" if code else None,
        )
    return shown


def _versions(current: DocumentDetail, detail: DocumentDetail) -> Table:
    shown = table("no", "version", "state", "created", right=["no"], title="versions")
    for item in detail.all_versions:
        created = f"{item.created_at:%Y-%m-%d %H:%M}" if item.created_at else ""
        shown.add_row(str(item.version_no), item.version_id, _state(current, item), created)
    return shown


def show_chunk(chunk: ServedChunk) -> None:
    """Print a chunk: what it is, its text, and the boxes it stands in."""
    out = console()
    out.print(f"{chunk.title} › {shown_path(chunk.section_path)}", style="bold cyan")
    pages, lines = (
        shown_span(chunk.page_start, chunk.page_end),
        shown_span(chunk.line_start, chunk.line_end),
    )
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


def failed_chunks(catalog: Catalog, detail: DocumentDetail) -> dict[str, str]:
    """chunk_id -> code of the chunks shown that could not be embedded."""
    return catalog.failed_chunks([detail.version_id]).get(detail.version_id or "", {})


def shown_span(first: int | None, last: int | None) -> str:
    """``3`` or ``3-5``; empty where there is neither."""
    if first is None:
        return ""
    return str(first) if last in (None, first) else f"{first}-{last}"


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
