"""Taking documents, corpora or single versions out of the library, and back in, from outside.

A source file always stays where it is. Softly deleted documents leave every answer and can be
brought back while their bytes are kept (``undelete_hours`` of ``library.json``); hard deletion
leaves nothing of them in any store.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_app.ingestion import register_and_start
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.versions import version_meant

if TYPE_CHECKING:
    from rag_assets.launch import RunHandle
    from rag_query.contracts.documents import CorpusListing, DocumentDetail, DocumentVersion
    from rag_query.library.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Deletable:
    """What is meant: a document, one version of it, or a corpus with all its records.

    Attributes:
        doc_id: None for a corpus.
        version_id: of the one version meant; None for all of it.
        aliases: other URIs of the same content, which go and come with it.
        documents: how many are meant.
        doc_ids: theirs.
    """

    title: str
    source_uri: str
    doc_id: str | None
    version_id: str | None
    chunks: int
    aliases: list[str] = field(default_factory=list)
    documents: int = 1
    doc_ids: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """What to mark (``rag_query/library/deletions.py``)."""
        return [self.version_id] if self.version_id else [self.source_uri, *self.aliases]


def find_deletable(
    catalog: Catalog,
    document: str,
    *,
    version: str | None = None,
    hard: bool = False,
    part: bool = True,
) -> Deletable:
    """The document or corpus meant by an id, URI, file name or title.

    Args:
        version: id or number of one version, which must not be the newest.
        hard: also find what was deleted softly before.
        part: whether an unambiguous part of a name is enough, as it is where a person is asked.

    Raises:
        ExcerptaError: ``DOCUMENT_NOT_FOUND``, also for one that was removed before;
            ``INVALID_ARGUMENT`` when several fit, for the newest version of a document, and for
            a line of a corpus that is no record when ``hard``.
    """
    corpus = None if version else catalog.corpus(document)
    if corpus is not None and (corpus.live or hard):
        return _of_corpus(corpus, corpus.live if not hard else len(corpus.doc_ids))
    found = catalog.get_document(catalog.resolve_document(document, part=part))
    if version is not None:
        return _version_of(found, version, hard=hard)
    if found.status == "removed" and not hard:
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{found.source_uri} is not in the library any more.",
            hint="`excerpta list` or library_list_documents shows the documents.",
        )
    if hard and "#" in found.source_uri and not found.all_versions:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "This line is no record, and the library keeps what its corpus holds besides records.",
            hint="Take the line out of the file and ingest; or delete the corpus.",
        )
    return _of_document(found)


def find_restorable(
    home: Home, catalog: Catalog, document: str, *, version: str | None = None
) -> Deletable:
    """The removed document or corpus meant; also one whose file merely vanished.

    Raises:
        ExcerptaError: ``DOCUMENT_NOT_FOUND``; ``INVALID_ARGUMENT`` when several fit or it is
            not removed; ``FILE_MISSING`` when its bytes are no longer kept.
    """
    from rag_query.library.deletions import marked
    from rag_query.library.sources import load_sources

    corpus = None if version else catalog.corpus(document)
    if version is not None:
        found = catalog.get_document(catalog.resolve_document(document))
        item = version_meant(found, version)
        chosen = _version(found, item)
        removed = item.status == "removed" and found.status != "removed"
    elif corpus is not None and not corpus.live:
        chosen, removed = _of_corpus(corpus, len(corpus.doc_ids)), True
    else:
        found = catalog.get_document(catalog.resolve_document(document))
        chosen, removed = _of_document(found), found.status == "removed"
    deleted = load_sources(home).deleted
    if not removed and not marked(deleted, chosen.source_uri):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{chosen.source_uri} is in the library.",
            hint="`excerpta list --status removed` shows what can be brought back.",
        )
    for doc_id in chosen.doc_ids:
        # Raises when they are gone.
        catalog.document_bytes(doc_id, chosen.version_id)
    return chosen


def start_deleting(home: Home, found: Deletable, *, hard: bool = False) -> RunHandle:
    """Mark what is to go, under every name its content has, and start the run that publishes
    without it. Raises what :func:`register_and_start` raises."""
    from rag_query.library.deletions import mark_deleted

    names = [*found.names, *(_Sources(home).same_content(found) if hard else ())]
    mark_deleted(home, names, hard=hard)
    return register_and_start(home, [])


def start_restoring(home: Home, found: Deletable) -> RunHandle:
    """Take the marks back, and start the run that publishes it again: from its file, or from the
    bytes the library holds when the file is gone. Raises what :func:`register_and_start` raises.
    """
    from rag_query.library.deletions import mark_restored

    if found.version_id is not None:
        mark_restored(home, found.names)
        return register_and_start(home, [])
    sources = _Sources(home)
    names = [found.source_uri, *sources.same_content(found), *sources.deleted_records(found)]
    missing = [] if sources.has_file(found.source_uri) else [found.source_uri]
    mark_restored(home, names, without_file=missing)
    return register_and_start(home, [])


def deleted_document(found: Deletable) -> dict[str, Any]:
    """What was deleted or brought back, for a caller."""
    told = ("doc_id", "version_id", "source_uri", "aliases", "documents")
    return {name: value for name, value in asdict(found).items() if name in told}


def _of_document(found: DocumentDetail) -> Deletable:
    return Deletable(
        title=found.title,
        source_uri=found.source_uri,
        doc_id=found.doc_id,
        version_id=None,
        chunks=found.chunks,
        aliases=found.aliases,
        doc_ids=[found.doc_id],
    )


def _of_corpus(corpus: CorpusListing, documents: int) -> Deletable:
    return Deletable(
        title=corpus.source_uri.rpartition("/")[2],
        source_uri=corpus.source_uri,
        doc_id=None,
        version_id=None,
        chunks=corpus.chunks,
        documents=documents,
        doc_ids=corpus.doc_ids,
    )


def _version_of(found: DocumentDetail, version: str, *, hard: bool) -> Deletable:
    chosen = version_meant(found, version)
    newest = max(item.version_no for item in found.all_versions)
    live = found.status != "removed"
    if live and (chosen.version_no == newest or chosen.version_id == found.version_id):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "This is the version the document has now.",
            hint="Delete the document, or change its file and ingest first.",
        )
    if chosen.status == "removed" and not hard:
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"Version {chosen.version_no} of {found.source_uri} is not in the library any more.",
        )
    return _version(found, chosen)


def _version(found: DocumentDetail, chosen: DocumentVersion) -> Deletable:
    return Deletable(
        title=f"{found.title}, version {chosen.version_no}",
        source_uri=found.source_uri,
        doc_id=found.doc_id,
        version_id=chosen.version_id,
        chunks=0,
        doc_ids=[found.doc_id],
    )


class _Sources:
    """The inventory, and what is marked as deleted, read once."""

    _COLUMNS = ("source_uri", "collection", "file_sha256", "version_id", "root", "rel_path")

    def __init__(self, home: Home) -> None:
        from rag_query.contracts.tables import ALL
        from rag_query.library.sources import load_sources
        from rag_query.library.tables import TableStore

        sources = load_sources(home)
        self._deleted = sources.deleted
        self._roots = {root.name: Path(root.path) for root in sources.roots}
        self._rows = TableStore(home).read("inventory", ALL, list(self._COLUMNS)).to_pylist()

    def same_content(self, found: Deletable) -> list[str]:
        """The other names in the same collection under which the same bytes were deleted. A single
        version has none."""
        if found.version_id is not None:
            return []
        own = next((row for row in self._rows if row["source_uri"] == found.source_uri), None)
        if own is None or own["file_sha256"] is None:
            return []
        return [
            row["source_uri"]
            for row in self._rows
            if row["source_uri"] in self._deleted
            and (row["collection"], row["file_sha256"]) == (own["collection"], own["file_sha256"])
        ]

    def deleted_records(self, corpus: Deletable) -> list[str]:
        """Records that were deleted before their corpus was, without those of which nothing is
        left."""
        return [
            row["source_uri"]
            for row in self._rows
            if row["source_uri"].startswith(f"{corpus.source_uri}#")
            and row["source_uri"] in self._deleted
            and row["version_id"] is not None
        ]

    def has_file(self, source_uri: str) -> bool:
        """Whether the file a document was read from is there."""
        for row in self._rows:
            if row["source_uri"].partition("#")[0] == source_uri.partition("#")[0]:
                root = self._roots.get(row["root"])
                return root is not None and (root / row["rel_path"]).is_file()
        return False
