"""``excerpta list``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    table,
    warn,
)

if TYPE_CHECKING:
    from rich.table import Table

    from rag_query.contracts.documents import DocumentPage, DocumentSummary, DocumentVersion
    from rag_query.library.catalog import Catalog


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
    cursor: Annotated[
        str | None, typer.Option(help="Where the next page begins, as the page before says.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents of the published library; removed ones with --status removed."""
    from rag_query.library.catalog_lists import DocumentFilter
    from rag_query.library.snapshot import Library

    catalog = Library.open(resolve_home(home)).snapshot().catalog
    only = DocumentFilter(
        collection=collection, tag=tag, language=language, status=status, text=text
    )
    page = catalog.list_documents(only, order=order, limit=limit, cursor=cursor)
    listed = _Listed(
        page,
        {item.doc_id: _versions(catalog, item) for item in page.items} if versions else None,
        _failed_chunks(catalog, page),
    )
    if as_json:
        print_json({"ok": True, **listed.as_json()})
        return
    out = console()
    out.print(listed.as_table() if page.items else "No document matches.")
    more = f" More: --cursor {page.next_cursor}" if page.next_cursor else ""
    removed = 0 if status else catalog.status_counts().get("removed", 0)
    apart = f" {removed} removed: --status removed." if removed else ""
    out.print(f"{len(page.items)} of {page.total} documents.{apart}{more}")
    for said in [] if page.total else catalog.unknown_values(only):
        warn(said)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A page of documents.

    Attributes:
        versions: doc_id -> its versions, newest first; None where they are not wanted.
        failed_chunks: version_id -> how many of its chunks could not be embedded.
    """

    page: DocumentPage
    versions: dict[str, list[DocumentVersion]] | None
    failed_chunks: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """The page as clients of ``--json`` read it."""
        result = self.page.model_dump(mode="json")
        for item in result["items"]:
            item["failed_chunks"] = self.failed_chunks.get(item["version_id"], 0)
            if self.versions is not None:
                told = self.versions[item["doc_id"]]
                item["all_versions"] = [version.model_dump(mode="json") for version in told]
        return result

    def as_table(self) -> Table:
        """A row for each document, those of its versions below."""
        columns = ("title", "collection", "lang", "pages", "chunks", "state", "source")
        shown = table(*columns, right=["pages", "chunks"])
        for item in self.page.items:
            failed = self.failed_chunks.get(item.version_id or "", 0)
            shown.add_row(
                item.title,
                item.collection,
                item.language or "",
                str(item.pages or ""),
                f"{item.chunks} ({failed} failed)" if failed else str(item.chunks),
                _state(item),
                item.source_uri,
                style="red" if item.code else "dim" if item.status == "removed" else None,
            )
            for version in (self.versions or {}).get(item.doc_id, ()):
                shown.add_row(
                    f"  version {version.version_no}",
                    "",
                    "",
                    str(version.pages or ""),
                    "",
                    _state(version),
                    version.version_id,
                    style="dim",
                )
        return shown


def _versions(catalog: Catalog, item: DocumentSummary) -> list[DocumentVersion]:
    """All of a document's, newest first."""
    return catalog.get_document(item.doc_id).all_versions[::-1]


def _failed_chunks(catalog: Catalog, page: DocumentPage) -> dict[str, int]:
    failed = catalog.failed_chunks([item.version_id for item in page.items])
    return {version: len(chunks) for version, chunks in failed.items()}


def _state(item: DocumentSummary | DocumentVersion) -> str:
    return f"{item.status} {item.code}" if item.code else item.status
