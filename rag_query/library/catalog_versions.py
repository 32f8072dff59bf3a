"""One document and its versions: what they are made of, and the bytes they were read from.

A document's *effective* version is the newest live one that parsed; it is the one shown. A
document whose newest version failed keeps showing the version before, with the failure's code.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from rag_query.contracts.documents import (
    ChunkListing,
    DocumentDetail,
    DocumentVersion,
    OutlineEntry,
    SectionListing,
)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.catalog_messages import no_version, not_found
from rag_query.library.catalog_tables import CatalogTables


class CatalogVersions(CatalogTables):
    """Documents of one snapshot, one by one."""

    def get_document(self, doc_id: str, version_id: str | None = None) -> DocumentDetail:
        """A document with its versions; title, pages, outline and counts of the version asked
        for, by default the effective one. Raises ExcerptaError ``DOCUMENT_NOT_FOUND``."""
        found = self.rows("select * from catalog where doc_id = $doc", {"doc": doc_id})
        if not found:
            raise not_found(doc_id)
        summary = found[0]
        versions = self.versions_of(doc_id)
        chosen = version_id or summary["version_id"]
        if chosen is not None and chosen not in {v.version_id for v in versions}:
            raise no_version(chosen, versions)
        if chosen != summary["version_id"]:
            summary |= self._of_version(chosen)
        parsed = self._parsed(chosen)
        return DocumentDetail(
            **summary,
            all_versions=versions,
            outline=_entries(parsed["outline"]),
            metadata=json.loads(parsed["metadata"] or "{}"),
            warnings=parsed["warnings"] or [],
        )

    def versions_of(self, doc_id: str) -> list[DocumentVersion]:
        """All versions of a document, oldest first; none of one nobody knows."""
        sql = """
            select d.version_id, d.version_no, d.status, coalesce(d.code, p.code) as code,
                coalesce(d.message, p.message) as message, p.status as parse_status, p.pages,
                d.file_sha256, d.version_created_at as created_at
            from documents d left join parsed p using (version_id)
            where d.doc_id = $doc and d.version_id is not null order by d.version_no
        """
        return [DocumentVersion(**row) for row in self.rows(sql, {"doc": doc_id})]

    def language_of(self, version_id: str) -> str | None:
        """The language of a version's text, None where it is not known."""
        sql = """
            select coalesce(p.language, d.language) as language
            from documents d left join parsed p using (version_id) where d.version_id = $v
        """
        return next((row["language"] for row in self.rows(sql, {"v": version_id})), None)

    def document_markdown(self, doc_id: str, version_id: str | None = None) -> str:
        """The normalised Markdown of a version. Raises ExcerptaError ``DOCUMENT_NOT_FOUND``, also
        for one that could not be read."""
        version = self._version(doc_id, version_id)
        found = self.rows("select md_norm from normalized where version_id = $v", {"v": version})
        if not found:
            raise self._without_text(doc_id, version)
        text: str = found[0]["md_norm"]
        return text

    def document_headings(self, doc_id: str, version_id: str | None = None) -> list[OutlineEntry]:
        """The outline of a version, each heading with the place in its normalised Markdown where
        its line begins: an outline's own places are in the facts."""
        version = self._version(doc_id, version_id)
        sql = """
            select outline, md, md_norm, line_map from parsed join normalized using (version_id)
            where version_id = $v
        """
        found = self.rows(sql, {"v": version})
        if not found:
            raise self._without_text(doc_id, version)
        row = found[0]
        return _in_markdown(row["outline"], row["md"], row["md_norm"], row["line_map"])

    def document_bytes(self, doc_id: str, version_id: str | None = None) -> bytes:
        """The bytes a version was read from, as they were when it was ingested.

        Raises ExcerptaError ``DOCUMENT_NOT_FOUND``, or ``FILE_MISSING`` when they are not kept.
        """
        version = self._version(doc_id, version_id)
        sql = """
            select raw_sha256, raw_offset, raw_length from documents
            where doc_id = $doc and version_id = $v
        """
        raw = self.rows(sql, {"doc": doc_id, "v": version})[0]
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
        stored = [row["raw_sha256"] for row in self.rows(sql, {})]
        return [raw is not None and self._home.raw_file(raw).exists() for raw in stored]

    def document_sections(self, doc_id: str, version_id: str | None = None) -> list[SectionListing]:
        """Sections of a version, in order."""
        columns = ", ".join(SectionListing.model_fields)
        sql = f"select {columns} from sections where version_id = $v order by section_index"
        rows = self.rows(sql, {"v": self._version(doc_id, version_id)})
        return [SectionListing(**row) for row in rows]

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
        rows = self.rows(sql, {"v": self._version(doc_id, version_id)})
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
        for row in self.rows(sql, {"versions": [*filter(None, version_ids)]}):
            found.setdefault(row["version_id"], {})[row["chunk_id"]] = row["code"]
        return found

    def document_of(self, version_id: str) -> str:
        """The document of a version that can be read. Raises ``DOCUMENT_NOT_FOUND``."""
        sql = """
            select doc_id from documents where version_id = $v and status != 'removed'
        """
        found = self.rows(sql, {"v": version_id})
        if not found:
            raise not_found(version_id)
        doc: str = found[0]["doc_id"]
        return doc

    def _version(self, doc_id: str, version_id: str | None) -> str:
        sql = "select version_id from catalog where doc_id = $doc"
        values = {"doc": doc_id}
        if version_id is not None:
            sql = "select version_id from documents where doc_id = $doc and version_id = $v"
            values["v"] = version_id
        found = self.rows(sql, values)
        if not found:
            raise (
                not_found(doc_id)
                if version_id is None
                else no_version(version_id, self.versions_of(doc_id))
            )
        if found[0]["version_id"] is None:
            raise self._without_text(doc_id, None)
        version: str = found[0]["version_id"]
        return version

    def _without_text(self, doc_id: str, version_id: str | None) -> ExcerptaError:
        """Why a document that is listed cannot be read."""
        sql = "select name, status, code, message from catalog where doc_id = $doc"
        row = self.rows(sql, {"doc": doc_id})[0]
        chosen = next((v for v in self.versions_of(doc_id) if v.version_id == version_id), None)
        code, message = (chosen.code, chosen.message) if chosen else (row["code"], row["message"])
        why = f"it failed with {code}: {message}" if code else f"it is {row['status']}."
        return ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{row['name']!r} has no text: {why}",
            hint="`excerpta list` or library_list_documents shows which documents can be read.",
        )

    def _of_version(self, version_id: str | None) -> dict[str, Any]:
        sql = """
            select d.version_id, d.version_no, coalesce(p.title, d.name) as title, p.language,
                p.pages,
                (select count(*) from chunks where version_id = $v)::integer as chunks,
                (select count(*) from sections where version_id = $v)::integer as sections
            from documents d left join parsed p using (version_id) where d.version_id = $v
        """
        return self.rows(sql, {"v": version_id})[0]

    def _parsed(self, version_id: str | None) -> dict[str, Any]:
        sql = "select outline, metadata, warnings from parsed where version_id = $v"
        found = self.rows(sql, {"v": version_id})
        return found[0] if found else {"outline": None, "metadata": None, "warnings": None}


def _entries(outline: str | None) -> list[OutlineEntry]:
    return [OutlineEntry.model_validate(entry) for entry in json.loads(outline or "[]")]


def _in_markdown(
    outline: str | None, facts: str, markdown: str, line_map: Sequence[int]
) -> list[OutlineEntry]:
    """An outline of the facts as one of the Markdown.

    Args:
        line_map: the line of the facts, from 1, of each line of the Markdown.
    """
    ends = [match.start() for match in _LINE_END.finditer(facts)]
    begins = [0, *(match.end() for match in _LINE_END.finditer(markdown)), len(markdown)]

    def place(at: int | None) -> int | None:
        return at if at is None else begins[bisect_left(line_map, bisect_left(ends, at) + 1)]

    return [
        entry.model_copy(update={"char_start": place(entry.char_start)})
        for entry in _entries(outline)
    ]


_LINE_END = re.compile("\n")
