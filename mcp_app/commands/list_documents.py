"""``excerpta list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    table,
)

if TYPE_CHECKING:
    from rag_query.contracts.documents import DocumentSummary, DocumentVersion
    from rag_query.library.catalog import Catalog


def _versions(catalog: Catalog, item: DocumentSummary) -> list[DocumentVersion]:
    return catalog.get_document(item.doc_id).all_versions[::-1]


def _chunks(item: DocumentSummary, failed: int) -> str:
    return f"{item.chunks} ({failed} failed)" if failed else str(item.chunks)


@command
def list_documents(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="Part of a title, file name or URI.")
    ] = None,
    *,
    collection: Annotated[str | None, typer.Option()] = None,
    tag: Annotated[str | None, typer.Option()] = None,
    language: Annotated[str | None, typer.Option(help="zh, en or other.")] = None,
    status: Annotated[
        Literal["active", "failed", "removed", "pending"] | None, typer.Option()
    ] = None,
    order: Annotated[
        Literal["title", "source_uri", "created_at", "-created_at", "-updated_at"], typer.Option()
    ] = "title",
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    versions: Annotated[
        bool, typer.Option("--versions", help="Every version of each document, newest first.")
    ] = False,
    cursor: Annotated[str | None, typer.Option(help="Of the page before.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents of the published library; removed ones with --status removed."""
    from rag_query.library.snapshot import Library

    catalog = Library.open(resolve_home(home)).snapshot().catalog
    page = catalog.list_documents(
        collection=collection,
        tag=tag,
        language=language,
        status=status,
        text=text,
        order=order,
        limit=limit,
        cursor=cursor,
    )
    held = {item.doc_id: _versions(catalog, item) for item in page.items} if versions else {}
    failed = {
        version: len(chunks)
        for version, chunks in catalog.failed_chunks([i.version_id for i in page.items]).items()
    }
    if as_json:
        result = page.model_dump(mode="json")
        for item in result["items"]:
            item["failed_chunks"] = failed.get(item["version_id"], 0)
            if versions:
                told = held[item["doc_id"]]
                item["all_versions"] = [version.model_dump(mode="json") for version in told]
        print_json({"ok": True, **result})
        return
    out = console()
    shown = table(
        "title",
        "collection",
        "lang",
        "pages",
        "chunks",
        "state",
        "source",
        right=["pages", "chunks"],
    )
    for item in page.items:
        state = item.status + (f" {item.code}" if item.code else "")
        shown.add_row(
            item.title,
            item.collection,
            item.language or "",
            str(item.pages or ""),
            _chunks(item, failed.get(item.version_id or "", 0)),
            state,
            item.source_uri,
            style="red" if item.code else "dim" if item.status == "removed" else None,
        )
        for version in held.get(item.doc_id, ()):
            shown.add_row(
                f"  version {version.version_no}",
                "",
                "",
                str(version.pages or ""),
                "",
                version.status + (f" {version.code}" if version.code else ""),
                version.version_id,
                style="dim",
            )
    out.print(shown if page.items else "No document matches.")
    more = f" More: --cursor {page.next_cursor}" if page.next_cursor else ""
    removed = 0 if status else catalog.status_counts().get("removed", 0)
    apart = f" {removed} removed: --status removed." if removed else ""
    out.print(f"{len(page.items)} of {page.total} documents.{apart}{more}")
