"""Taking a document out of the library from outside. Its file stays where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_app.ingestion import register_and_start
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home

if TYPE_CHECKING:
    from rag_assets.launch import RunHandle
    from rag_query.contracts.documents import DocumentDetail
    from rag_query.library.catalog import Catalog


def find_deletable(catalog: Catalog, document: str) -> DocumentDetail:
    """The document meant by an id, URI, file name or title.

    Raises:
        ExcerptaError: ``DOCUMENT_NOT_FOUND``, also for one that was removed before;
            ``INVALID_ARGUMENT`` when several fit.
    """
    found = catalog.get_document(catalog.resolve_document(document))
    if found.status == "removed":
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{found.source_uri} is not in the library any more.",
            hint="`excerpta list` or library_list_documents shows the documents.",
        )
    return found


def start_deleting(home: Home, found: DocumentDetail) -> RunHandle:
    """Mark a document under every name its content has, and start the run that publishes
    without it. Raises what :func:`register_and_start` raises."""
    from rag_query.library.settings import mark_deleted

    mark_deleted(home, [found.source_uri, *found.aliases])
    return register_and_start(home, [])


def deleted_document(found: DocumentDetail) -> dict[str, Any]:
    """What was deleted, for a caller."""
    return {"doc_id": found.doc_id, "source_uri": found.source_uri, "aliases": found.aliases}
