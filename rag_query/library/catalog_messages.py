"""What is said of a document, a version or a value of a filter that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from rag_query.contracts.documents import DocumentVersion
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.section_paths import SEPARATOR

#: Documents, versions and corpora that a message names.
_NAMED = 5
#: Values that a misspelt one is compared with: each takes some microseconds.
_COMPARED = 2_000
_SHOWN_CHARS = 200


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


def no_value(what: str, kind: str, value: str, there: Sequence[str]) -> str:
    """Of a value that no ``what`` has.

    Args:
        kind: what such a value is called.
        there: those that are, the commonest first.
    """
    if near := _near(value, there):
        others = f"did you mean {first_of(list(map(repr, near)))}?"
    else:
        others = f"there are: {first_of(list(map(repr, there))) or 'none'}."
    return f"No {what} has the {kind} {value[:_SHOWN_CHARS]!r}; {others}"


def _near(value: str, there: Sequence[str]) -> Sequence[str]:
    """Those it is a part of, as a heading is of its path; else those that are spelt like it, or
    whose last heading is."""
    given = value.casefold()
    if holding := [name for name in there if given in name.casefold()]:
        return holding
    known = {
        part.casefold(): name
        for name in reversed(there[:_COMPARED])
        for part in (name.rpartition(SEPARATOR)[2], name)
    }
    near = difflib.get_close_matches(given[:_SHOWN_CHARS], known)
    return list(dict.fromkeys(known[name] for name in near))
