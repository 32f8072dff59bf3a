"""All documents by pages, and their counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rag_query.contracts.documents import DocumentPage, DocumentSummary, MediaListing
from rag_query.library.catalog_tables import CatalogTables
from rag_query.library.paging import Pages, invalid_argument, next_cursor, sql_order

MAX_PAGE = 200
GROUPS = ("tags", "collection", "status", "source_type", "language")
ORDERS = ("title", "source_uri", "created_at", "-created_at", "-updated_at")


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents are meant; what is None or empty does not filter.

    Attributes:
        status: active | failed | removed | pending. Removed documents are meant only where this
            names them.
        text: part of the title, file name, URI or external id, in any case.
        source: how the URI begins.
    """

    collection: str | None = None
    tag: str | None = None
    language: str | None = None
    status: str | None = None
    text: str | None = None
    source: str | None = None

    def sql(self) -> tuple[str, dict[str, Any]]:
        """The condition on ``catalog``, and the values of its parameters."""
        found = {
            "collection = $collection": ("collection", self.collection),
            "list_contains(tags, $tag)": ("tag", self.tag),
            "language = $language": ("language", self.language),
            "starts_with(source_uri, $source)": ("source", self.source),
            "status = $status": ("status", self.status),
            "contains(lower(concat_ws(' ', title, name, source_uri, external_id)), lower($text))": (
                "text",
                self.text,
            ),
        }
        given = {sql: pair for sql, pair in found.items() if pair[1]}
        conditions = [*given] if self.status else ["status <> 'removed'", *given]
        return " and ".join(conditions), dict(given.values())


EVERY_DOCUMENT = DocumentFilter()


class CatalogLists(CatalogTables):
    """Lists of the documents of one snapshot."""

    def list_documents(
        self,
        only: DocumentFilter = EVERY_DOCUMENT,
        *,
        order: str = "title",
        limit: int = 50,
        cursor: str | None = None,
    ) -> DocumentPage:
        """One page of documents, those that failed among them.

        Args:
            order: one of :data:`ORDERS`.
            limit: 1 to :data:`MAX_PAGE`.
            cursor: ``next_cursor`` of the page before.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``.
        """
        start = Pages(ORDERS, MAX_PAGE).start(order, limit, cursor)
        where, values = only.sql()
        page = f"""
            select * from catalog where {where}
            order by {sql_order(order)}, doc_id limit {limit} offset {start}
        """
        total = self.rows(f"select count(*) as n from catalog where {where}", values)[0]["n"]
        items = [DocumentSummary(**row) for row in self.rows(page, values)]
        return DocumentPage(
            items=items, total=total, next_cursor=next_cursor(start, len(items), total)
        )

    def group_counts(self, group_by: str, only: DocumentFilter = EVERY_DOCUMENT) -> dict[str, int]:
        """value -> number of all documents that :meth:`list_documents` would list over its pages;
        those without a value under "".

        Args:
            group_by: one of :data:`GROUPS`.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``.
        """
        if group_by not in GROUPS:
            raise invalid_argument(f"group_by must be one of {', '.join(GROUPS)}.")
        where, values = only.sql()
        values_of = "unnest(if(len(tags) = 0, [''], tags))" if group_by == "tags" else group_by
        sql = f"""
            select coalesce(value, '') as value, count(*) as n
            from (select {values_of} as value from catalog where {where})
            group by 1 order by 1
        """
        return {row["value"]: row["n"] for row in self.rows(sql, values)}

    def status_counts(self) -> dict[str, int]:
        """status -> number of documents."""
        rows = self.rows("select status, count(*) as n from catalog group by status", {})
        return {row["status"]: row["n"] for row in rows}

    def collections(self) -> dict[str, int]:
        """collection -> number of active documents."""
        sql = """select collection, count(*) as n from catalog where status = 'active'
            group by collection order by collection"""
        return {row["collection"]: row["n"] for row in self.rows(sql, {})}

    def tags(self) -> dict[str, int]:
        """tag -> number of active documents that bear it."""
        sql = """select tag, count(*) as n from
            (select unnest(tags) as tag from catalog where status = 'active')
            group by tag order by tag"""
        return {row["tag"]: row["n"] for row in self.rows(sql, {})}

    def list_media(self, *, offset: int = 0, limit: int = 50) -> list[MediaListing]:
        """Media of active documents, each once, by asset_id."""
        sql = f"""
            select m.asset_id, any_value(m.mime) as mime, any_value(m.bytes) as bytes,
                max(m.alt) as alt, min(c.title) as title
            from media m join catalog c using (version_id)
            where m.status = 'ready' and c.status = 'active'
            group by m.asset_id order by m.asset_id limit {int(limit)} offset {int(offset)}
        """
        return [MediaListing(**row) for row in self.rows(sql, {})]

    def section_paths(self) -> list[str]:
        """Every section path of the library once."""
        rows = self.rows("select distinct section_path as path from sections order by path", {})
        return [row["path"] for row in rows]
