"""``library_list_documents``: what the published library holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.service import LibraryService
from mcp_app.tools.base import ArgumentObject, LibraryTool, Report, ToolArguments

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentPage, DocumentSummary

GroupBy = Literal["tags", "collection", "status", "source_type", "language"]


class DocumentFilters(ArgumentObject):
    """Conditions that must all hold."""

    collection: str | None = None
    tag: str | None = None
    language: str | None = Field(None, description="zh, en or other")
    status: Literal["active", "failed", "removed", "pending"] | None = Field(
        None,
        description="active: searchable. failed: could not be read, with a code. "
        "removed: listed only when asked for.",
    )
    text: str | None = Field(None, description="Part of the title, file name or URI.")


class ListArguments(ToolArguments):
    filters: DocumentFilters = Field(default_factory=DocumentFilters)
    group_by: GroupBy | None = Field(None, description="Also group this page's documents.")
    order: Literal["title", "source_uri", "created_at", "-created_at", "-updated_at"] = Field(
        "title", description="A leading minus puts the newest first."
    )
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = Field(None, description="next_cursor of the page before.")


async def run(service: LibraryService, arguments: ListArguments, _: Report) -> Answer:
    return await anyio.to_thread.run_sync(
        partial(_list, service, arguments), abandon_on_cancel=True
    )


def _list(service: LibraryService, arguments: ListArguments) -> Answer:
    snapshot = service.snapshot()
    page = snapshot.catalog.list_documents(
        **arguments.filters.model_dump(),
        order=arguments.order,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    documents = [_shown(item) for item in page.items]
    data: dict[str, Any] = {
        "documents": documents,
        "total": page.total,
        "next_cursor": page.next_cursor,
        "snapshot": snapshot.number,
    }
    if arguments.group_by:
        data["groups"] = _groups(documents, arguments.group_by)
    return Answer(_markdown(page), data)


def _shown(item: DocumentSummary) -> dict[str, Any]:
    """What a client needs of a document; ``filename`` is the specification's name of ``name``."""
    shown = item.model_dump(mode="json", exclude={"name", "mime", "aliases", "removed_at"})
    return {key: value for key, value in shown.items() if value is not None} | {
        "filename": item.name
    }


def _groups(documents: list[dict[str, Any]], key: GroupBy) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for document in documents:
        value = document.get(key)
        names = value if isinstance(value, list) else [value]
        for name in names or [None]:
            brief = {k: document.get(k) for k in ("doc_id", "filename", "title", "status")}
            groups.setdefault(str(name or ""), []).append(brief)
    return [
        {"key": name, "count": len(members), "documents": members}
        for name, members in sorted(groups.items())
    ]


def _markdown(page: DocumentPage) -> str:
    if not page.items:
        return "No document matches."
    lines = [f"{len(page.items)} of {page.total} documents:"]
    for item in page.items:
        pages = f", {item.pages} pages" if item.pages else ""
        failed = f" **{item.code}** {item.message or ''}".rstrip() if item.code else ""
        state = "" if item.status == "active" else f" ({item.status})"
        lines.append(
            f"- **{item.title}**{state}{pages} · {item.collection} · `{item.source_uri}` · "
            f"`{item.doc_id}`{failed}"
        )
    if page.next_cursor:
        lines.append(f"\nMore: call again with cursor `{page.next_cursor}`.")
    return "\n".join(lines)


_STRINGS = {"type": "array", "items": {"type": "string"}}
_DOCUMENT = {
    "type": "object",
    "required": ["doc_id", "title", "status"],
    "properties": {
        "doc_id": {"type": "string"},
        "title": {"type": "string"},
        "filename": {"type": "string"},
        "source_uri": {"type": "string"},
        "collection": {"type": "string"},
        "tags": _STRINGS,
        "status": {"type": "string"},
        "code": {"type": "string"},
        "pages": {"type": "integer"},
        "chunks": {"type": "integer"},
        "updated_at": {"type": "string"},
    },
}

TOOL = LibraryTool(
    name="library_list_documents",
    title="List documents",
    description="""
        List the documents of the library with their ids, titles, tags and states; also those
        that could not be read, with the reason. Use it to see what is there or to find a
        document's id. To find what documents say, use library_query.
        """,
    arguments=ListArguments,
    data={
        "documents": {"type": "array", "items": _DOCUMENT},
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "key": {"type": "string"},
                    "count": {"type": "integer"},
                    "documents": {"type": "array", "items": {"type": "object"}},
                },
            },
        },
        "total": {"type": "integer", "description": "matching documents on all pages"},
        "next_cursor": {"type": ["string", "null"]},
        "snapshot": {"type": "integer"},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
)
