"""Documents, sections and counts of one snapshot: DuckDB over its Parquet files.

A document's *effective* version is the newest live one that parsed; it is the one shown. A
document whose newest version failed keeps showing the version before, with the failure's code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rag_query.contracts.documents import (
    ChunkListing,
    CorpusListing,
    DocumentDetail,
    DocumentPage,
    DocumentSummary,
    DocumentVersion,
    MediaListing,
    OutlineEntry,
    SectionListing,
)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library.catalog_tables import CatalogTables
from rag_query.library.home import Home
from rag_query.library.paging import Pages, invalid, next_cursor, sql_order

MAX_PAGE = 200
GROUPS = ("tags", "collection", "status", "source_type", "language")
ORDERS = ("title", "source_uri", "created_at", "-created_at", "-updated_at")


class Catalog:
    """Questions about the documents of one snapshot. Safe to use from several threads.

    Every method raises ExcerptaError ``SNAPSHOT_DAMAGED`` when a table's file is missing.
    """

    def __init__(self, home: Home, manifest: SnapshotManifest) -> None:
        self._home = home
        self._rows = CatalogTables(home, manifest).rows

    def list_documents(
        self,
        *,
        collection: str | None = None,
        tag: str | None = None,
        language: str | None = None,
        status: str | None = None,
        text: str | None = None,
        source: str | None = None,
        order: str = "title",
        limit: int = 50,
        cursor: str | None = None,
    ) -> DocumentPage:
        """One page of documents: failed ones too, removed ones only by ``status="removed"``.

        Args:
            status: active | failed | removed | pending.
            text: part of the title, file name, URI or external id, in any case.
            source: how the URI begins.
            order: one of :data:`ORDERS`.
            limit: 1 to :data:`MAX_PAGE`.
            cursor: ``next_cursor`` of the page before.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``.
        """
        start = Pages(ORDERS, MAX_PAGE).start(order, limit, cursor)
        where, values = _conditions(
            collection=collection,
            tag=tag,
            language=language,
            status=status,
            text=text,
            source=source,
        )
        page = f"""
            select * from catalog where {where}
            order by {sql_order(order)}, doc_id limit {limit} offset {start}
        """
        total = self._rows(f"select count(*) as n from catalog where {where}", values)[0]["n"]
        items = [DocumentSummary(**row) for row in self._rows(page, values)]
        return DocumentPage(
            items=items, total=total, next_cursor=next_cursor(start, len(items), total)
        )

    def group_counts(
        self,
        group_by: str,
        *,
        collection: str | None = None,
        tag: str | None = None,
        language: str | None = None,
        status: str | None = None,
        text: str | None = None,
        source: str | None = None,
    ) -> dict[str, int]:
        """value -> number of all documents that :meth:`list_documents` would list over its pages;
        those without a value under "".

        Args:
            group_by: one of :data:`GROUPS`.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``.
        """
        if group_by not in GROUPS:
            raise invalid(f"group_by must be one of {', '.join(GROUPS)}.")
        where, values = _conditions(
            collection=collection,
            tag=tag,
            language=language,
            status=status,
            text=text,
            source=source,
        )
        values_of = "unnest(if(len(tags) = 0, [''], tags))" if group_by == "tags" else group_by
        sql = f"""
            select coalesce(value, '') as value, count(*) as n
            from (select {values_of} as value from catalog where {where})
            group by 1 order by 1
        """
        return {row["value"]: row["n"] for row in self._rows(sql, values)}

    def get_document(self, doc_id: str, version_id: str | None = None) -> DocumentDetail:
        """A document with its versions; title, pages, outline and counts of the version asked
        for, by default the effective one. Raises ExcerptaError ``DOCUMENT_NOT_FOUND``."""
        found = self._rows("select * from catalog where doc_id = $doc", {"doc": doc_id})
        if not found:
            raise _not_found(doc_id)
        summary = found[0]
        versions = self._versions(doc_id)
        chosen = version_id or summary["version_id"]
        if chosen is not None and chosen not in {v.version_id for v in versions}:
            raise _no_version(chosen, versions)
        if chosen != summary["version_id"]:
            summary |= self._of_version(chosen)
        parsed = self._parsed(chosen)
        return DocumentDetail(
            **summary,
            all_versions=versions,
            outline=[OutlineEntry.model_validate(e) for e in json.loads(parsed["outline"] or "[]")],
            metadata=json.loads(parsed["metadata"] or "{}"),
            warnings=parsed["warnings"] or [],
        )

    def document_markdown(self, doc_id: str, version_id: str | None = None) -> str:
        """The normalised Markdown of a version. Raises ExcerptaError ``DOCUMENT_NOT_FOUND``, also
        for one that could not be read."""
        version = self._version(doc_id, version_id)
        found = self._rows("select md_norm from normalized where version_id = $v", {"v": version})
        if not found:
            raise self._without_text(doc_id, version)
        text: str = found[0]["md_norm"]
        return text

    def document_bytes(self, doc_id: str, version_id: str | None = None) -> bytes:
        """The bytes a version was read from, as they were when it was ingested.

        Raises ExcerptaError ``DOCUMENT_NOT_FOUND``, or ``FILE_MISSING`` when they are not kept.
        """
        version = self._version(doc_id, version_id)
        sql = """
            select raw_sha256, raw_offset, raw_length from documents
            where doc_id = $doc and version_id = $v
        """
        raw = self._rows(sql, {"doc": doc_id, "v": version})[0]
        try:
            with self._home.raw_file(raw["raw_sha256"] or "").open("rb") as file:
                file.seek(raw["raw_offset"] or 0)
                return file.read(raw["raw_length"] if raw["raw_length"] is not None else -1)
        except OSError as exc:
            raise ExcerptaError(
                ErrorCode.FILE_MISSING,
                "The bytes of this document are no longer kept.",
                hint="Ingest the document again.",
            ) from exc

    def removed_kept(self) -> list[bool]:
        """For each removed document, whether the bytes that would bring it back are still kept."""
        sql = """
            select c.doc_id, any_value(d.raw_sha256) as raw_sha256
            from catalog c left join documents d using (doc_id, version_id)
            where c.status = 'removed' group by c.doc_id
        """
        stored = [row["raw_sha256"] for row in self._rows(sql, {})]
        return [raw is not None and self._home.raw_file(raw).exists() for raw in stored]

    def outline(self, doc_id: str, version_id: str | None = None) -> list[OutlineEntry]:
        """Headings of a version, in order; empty when it has none."""
        return self.get_document(doc_id, version_id).outline

    def document_sections(self, doc_id: str, version_id: str | None = None) -> list[SectionListing]:
        """Sections of a version, in order."""
        columns = ", ".join(SectionListing.model_fields)
        sql = f"select {columns} from sections where version_id = $v order by section_index"
        rows = self._rows(sql, {"v": self._version(doc_id, version_id)})
        return [SectionListing(**row) for row in rows]

    def section_paths(self) -> list[str]:
        """Every section path of the library once."""
        rows = self._rows("select distinct section_path as path from sections order by path", {})
        return [row["path"] for row in rows]

    def document_chunks(
        self,
        doc_id: str,
        version_id: str | None = None,
        *,
        offset: int = 0,
        limit: int | None = None,
    ) -> list[ChunkListing]:
        """Chunks of a version, in order."""
        columns = ", ".join(ChunkListing.model_fields)
        sql = f"""
            select {columns} from chunks
            left join (select chunk_id, ocr_text from enriched where version_id = $v)
                using (chunk_id)
            where version_id = $v
            order by chunk_index limit {"all" if limit is None else int(limit)} offset {int(offset)}
        """
        rows = self._rows(sql, {"v": self._version(doc_id, version_id)})
        return [ChunkListing(**row) for row in rows]

    def failed_chunks(self, version_ids: Sequence[str | None]) -> dict[str, dict[str, str]]:
        """version_id -> chunk_id -> code of the chunks of some versions that could not be
        embedded. They are in no index until an ingest embeds them; versions without any are left
        out."""
        sql = """
            select version_id, chunk_id, code from embeddings
            where status = 'failed_embed' and list_contains($versions, version_id)
        """
        found: dict[str, dict[str, str]] = {}
        for row in self._rows(sql, {"versions": [*filter(None, version_ids)]}):
            found.setdefault(row["version_id"], {})[row["chunk_id"]] = row["code"]
        return found

    def status_counts(self) -> dict[str, int]:
        """status -> number of documents."""
        rows = self._rows("select status, count(*) as n from catalog group by status", {})
        return {row["status"]: row["n"] for row in rows}

    def collections(self) -> dict[str, int]:
        """collection -> number of active documents."""
        sql = """select collection, count(*) as n from catalog where status = 'active'
            group by collection order by collection"""
        return {row["collection"]: row["n"] for row in self._rows(sql, {})}

    def tags(self) -> dict[str, int]:
        """tag -> number of active documents that bear it."""
        sql = """select tag, count(*) as n from
            (select unnest(tags) as tag from catalog where status = 'active')
            group by tag order by tag"""
        return {row["tag"]: row["n"] for row in self._rows(sql, {})}

    def list_media(self, *, offset: int = 0, limit: int = 50) -> list[MediaListing]:
        """Media of active documents, each once, by asset_id."""
        sql = f"""
            select m.asset_id, any_value(m.mime) as mime, any_value(m.bytes) as bytes,
                max(m.alt) as alt, min(c.title) as title
            from media m join catalog c using (version_id)
            where m.status = 'ready' and c.status = 'active'
            group by m.asset_id order by m.asset_id limit {int(limit)} offset {int(offset)}
        """
        return [MediaListing(**row) for row in self._rows(sql, {})]

    def names_beginning(self, text: str, limit: int) -> list[DocumentSummary]:
        """Active documents whose id, name, title or a word of it begins with ``text``, in any
        case; the best-named first."""
        sql = f"""
            select * from catalog where status = 'active' and (
                starts_with(doc_id, $text) or starts_with(lower(name), lower($text))
                or starts_with(lower(title), lower($text))
                or contains(lower(title), ' ' || lower($text)) or contains(title, $text))
            order by not starts_with(lower(name), lower($text)), name, doc_id limit {int(limit)}
        """
        return [DocumentSummary(**row) for row in self._rows(sql, {"text": text})]

    def resolve_document(self, text: str, *, part: bool = True) -> str:
        """The doc_id a person means: a doc_id or its unique beginning, a URI, a path or file
        name, an external id, a title, or else a part of a name, title or URI.

        Args:
            part: whether a part is enough; where a wrong guess would do harm it is not.

        Raises:
            ExcerptaError: ``DOCUMENT_NOT_FOUND``; ``INVALID_ARGUMENT`` when several match, also
                for a corpus file of several records.
        """
        for condition in (*_RESOLVERS, *((_PART,) if part else ())):
            sql = f"select doc_id, title, status from catalog where {condition} order by doc_id"
            found = self._rows(sql, {"text": text})
            # A removed document gives way to the one that took its name.
            live = [row for row in found if row["status"] != "removed"] or found
            if len(live) == 1:
                doc: str = live[0]["doc_id"]
                return doc
            if live:
                names = _first_of([f"{row['doc_id']} ({row['title']})" for row in live])
                if condition is _PART and self.corpus(text) is not None:
                    raise invalid(f"{text[:200]!r} holds one document a line; name one: {names}.")
                raise invalid(
                    f"{text[:200]!r} fits {len(live)} documents: {names}.",
                    "Name one by its doc_id, or by more of its path.",
                )
        raise _not_found(text)

    def document_of(self, version_id: str) -> str:
        """The document of a version that can be read. Raises ``DOCUMENT_NOT_FOUND``."""
        sql = """
            select doc_id from documents where version_id = $v and status != 'removed'
        """
        found = self._rows(sql, {"v": version_id})
        if not found:
            raise _not_found(version_id)
        doc: str = found[0]["doc_id"]
        return doc

    def references(self) -> dict[str, list[str]]:
        """What a document may be called (doc_id, URI, file name, external id) -> the doc_ids of
        active documents called so; more than one for a name that several share."""
        rows = self._rows(
            """select doc_id, [doc_id, source_uri, name, external_id] as names from catalog
            where status = 'active' order by doc_id""",
            {},
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            for name in dict.fromkeys(row["names"]):
                if name is not None:
                    found.setdefault(name, []).append(row["doc_id"])
        return found

    def corpus(self, text: str) -> CorpusListing | None:
        """The corpus file meant by its URI, path or name; None when no record came from one."""
        sql = """
            select split_part(source_uri, '#', 1) as source_uri, any_value(collection)
                    as collection, list(doc_id order by doc_id) as doc_ids,
                count(*) filter (status <> 'removed')::integer as live,
                sum(case when status <> 'removed' then chunks else 0 end)::integer as chunks
            from catalog where contains(source_uri, '#') group by 1
            having source_uri = $text or ends_with(source_uri, '/' || $text)
            order by 1
        """
        found = self._rows(sql, {"text": text})
        if len(found) > 1:
            names = _first_of([row["source_uri"] for row in found])
            raise invalid(
                f"{text!r} fits {len(found)} corpora: {names}.",
                "Name one by its URI, or by more of its path.",
            )
        return CorpusListing(**found[0]) if found else None

    def _version(self, doc_id: str, version_id: str | None) -> str:
        sql = "select version_id from catalog where doc_id = $doc"
        values = {"doc": doc_id}
        if version_id is not None:
            sql = "select version_id from documents where doc_id = $doc and version_id = $v"
            values["v"] = version_id
        found = self._rows(sql, values)
        if not found:
            raise (
                _not_found(doc_id)
                if version_id is None
                else _no_version(version_id, self._versions(doc_id))
            )
        if found[0]["version_id"] is None:
            raise self._without_text(doc_id, None)
        version: str = found[0]["version_id"]
        return version

    def _without_text(self, doc_id: str, version_id: str | None) -> ExcerptaError:
        """Why a document that is listed cannot be read."""
        sql = "select name, status, code, message from catalog where doc_id = $doc"
        row = self._rows(sql, {"doc": doc_id})[0]
        chosen = next((v for v in self._versions(doc_id) if v.version_id == version_id), None)
        code, message = (chosen.code, chosen.message) if chosen else (row["code"], row["message"])
        why = f"it failed with {code}: {message}" if code else f"it is {row['status']}."
        return ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{row['name']!r} has no text: {why}",
            hint="`excerpta list` or library_list_documents shows which documents can be read.",
        )

    def _versions(self, doc_id: str) -> list[DocumentVersion]:
        sql = """
            select d.version_id, d.version_no, d.status, coalesce(d.code, p.code) as code,
                coalesce(d.message, p.message) as message, p.status as parse_status, p.pages,
                d.file_sha256, d.version_created_at as created_at
            from documents d left join parsed p using (version_id)
            where d.doc_id = $doc and d.version_id is not null order by d.version_no
        """
        return [DocumentVersion(**row) for row in self._rows(sql, {"doc": doc_id})]

    def _of_version(self, version_id: str | None) -> dict[str, Any]:
        sql = """
            select d.version_id, d.version_no, coalesce(p.title, d.name) as title, p.language,
                p.pages,
                (select count(*) from chunks where version_id = $v)::integer as chunks,
                (select count(*) from sections where version_id = $v)::integer as sections
            from documents d left join parsed p using (version_id) where d.version_id = $v
        """
        return self._rows(sql, {"v": version_id})[0]

    def _parsed(self, version_id: str | None) -> dict[str, Any]:
        sql = "select outline, metadata, warnings from parsed where version_id = $v"
        found = self._rows(sql, {"v": version_id})
        return found[0] if found else {"outline": None, "metadata": None, "warnings": None}


_RESOLVERS: Sequence[str] = (
    "doc_id = $text",
    "length($text) >= 6 and starts_with(doc_id, $text)",
    "source_uri = $text or list_contains(aliases, $text)",
    "external_id = $text or name = $text or ends_with(source_uri, '/' || $text)",
    "lower(title) = lower($text)",
)
#: Documents, versions and corpora that a message names.
_NAMED = 5
_PART = """length($text) > 0 and
    contains(lower(concat_ws(chr(10), name, title, source_uri, external_id)), lower($text))"""


def _conditions(
    *,
    collection: str | None,
    tag: str | None,
    language: str | None,
    status: str | None,
    text: str | None,
    source: str | None,
) -> tuple[str, dict[str, Any]]:
    found = {
        "collection = $collection": ("collection", collection),
        "list_contains(tags, $tag)": ("tag", tag),
        "language = $language": ("language", language),
        "starts_with(source_uri, $source)": ("source", source),
        "status = $status": ("status", status),
        "contains(lower(concat_ws(' ', title, name, source_uri, external_id)), lower($text))": (
            "text",
            text,
        ),
    }
    given = {sql: pair for sql, pair in found.items() if pair[1]}
    conditions = [*given] if status else ["status <> 'removed'", *given]
    return " and ".join(conditions), dict(given.values())


def _no_version(version_id: str, versions: Sequence[DocumentVersion]) -> ExcerptaError:
    there = [f"{item.version_id} ({item.version_no})" for item in reversed(versions)]
    return ExcerptaError(
        ErrorCode.DOCUMENT_NOT_FOUND,
        f"The document has no version {version_id[:200]!r}.",
        hint=f"Its versions are {_first_of(there) or 'none'}; without one the newest is read.",
    )


def _first_of(names: Sequence[str]) -> str:
    """The first of them, and how many there are besides."""
    more = len(names) - _NAMED
    return "; ".join([*names[:_NAMED], *([f"and {more} more"] if more > 0 else [])])


def _not_found(text: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.DOCUMENT_NOT_FOUND,
        f"There is no document {text[:200]!r} in the published library.",
        hint="`excerpta list` or library_list_documents shows the documents.",
    )
