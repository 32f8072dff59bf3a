"""Which document a person, a client or a dataset means by a name."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.contracts.documents import CorpusListing, DocumentSummary
from rag_query.library.catalog_messages import first_of, not_found
from rag_query.library.catalog_tables import CatalogTables
from rag_query.library.paging import invalid_argument

#: A name as the file system has it; one that is no UTF-8 stays as the URI has it.
_DECODED = "coalesce(try(url_decode({0})), {0})"
#: What a name may be, the surest first; the first that any document fits counts.
_RESOLVERS: Sequence[str] = (
    "doc_id = $text",
    "length($text) >= 6 and starts_with(doc_id, $text)",
    "source_uri = $text or list_contains(aliases, $text)",
    f"""external_id = $text or name = $text
        or list_bool_or(list_transform([source_uri] || aliases, lambda uri:
            ends_with(uri, '/' || $text) or ends_with({_DECODED.format("uri")}, '/' || $text)))""",
    "lower(title) = lower($text)",
)
_NAMES = """lower(concat_ws(chr(10), name, title, source_uri, external_id,
    array_to_string(aliases, chr(10))))"""
#: No word of a script with blanks between its words goes on here.
_BORDER = r"(?:^|$|[^\p{Latin}\p{Greek}\p{Cyrillic}\d])"
#: The least sure: whole words, so that a lease is no release, and then any part.
_PARTS: Sequence[str] = (
    f"""length($text) > 0 and
    regexp_matches({_NAMES}, '{_BORDER}' || regexp_escape(lower($text)) || '{_BORDER}')""",
    f"length($text) > 0 and contains({_NAMES}, lower($text))",
)


class CatalogNames(CatalogTables):
    """Names of the documents of one snapshot."""

    def resolve_document(self, text: str, *, part: bool = True) -> str:
        """The doc_id a person means: a doc_id or its unique beginning, a URI, a path or file
        name, an external id, a title, or else words or a part of a name, title or URI; paths and
        file names of copies, which are its aliases, count as its own.

        Args:
            part: whether a part is enough; where a wrong guess would do harm it is not.

        Raises:
            ExcerptaError: ``DOCUMENT_NOT_FOUND``; ``INVALID_ARGUMENT`` when several match, also
                for a corpus file of several records.
        """
        for condition in (*_RESOLVERS, *(_PARTS if part else ())):
            sql = f"select doc_id, title, status from catalog where {condition} order by doc_id"
            found = self.rows(sql, {"text": text})
            # A removed document gives way to the one that took its name.
            live = [row for row in found if row["status"] != "removed"] or found
            if len(live) == 1:
                doc: str = live[0]["doc_id"]
                return doc
            if live:
                names = first_of([f"{row['doc_id']} ({row['title']})" for row in live])
                if condition in _PARTS and self.corpus(text) is not None:
                    raise invalid_argument(
                        f"{text[:200]!r} holds one document a line; name one: {names}."
                    )
                raise invalid_argument(
                    f"{text[:200]!r} fits {len(live)} documents: {names}.",
                    "Name one by its doc_id, or by more of its path.",
                )
        raise not_found(text)

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
        return [DocumentSummary(**row) for row in self.rows(sql, {"text": text})]

    def references(self) -> dict[str, list[str]]:
        """What a document may be called (doc_id, URIs, file names, external id) -> the doc_ids of
        active documents called so; more than one for a name that several share."""
        rows = self.rows(
            f"""select doc_id, [doc_id, source_uri, name, external_id] || aliases || list_transform(
                aliases, lambda uri: {_DECODED.format("split_part(uri, '/', -1)")}) as names
            from catalog where status = 'active' order by doc_id""",
            {},
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            for name in dict.fromkeys(row["names"]):
                if name is not None:
                    found.setdefault(name, []).append(row["doc_id"])
        return found

    def source_uris(self) -> dict[str, str]:
        """doc_id -> source URI of every active document."""
        sql = "select doc_id, source_uri from catalog where status = 'active'"
        return {row["doc_id"]: row["source_uri"] for row in self.rows(sql, {})}

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
        found = self.rows(sql, {"text": text})
        if len(found) > 1:
            names = first_of([row["source_uri"] for row in found])
            raise invalid_argument(
                f"{text!r} fits {len(found)} corpora: {names}.",
                "Name one by its URI, or by more of its path.",
            )
        return CorpusListing(**found[0]) if found else None
