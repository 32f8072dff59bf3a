"""Which version of a document a person means."""

from __future__ import annotations

from rag_query.contracts.documents import DocumentDetail, DocumentVersion
from rag_query.library.catalog_messages import no_version

#: Characters of an id that can stand for the whole.
_LEAST_OF_ID = 6


def version_meant(document: DocumentDetail, text: str) -> DocumentVersion:
    """The version meant by its id, the unique beginning of one, or its number.

    Raises ExcerptaError ``DOCUMENT_NOT_FOUND``.
    """
    fits = [
        item
        for item in document.all_versions
        if str(item.version_no) == text
        or (len(text) >= _LEAST_OF_ID and item.version_id.startswith(text))
    ]
    if len(fits) != 1:
        raise no_version(text, document.all_versions)
    return fits[0]
