"""What is said of a document or a version that is not there."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.contracts.documents import DocumentVersion
from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Documents, versions and corpora that a message names.
_NAMED = 5


def not_found(text: str) -> ExcerptaError:
    """Of a document that is meant by a name or an id."""
    return ExcerptaError(
        ErrorCode.DOCUMENT_NOT_FOUND,
        f"There is no document {text[:200]!r} in the published library.",
        hint="`excerpta list` or library_list_documents shows the documents.",
    )


def no_version(version_id: str, versions: Sequence[DocumentVersion]) -> ExcerptaError:
    """Of a version of a document that has ``versions``, the oldest first."""
    there = [f"{item.version_id} ({item.version_no})" for item in reversed(versions)]
    return ExcerptaError(
        ErrorCode.DOCUMENT_NOT_FOUND,
        f"The document has no version {version_id[:200]!r}.",
        hint=f"Its versions are {first_of(there) or 'none'}.",
    )


def first_of(names: Sequence[str]) -> str:
    """The first of them, and how many there are besides."""
    more = len(names) - _NAMED
    return "; ".join([*names[:_NAMED], *([f"and {more} more"] if more > 0 else [])])
