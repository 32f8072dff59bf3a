"""``library_list_documents``: what the published library holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, WithJsonSchema

from mcp_app.budget import estimated_tokens, fitting, tokens_of
from mcp_app.cursor import decode, digest, encode, refused
from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.reading import pages_told
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, ArgumentObject, LibraryTool, Report, ToolArguments

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentSummary

GroupBy = Literal["tags", "collection", "status", "source_type", "language"]


#: One value; several, of which any suffices, are taken as library_query takes them.
_Values = Annotated[
    list[str],
    BeforeValidator(lambda v: [v] if isinstance(v, str) else v),
    WithJsonSchema({"type": "string"}),
]


class DocumentFilters(ArgumentObject):
    """Conditions that must all hold."""

    # The other names are those of library_query.
    collection: _Values | None = None
    tag: _Values | None = Field(None, validation_alias=AliasChoices("tag", "tags", "tag_ids"))
    language: _Values | None = Field(None, description="zh, en or other")
    status: Literal["active", "failed", "removed", "pending"] | None = Field(
        None,
        description="active: searchable. failed: could not be read, with a code. "
        "removed: listed only when asked for.",
    )
    text: str | None = Field(None, description="Part of the title, file name or URI.")
    source: _Values | None = Field(
        None,
        validation_alias=AliasChoices("source", "source_uri_prefix"),
        description="How the source URI begins.",
    )


class ListArguments(ToolArguments):
    filters: DocumentFilters = Field(
        default_factory=DocumentFilters, validation_alias=AliasChoices("filters", "filter")
    )
    group_by: GroupBy | None = Field(
        None, description="Also group them; a group's count is of all pages together."
    )
    order: Literal["title", "source_uri", "created_at", "-created_at", "-updated_at"] = Field(
        "title", description="A leading minus puts the newest first."
    )
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = Field(None, description="next_cursor, filters and order as before.")


async def run(service: LibraryService, arguments: ListArguments, _: Report) -> Answer:
    return await off_loop(partial(_list, service, arguments))


def _list(service: LibraryService, arguments: ListArguments) -> Answer:
    from rag_query.library.catalog_lists import DocumentFilter

    snapshot = service.snapshot()
    only = DocumentFilter(**arguments.filters.model_dump())
    asked = digest(arguments.filters.model_dump() | {"order": arguments.order})
    given, offset = decode(arguments.cursor, str, int) if arguments.cursor else (asked, 0)
    if given != asked:
        raise refused()
    page = snapshot.catalog.list_documents(
        only, order=arguments.order, limit=arguments.limit, cursor=f"o{offset}"
    )
    counts = snapshot.catalog.group_counts(arguments.group_by, only) if arguments.group_by else {}
    lines, shown = [_line(item) for item in page.items], [_shown(item) for item in page.items]
    # With groups a document is named once more in each of its own.
    weights = [
        estimated_tokens(line) + tokens_of(item) * (2 if counts else 1)
        for line, item in zip(lines, shown, strict=True)
    ]
    fits = max(1, fitting(weights, service.options.answer_tokens - _BESIDE_TOKENS))
    fits = min(fits, len(shown))
    after = offset + fits
    cursor = encode(asked, after) if fits and after < page.total else None
    data: dict[str, Any] = {
        "documents": shown[:fits],
        "total": page.total,
        "next_cursor": cursor,
        "snapshot": snapshot.number,
    }
    if arguments.group_by:
        data["groups"] = _groups(shown[:fits], arguments.group_by, counts)
        named = {group["key"] for group in data["groups"]}
        rest = [name for name in counts if name not in named]
        largest = sorted(rest, key=lambda name: (-counts[name], name))
        # Each is named in the Markdown and in the fields.
        costs = (2 * estimated_tokens(name) + _GROUP_TOKENS for name in largest)
        largest = largest[: fitting(costs, _GROUPS_BESIDE_TOKENS)]
        data["groups"] += [{"key": k, "count": counts[k], "documents": []} for k in largest]
        data["groups_total"] = len(counts)
    warnings = [] if page.total else snapshot.catalog.unknown_values(only)
    return Answer(_markdown(lines[:fits], data, offset, warnings), data, warnings)


def _shown(item: DocumentSummary) -> dict[str, Any]:
    """What a client needs of a document; ``filename`` is the specification's name of ``name``."""
    shown = item.model_dump(mode="json", exclude={"name", "mime", "aliases", "removed_at"})
    return {key: value for key, value in shown.items() if value is not None} | {
        "filename": item.name
    }


def _groups(
    documents: list[dict[str, Any]], key: GroupBy, counts: dict[str, int]
) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for document in documents:
        value = document.get(key)
        names = value if isinstance(value, list) else [value]
        brief = {k: document.get(k) for k in ("doc_id", "filename", "title", "status")}
        for name in names or [None]:
            groups.setdefault(str(name or ""), []).append(brief)
    return [
        {"key": name, "count": counts.get(name, 0), "documents": members}
        for name, members in sorted(groups.items())
    ]


def _line(item: DocumentSummary) -> str:
    pages = f", {pages_told(item.pages)}" if item.pages else ""
    failed = f" **{item.code}** {item.message or ''}".rstrip() if item.code else ""
    state = "" if item.status == "active" else f" ({item.status})"
    tags = f" · {', '.join(item.tags)}" if item.tags else ""
    return (
        f"- **{item.title}**{state}{pages} · {item.collection}{tags} · `{item.source_uri}` · "
        f"`{item.doc_id}`{failed}"
    )


def _markdown(lines: list[str], data: dict[str, Any], offset: int, warnings: list[str]) -> str:
    if not lines:
        return "\n\n".join(["No document matches.", *(f"> Note: {said}" for said in warnings)])
    first, total = offset + 1, data["total"]
    head = f"Documents {first} to {offset + len(lines)} of {total}:"
    if len(lines) == total:
        head = "1 document:" if total == 1 else f"{total} documents:"
    shown = [head, *lines]
    if data.get("groups"):
        named = ", ".join(
            f"{group['key'] or '(none)'} ({group['count']})" for group in data["groups"]
        )
        further = data["groups_total"] - len(data["groups"])
        shown.append(f"\nGroups: {named}{f', and {further} more' if further > 0 else ''}.")
    if data["next_cursor"]:
        shown.append(f"\nMore: call again with cursor `{data['next_cursor']}`.")
    return "\n".join(shown)


#: What stands beside the documents.
_BESIDE_TOKENS = 700
#: Of these, for groups that have no document on the page; and of one, beside its name.
_GROUPS_BESIDE_TOKENS = 400
_GROUP_TOKENS = 15
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
        "groups_total": {
            "type": "integer",
            "description": "groups on all pages; one named without documents has them on others",
        },
        "total": {"type": "integer", "description": "matching documents on all pages"},
        "next_cursor": {"type": ["string", "null"]},
        "snapshot": {"type": "integer"},
    },
    annotations=READS,
    run=run,
    place=22,
)
