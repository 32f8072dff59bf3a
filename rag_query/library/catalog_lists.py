"""All documents by pages, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag_query.contracts.documents import DocumentPage, DocumentSummary, MediaListing
from rag_query.library.catalog_messages import no_value
from rag_query.library.catalog_tables import CatalogTables
from rag_query.library.paging import Pages, invalid_argument, next_cursor, sql_order
from rag_query.text.section_paths import PREAMBLE

MAX_PAGE = 200
GROUPS = ("tags", "collection", "status", "source_type", "language")
ORDERS = ("title", "source_uri", "created_at", "-created_at", "-updated_at")
#: Fields of filters whose values a person may misspell -> what one is called, and where they stand.
NAMED_VALUES = {
    "collection": ("collection", "collection", "catalog"),
    "tag_ids": ("tag", "unnest(tags)", "catalog"),
    "topic_ids": ("topic", "unnest(topics)", "catalog"),
    "source_type": ("source type", "source_type", "catalog"),
    "language": ("language", "language", "catalog"),
    # As far as all documents of a source folder have it in common.
    "source_uri_prefix": ("source", "regexp_extract(source_uri, '^[^:]+://[^/]*/?')", "catalog"),
    "block_type": ("block type", "block_type", "chunks"),
    "section_path": ("section path", "section_path", "sections"),
}

Values = str | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents are meant; what is None or empty does not filter, and of several values any
    suffices.

    Attributes:
        status: active | failed | removed | pending. Removed documents are meant only where this
            names them.
        text: part of the title, file name, URI or external id, in any case.
        source: how the URI begins.
    """

    collection: Values = None
    tag: Values = None
    language: Values = None
    status: str | None = None
    text: str | None = None
    source: Values = None

    def sql(self) -> tuple[str, dict[str, Any]]:
        """The condition on ``catalog``, and the values of its parameters."""
        found: dict[str, tuple[str, Any]] = {
            "list_contains($collection, collection)": ("collection", _listed(self.collection)),
            "list_has_any(tags, $tag)": ("tag", _listed(self.tag)),
            "list_contains($language, language)": ("language", _listed(self.language)),
            "list_bool_or(list_transform($source, lambda s: starts_with(source_uri, s)))": (
                "source",
                _listed(self.source),
            ),
            "status = $status": ("status", self.status),
            "contains(lower(concat_ws(' ', title, name, source_uri, external_id)), lower($text))": (
                "text",
                self.text,
            ),
        }
        given = {sql: pair for sql, pair in found.items() if pair[1]}
        conditions = [*given] if self.status else ["status <> 'removed'", *given]
        return " and ".join(conditions), dict(given.values())


#: Values of one condition that are looked for one by one.
_MOST_VALUES = 10
#: Attributes of :class:`DocumentFilter` -> the filter of passages that means the same.
_FIELDS = {
    "collection": "collection",
    "tag": "tag_ids",
    "language": "language",
    "source": "source_uri_prefix",
}


def _listed(values: Values) -> list[str]:
    given = [values] if isinstance(values, str) else values or ()
    return list(filter(None, given))


EVERY_DOCUMENT = DocumentFilter()
ACTIVE_DOCUMENTS = DocumentFilter(status="active")


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

    def values(self, field: str, only: DocumentFilter = ACTIVE_DOCUMENTS) -> list[str]:
        """What a filter on ``field``, one of :data:`NAMED_VALUES`, may name; the commonest first.

        Args:
            only: whose values are meant, where documents have them.
        """
        _, value, table = NAMED_VALUES[field]
        where, parameters = only.sql() if table == "catalog" else ("true", {})
        sql = f"""
            select value from (select {value} as value from {table} where {where})
            where value <> '' group by value order by count(*) desc, value
        """
        return [row["value"] for row in self.rows(sql, parameters)]

    def no_passage_has(self, field: str, unknown: Sequence[str]) -> list[str]:
        """What is said of each value of a filter that no passage has."""
        there = [value for value in self.values(field) if value != PREAMBLE] if unknown else []
        return [no_value("passage", NAMED_VALUES[field][0], value, there) for value in unknown]

    def unknown_values(self, only: DocumentFilter) -> list[str]:
        """What is said of each of the first values that no document of that status has."""
        status = DocumentFilter(status=only.status)
        what = f"{only.status} document" if only.status else "document"
        said = []
        for name, field in _FIELDS.items():
            for value in _listed(getattr(only, name))[:_MOST_VALUES]:
                alone = replace(status, **{name: value})
                if not self.list_documents(alone, limit=1).total:
                    there = self.values(field, status)
                    said.append(no_value(what, NAMED_VALUES[field][0], value, there))
        return said

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

    def section_paths(self, doc_ids: Sequence[str] = ()) -> list[str]:
        """Every section path once: of these documents, by default of the library."""
        where = "where list_contains($doc_ids, doc_id)" if doc_ids else ""
        sql = f"select distinct section_path as path from sections {where} order by path"
        rows = self.rows(sql, {"doc_ids": list(doc_ids)} if doc_ids else {})
        return [row["path"] for row in rows]
