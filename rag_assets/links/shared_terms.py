"""Chunks of one document that share terms hardly any other chunk of it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from rag_query.text.analysis import Analyzer

#: In fewer chunks everything is rare.
_LEAST_CHUNKS = 6
#: A term is rare that so many chunks have at most.
_RARE_IN = 3
#: So many rare terms two chunks must share.
_LEAST_SHARED = 2
_SHOWN = 5

_ANALYZER = Analyzer()


def shared_term_rows(
    chunks: Sequence[dict[str, Any]], most: int, version: str, doc: str, own_uri: str
) -> list[dict[str, Any]]:
    """``links`` rows of kind ``term`` between the chunks of one version.

    Args:
        chunks: with ``chunk_id``, ``section_id`` and ``chunk_text``, in order.
        most: rows of one chunk; those that share most come first.

    Returns:
        Rows whose ``target_anchor`` is the other chunk's id, ``text`` some of the shared terms,
        and ``weight`` their number.
    """
    if len(chunks) < _LEAST_CHUNKS:
        return []
    holders: dict[str, list[int]] = {}
    for index, chunk in enumerate(chunks):
        for term in dict.fromkeys(_ANALYZER.tokens(chunk["chunk_text"])):
            if _is_telling(term):
                holders.setdefault(term, []).append(index)
    shared: dict[tuple[int, int], list[str]] = {}
    for term, held in holders.items():
        if 1 < len(held) <= _RARE_IN:
            for pair in combinations(held, 2):
                shared.setdefault(pair, []).append(term)
    strongest = sorted(shared.items(), key=lambda item: (-len(item[1]), item[0]))
    given: Counter[int] = Counter()
    rows: list[dict[str, Any]] = []
    for (one, other), terms in strongest:
        if len(terms) < _LEAST_SHARED:
            break
        for source, target in ((one, other), (other, one)):
            if given[source] < most:
                given[source] += 1
                rows.append(
                    {
                        "doc_id": doc,
                        "version_id": version,
                        "section_id": chunks[source]["section_id"],
                        "chunk_id": chunks[source]["chunk_id"],
                        "kind": "term",
                        "text": ", ".join(terms[:_SHOWN]),
                        "target_uri": own_uri,
                        "target_doc_id": doc,
                        "target_anchor": chunks[target]["chunk_id"],
                        "weight": float(len(terms)),
                    }
                )
    return rows


def _is_telling(term: str) -> bool:
    """Not a number and not a scrap."""
    return any(ch.isalpha() for ch in term) and len(term) >= (3 if term.isascii() else 2)
