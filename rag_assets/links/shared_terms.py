"""Chunks of one document that share terms hardly any other chunk of it has.

Other documents have no part in it: what is rare in a library changes with every document that comes
or goes, and a change of one would compute the links of all anew.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from rag_query.text.analysis import WORDS, analyzer
from rag_query.text.variants import simplified_forms

#: In fewer chunks everything is rare.
_LEAST_CHUNKS = 6
#: A term is rare when no more chunks than this hold it.
_RARE_IN = 3
#: Rare terms that two chunks must share, at least.
_LEAST_SHARED = 2
_SHOWN = 5
#: Of a script without blanks a longer run is a sentence, not a word.
_LONGEST = 20


def shared_term_rows(
    chunks: Sequence[dict[str, Any]], most: int, version: str, doc: str, own_uri: str
) -> list[dict[str, Any]]:
    """``links`` rows of kind ``term`` between the chunks of one version.

    Args:
        chunks: with ``chunk_id``, ``section_id`` and ``chunk_text``, in order.
        most: rows of one chunk; those that share most come first.

    Returns:
        Rows whose ``target_anchor`` is the other chunk's id, ``text`` some of the shared terms as
        the chunk has them, and ``weight`` their number.
    """
    if len(chunks) < _LEAST_CHUNKS:
        return []
    holders: dict[str, list[int]] = {}
    for index, chunk in enumerate(chunks):
        for term in dict.fromkeys(analyzer().tokens(chunk["chunk_text"])):
            if _is_telling(term):
                holders.setdefault(term, []).append(index)
    shared: dict[tuple[int, int], list[str]] = {}
    for term, held in holders.items():
        if 1 < len(held) <= _RARE_IN:
            for pair in combinations(held, 2):
                shared.setdefault(pair, []).append(term)
    strongest = sorted(shared.items(), key=lambda item: (-len(item[1]), item[0]))
    given: Counter[int] = Counter()
    written = [_AsWritten(chunk["chunk_text"]) for chunk in chunks]
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
                        "text": ", ".join(written[source].shown(terms)),
                        "target_uri": own_uri,
                        "target_doc_id": doc,
                        "target_anchor": chunks[target]["chunk_id"],
                        "weight": float(len(terms)),
                    }
                )
    return rows


class _AsWritten:
    """The terms of a text as they stand in it: terms are stems, and parts of words."""

    def __init__(self, text: str) -> None:
        self._text = text

    def shown(self, terms: Iterable[str]) -> list[str]:
        """The first few words that hold ``terms``; none that is part of another."""
        words = dict.fromkeys(self._words.get(term, term) for term in terms)
        whole = [w for w in words if not any(w != other and w in other for other in words)]
        return whole[:_SHOWN]

    @cached_property
    def _words(self) -> dict[str, str]:
        """term -> the first word that holds it."""
        found: dict[str, str] = {}
        for word in WORDS.findall(unicodedata.normalize("NFKC", self._text)):
            simplified = word.translate(simplified_forms())
            for term in analyzer().of_word(word):
                if _is_han(word):
                    # A run of words, of which the term is one.
                    at = simplified.find(term)
                    found.setdefault(term, word[at : at + len(term)])
                elif len(word) <= _LONGEST or word.isascii():
                    found.setdefault(term, word)
        return found


def _is_han(word: str) -> bool:
    return unicodedata.name(word[0], "").startswith("CJK")


def _is_telling(term: str) -> bool:
    """Not a number and not a scrap."""
    return any(ch.isalpha() for ch in term) and len(term) >= (3 if term.isascii() else 2)
