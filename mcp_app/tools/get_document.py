"""``library_get_document``: a document's text, sections, chunks or outline, piece by piece."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.reading import Position, Range, fitting, piece, require, text_of_range
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from rag_query.contracts.errors import ErrorCode, ExcerptaError

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentDetail, OutlineEntry
    from rag_query.library.catalog import Catalog

#: What a heading, its place and JSON's own marks add to each item of a list.
_ITEM_CHARS = 160


class GetDocumentArguments(ToolArguments):
    document_id: str = Field(
        min_length=1, description="doc_id of a citation or list; a source URI or file name works."
    )
    view: Literal["md", "sections", "chunks", "outline"] = Field(
        "md",
        description="md: the text. sections or chunks: the text in pieces with ids and places. "
        "outline: headings only; ask for it first when a document is long.",
    )
    section: str | None = Field(None, description="Only this section: its path (A / B) or id.")
    page_from: int | None = Field(None, ge=1, description="Only from this page on.")
    page_to: int | None = Field(None, ge=1, description="Only up to this page.")
    version_id: str | None = Field(None, description="An older version; the newest by default.")
    max_chars: int = Field(20_000, ge=500, le=100_000, description="Longest answer.")
    cursor: str | None = Field(None, description="next_cursor of the piece before.")


async def run(service: LibraryService, arguments: GetDocumentArguments, _: Report) -> Answer:
    return await anyio.to_thread.run_sync(
        partial(_read, service, arguments), abandon_on_cancel=True
    )


def _read(service: LibraryService, arguments: GetDocumentArguments) -> Answer:
    catalog = service.snapshot().catalog
    doc_id = catalog.resolve_document(arguments.document_id)
    start = Position.decode(arguments.cursor) if arguments.cursor else None
    version = start.version_id if start else arguments.version_id
    detail = catalog.get_document(doc_id, version)
    if detail.version_id is None or (detail.status != "active" and not detail.chunks):
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{detail.title!r} has no text: it is {detail.status}"
            + (f" ({detail.code}: {detail.message})." if detail.code else "."),
            hint="library_list_documents shows which documents can be read.",
        )
    view = _View(catalog, detail, arguments, start.offset if start else 0)
    body, fields, next_offset = view.show()
    cursor = None
    if next_offset is not None:
        cursor = Position(detail.version_id, next_offset).encode()
        body += f"\n\n(More: call again with cursor `{cursor}`.)"
    return Answer(
        f"{_heading(detail)}\n\n{body}",
        {"document": _identity(detail) | fields, "next_cursor": cursor},
        detail.warnings,
    )


class _View:
    """One piece of one view: Markdown, structured fields, and the offset of the next piece."""

    def __init__(
        self, catalog: Catalog, detail: DocumentDetail, arguments: GetDocumentArguments, offset: int
    ) -> None:
        self._catalog = catalog
        self._detail = detail
        self._arguments = arguments
        self._offset = offset
        self._version = detail.version_id or ""
        self._range = Range(arguments.section, arguments.page_from, arguments.page_to)

    def show(self) -> tuple[str, dict[str, Any], int | None]:
        show = {"md": self._md, "sections": self._sections, "chunks": self._chunks}
        return show.get(self._arguments.view, self._outline)()

    def _md(self) -> tuple[str, dict[str, Any], int | None]:
        text = text_of_range(self._catalog, self._detail.doc_id, self._version, self._range)
        shown, following = piece(text, self._offset, self._arguments.max_chars)
        return shown, {"md_text": shown, "chars": len(text)}, following

    def _sections(self) -> tuple[str, dict[str, Any], int | None]:
        listed = self._held(self._catalog.document_sections(self._detail.doc_id, self._version))
        markdown = self._catalog.document_markdown(self._detail.doc_id, self._version)
        sizes = [item.char_end - item.char_start + _ITEM_CHARS for item in listed]
        end, following = fitting(sizes, self._offset, self._arguments.max_chars)
        items, parts = [], []
        for item in listed[self._offset : end]:
            text = markdown[item.char_start : item.char_end]
            items.append(item.model_dump(exclude_none=True) | {"text": text})
            parts.append(f"*{_place(item)}* `{item.section_id}`\n\n{text.strip()}")
        return "\n\n".join(parts), {"sections": items, "total": len(listed)}, following

    def _chunks(self) -> tuple[str, dict[str, Any], int | None]:
        listed = self._held(self._catalog.document_chunks(self._detail.doc_id, self._version))
        sizes = [len(item.chunk_text) + _ITEM_CHARS for item in listed]
        end, following = fitting(sizes, self._offset, self._arguments.max_chars)
        chosen = listed[self._offset : end]
        parts = [f"*{_place(item)}* `{item.chunk_id}`\n\n{item.chunk_text}" for item in chosen]
        items = [item.model_dump(exclude_none=True) for item in chosen]
        assets = list(dict.fromkeys(asset for item in chosen for asset in item.asset_ids))
        fields = {"chunks": items, "total": len(listed), "asset_ids": assets}
        return "\n\n".join(parts), fields, following

    def _outline(self) -> tuple[str, dict[str, Any], int | None]:
        entries = self._detail.outline
        sizes = [len(entry.title) + _ITEM_CHARS // 4 for entry in entries]
        end, following = fitting(sizes, self._offset, self._arguments.max_chars)
        chosen = entries[self._offset : end]
        body = "\n".join(map(_outline_line, chosen)) or "This document has no headings."
        items = [entry.model_dump(exclude_none=True) for entry in chosen]
        return body, {"outline": items, "total": len(entries)}, following

    def _held(self, items: list[Any]) -> list[Any]:
        held = [item for item in items if self._range.holds(item)]
        return require(held, self._catalog, self._detail.doc_id, self._version, self._range)


def _identity(detail: DocumentDetail) -> dict[str, Any]:
    shown = {
        "doc_id", "version_id", "version_no", "title", "source_uri", "collection", "tags",
        "language", "pages", "status", "code", "sections", "chunks", "external_id",
    }  # fmt: skip
    identity = detail.model_dump(mode="json", include=shown, exclude_none=True)
    # The views' own lists have these names.
    for name in ("sections", "chunks"):
        identity[f"{name}_total"] = identity.pop(name)
    identity["versions"] = [
        version.model_dump(mode="json", include={"version_id", "version_no", "status"})
        for version in detail.all_versions
    ]
    return identity


def _heading(detail: DocumentDetail) -> str:
    parts = [f"version {detail.version_no} of {detail.versions}"]
    if detail.pages:
        parts.append(f"{detail.pages} pages")
    return f"**{detail.title}** · `{detail.source_uri}` · {' · '.join(parts)} · `{detail.doc_id}`"


def _place(item: Any) -> str:
    path = (
        "(before the first heading)" if item.section_path == "__preamble__" else item.section_path
    )
    if item.page_start is None:
        return str(path)
    last = item.page_end or item.page_start
    pages = (
        f"page {item.page_start}" if last == item.page_start else f"pages {item.page_start}-{last}"
    )
    return f"{path} · {pages}"


def _outline_line(entry: OutlineEntry) -> str:
    page = f" · page {entry.page}" if entry.page else ""
    return f"{'  ' * max(0, entry.level - 1)}- {entry.title}{page}"


TOOL = LibraryTool(
    name="library_get_document",
    title="Read a document",
    description="""
        Read a document of the library: its text (view md), its sections or chunks with their
        places, or its outline; only some pages or one section if wanted. Long documents come
        in pieces: pass next_cursor back to go on. Use it to read around a passage that
        library_query found, or to read a whole short document.
        """,
    arguments=GetDocumentArguments,
    data={
        "document": {
            "type": "object",
            "required": ["doc_id", "title"],
            "properties": {
                "doc_id": {"type": "string"},
                "version_id": {"type": "string"},
                "title": {"type": "string"},
                "source_uri": {"type": "string"},
                "md_text": {"type": "string"},
                "sections": {"type": "array", "items": {"type": "object"}},
                "chunks": {"type": "array", "items": {"type": "object"}},
                "outline": {"type": "array", "items": {"type": "object"}},
                "asset_ids": {"type": "array", "items": {"type": "string"}},
            },
        },
        "next_cursor": {"type": ["string", "null"]},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
)
