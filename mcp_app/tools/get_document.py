"""``library_get_document``: a document's text, sections, chunks or outline, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic import AliasChoices, Field

from mcp_app.budget import end_within, tokens_of
from mcp_app.envelope import Answer, resource_link
from mcp_app.off_loop import off_loop
from mcp_app.reading import (
    Part,
    Position,
    Range,
    heading,
    parts,
    piece,
    place_line,
    range_of,
    readable_version,
    require,
    text_of_range,
)
from mcp_app.resources import MARKDOWN
from mcp_app.service import LibraryService
from mcp_app.summary import SUMMARY_SCHEMA, summary_of
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.versions import version_meant

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentDetail, OutlineEntry
    from rag_query.library.catalog import Catalog
    from rag_query.library.snapshot import Snapshot

#: What a heading and its place add to each item of a list, in estimated tokens.
_ITEM_TOKENS = 120
#: What stands beside the text: the document's own facts, JSON's marks, a cursor.
_BESIDE_TOKENS = 1_200
_MOST_VERSIONS = 20


class GetDocumentArguments(ToolArguments):
    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id of a citation or list; a source URI or file name works.",
    )
    view: Literal["md", "sections", "chunks", "outline"] = Field(
        "md",
        validation_alias=AliasChoices("view", "format"),
        description="md: the text. sections or chunks: the text in pieces with ids and places. "
        "outline: headings only; ask for it first when a document is long.",
    )
    section: str | None = Field(
        None,
        description="Only this section: path (A / B), id, or a heading of the outline.",
    )
    page_from: int | None = Field(None, ge=1, description="Only from this page on.")
    page_to: int | None = Field(None, ge=1, description="Only up to this page.")
    version_id: str | None = Field(None, description="Id or number of an older version.")
    include_summary: bool = Field(
        False, description="Put a summary before the text, as library_summarize_document gives it."
    )
    summary_style: Literal["short", "bullet", "detailed"] = "short"
    max_chars: int = Field(20_000, ge=500, le=100_000, description="Longest answer.")
    cursor: str | None = Field(None, description="next_cursor of the piece before.")


_DEFAULTS = {name: field.default for name, field in GetDocumentArguments.model_fields.items()}


async def run(service: LibraryService, arguments: GetDocumentArguments, _: Report) -> Answer:
    return await off_loop(partial(_read, service, arguments))


def _read(service: LibraryService, arguments: GetDocumentArguments) -> Answer:
    snapshot = service.snapshot()
    catalog = snapshot.catalog
    start = Position.decode(arguments.cursor) if arguments.cursor else None
    wanted = start.version_id if start else arguments.version_id
    detail, version = readable_version(catalog, arguments.document_id, wanted)
    if start is not None:
        arguments = _continued(arguments, start, detail)
    held = range_of(
        catalog,
        detail.doc_id,
        version,
        arguments.section,
        page_from=arguments.page_from,
        page_to=arguments.page_to,
    )
    summary = _summary(snapshot, detail, arguments, held) if start is None else None
    # The text stands in the Markdown and in the fields.
    beside = _BESIDE_TOKENS + tokens_of(detail.warnings) + tokens_of(summary)
    room = max(100, (service.options.answer_tokens - beside) * 9 // 20)
    begin = (start.offset, start.within) if start else (0, 0)
    view = _View(catalog, detail, arguments, held, begin=begin, room=room)
    body, fields, following = view.show()
    cursor = None
    if following is not None:
        pages = (arguments.page_from or 0, arguments.page_to or 0)
        cursor = Position(
            version, *following, arguments.view, arguments.section or "", *pages
        ).encode()
        body += f"\n\n(More: call again with cursor `{cursor}`.)"
    data: dict[str, Any] = {"document": _identity(detail) | fields, "next_cursor": cursor}
    if summary is not None:
        body = f"{summary[0]}\n\n---\n\n{body}"
        data["summary"] = summary[1]
    link = resource_link(f"document://{detail.doc_id}", detail.title, MARKDOWN)
    return Answer(f"{heading(detail)}\n\n{body}", data, detail.warnings, beside=[link])


def _continued(
    arguments: GetDocumentArguments, start: Position, detail: DocumentDetail
) -> GetDocumentArguments:
    """The arguments a cursor was given for, of which none need be repeated.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for an argument that says otherwise.
    """
    kept = {
        "view": start.view,
        "section": start.section or None,
        "page_from": start.page_from or None,
        "page_to": start.page_to or None,
    }
    said: dict[str, Any] = {name: getattr(arguments, name) for name in kept}
    other = [name for name, value in said.items() if value not in (kept[name], _DEFAULTS[name])]
    if arguments.version_id is not None:
        chosen = version_meant(detail, arguments.version_id)
        other += [] if chosen.version_id == start.version_id else ["version_id"]
    if other:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"`cursor` was given for another `{other[0]}`.",
            hint="Pass it with document_id alone, or leave it out to begin anew.",
        )
    return arguments.model_copy(update=kept)


def _summary(
    snapshot: Snapshot, detail: DocumentDetail, arguments: GetDocumentArguments, held: Range
) -> tuple[str, dict[str, Any]] | None:
    if not arguments.include_summary:
        return None
    version = detail.version_id or ""
    return summary_of(snapshot, detail.doc_id, version, arguments.summary_style, held)


#: Markdown, structured fields, and where the next piece begins: item and character of it.
_Shown = tuple[str, dict[str, Any], tuple[int, int] | None]


class _View:
    """One piece of one view."""

    def __init__(
        self,
        catalog: Catalog,
        detail: DocumentDetail,
        arguments: GetDocumentArguments,
        held: Range,
        *,
        begin: tuple[int, int],
        room: int,
    ) -> None:
        self._catalog = catalog
        self._detail = detail
        self._arguments = arguments
        self._start = begin
        self._room = room
        self._version = detail.version_id or ""
        self._range = held

    def show(self) -> _Shown:
        show = {"md": self._shown_markdown, "sections": self._sections, "chunks": self._chunks}
        return show.get(self._arguments.view, self._outline)()

    def _shown_markdown(self) -> _Shown:
        text = text_of_range(self._catalog, self._detail.doc_id, self._version, self._range)
        offset, _ = self._start
        fits = end_within(text, offset, self._room) - offset
        shown, following = piece(text, offset, max(1, min(fits, self._arguments.max_chars)))
        fields = {"md_text": shown, "chars": len(text)}
        return shown, fields, None if following is None else (following, 0)

    def _sections(self) -> _Shown:
        listed = self._in_range(self._catalog.document_sections(self._detail.doc_id, self._version))
        markdown = self._catalog.document_markdown(self._detail.doc_id, self._version)
        texts = [markdown[item.char_start : item.char_end] for item in listed]
        taken, following = self._parts(texts, _ITEM_TOKENS)
        items, lines = [], []
        for part in taken:
            item = listed[part.index]
            cut = {"partial": True} if part.cut else {}
            items.append(item.model_dump(exclude_none=True) | {"text": part.text} | cut)
            lines.append(f"*{_place(item)}* `{item.section_id}`\n\n{part.text.strip()}")
        return "\n\n".join(lines), {"sections": items, "total": len(listed)}, following

    def _chunks(self) -> _Shown:
        listed = self._in_range(self._catalog.document_chunks(self._detail.doc_id, self._version))
        taken, following = self._parts([item.words for item in listed], _ITEM_TOKENS)
        items, lines, assets = [], [], dict[str, None]()
        for part in taken:
            item = listed[part.index]
            cut = {"partial": True} if part.cut else {}
            shown = item.model_dump(exclude_none=True, exclude={"ocr_text"})
            read = {"read_by": "ocr"} if item.is_read else {}
            mark = " (read by OCR)" if item.is_read else ""
            items.append(shown | {"chunk_text": part.text} | read | cut)
            lines.append(f"*{_place(item)}*{mark} `{item.chunk_id}`\n\n{part.text}")
            assets |= dict.fromkeys(item.asset_ids)
        fields = {"chunks": items, "total": len(listed), "asset_ids": list(assets)}
        return "\n\n".join(lines), fields, following

    def _outline(self) -> _Shown:
        entries = self._catalog.document_headings(self._detail.doc_id, self._version)
        taken, following = self._parts([entry.title for entry in entries], _ITEM_TOKENS // 4)
        chosen = [entries[part.index] for part in taken]
        body = "\n".join(map(_outline_line, chosen)) or "This document has no headings."
        items = [entry.model_dump(exclude_none=True) for entry in chosen]
        return body, {"outline": items, "total": len(entries)}, following

    def _parts(
        self, texts: Sequence[str], overhead: int
    ) -> tuple[list[Part], tuple[int, int] | None]:
        return parts(texts, self._start, self._room, overhead, self._arguments.max_chars)

    def _in_range(self, items: list[Any]) -> list[Any]:
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
        for version in detail.all_versions[-_MOST_VERSIONS:]
    ]
    return identity


def _place(item: Any) -> str:
    return place_line(item.section_path, item.page_start, item.page_end)


def _outline_line(entry: OutlineEntry) -> str:
    page = f" · page {entry.page}" if entry.page else ""
    return f"{'  ' * max(0, entry.level - 1)}- {entry.title}{page}"


TOOL = LibraryTool(
    name="library_get_document",
    title="Read a document",
    description="""
        Read a document of the library: its text (view md), its sections or chunks with their
        places, or its outline; only some pages or one section if wanted. Long documents come
        in pieces: document_id with next_cursor goes on. Use it to read around a passage of
        library_query, or a whole short document.
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
        "summary": SUMMARY_SCHEMA,
        "next_cursor": {"type": ["string", "null"]},
    },
    annotations=READS,
    run=run,
    place=20,
)
