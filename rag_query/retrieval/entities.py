"""Chunks a question names: by a document's title, by a heading, or as ``hints.entities`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rag_query.contracts.explain import NamedEntity
from rag_query.library.bm25_schema import CHUNK_ID, HEADINGS, TITLE, build_schema
from rag_query.library.served import ServedChunks
from rag_query.retrieval.filters import Conditions
from rag_query.retrieval.further import MAX_ENTITIES, NAMED_LOOKED_AT
from rag_query.text.analysis import analyzer
from rag_query.text.matching import FUNCTION_WORDS

if TYPE_CHECKING:
    import tantivy

_COLUMNS = ("chunk_id", "doc_id", "title", "section_title", "chunk_index")
#: A name of one word says something from so many letters on; a word of Chinese always does.
_LETTERS = 3


def named(
    texts: Sequence[str],
    searcher: tantivy.Searcher,
    served: ServedChunks,
    conditions: Conditions,
    allowed: Callable[[Sequence[str]], set[str]],
) -> list[NamedEntity]:
    """At most ``MAX_ENTITIES`` names that stand in one of the texts, word for word.

    A title is represented by its document's first chunk, a heading by its section's first.

    Args:
        texts: the question and the names hinted at.
        allowed: which chunks the query's conditions allow.
    """
    found: dict[tuple[str, str], NamedEntity] = {}
    for text in texts:
        tokens = analyzer().tokens(text)
        wanted = dict.fromkeys(t for t in tokens if t not in FUNCTION_WORDS)
        hits = _holders(searcher, list(wanted), conditions)
        rows = served.rows(hits, columns=_COLUMNS).to_pylist()
        for entity in _names(rows, tokens, served):
            found.setdefault((entity.kind, entity.name), entity)
    fits = allowed([entity.chunk_id for entity in found.values()])
    return [entity for entity in found.values() if entity.chunk_id in fits][:MAX_ENTITIES]


def _holders(
    searcher: tantivy.Searcher, tokens: Sequence[str], conditions: Conditions
) -> list[str]:
    import tantivy

    schema = build_schema()
    words = [
        (tantivy.Occur.Should, tantivy.Query.term_query(schema, name, token))
        for token in tokens
        for name in (TITLE, HEADINGS)
    ]
    if not words:
        return []
    query = tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, tantivy.Query.boolean_query(words)), *conditions.beside(searcher)]
    )
    found = searcher.search(query, limit=NAMED_LOOKED_AT, count=False)
    return [str(searcher.doc(address).get_first(CHUNK_ID)) for _, address in found.hits]


def _names(
    rows: Sequence[dict[str, Any]], tokens: Sequence[str], served: ServedChunks
) -> Iterator[NamedEntity]:
    sections: set[tuple[str, str]] = set()
    titles: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: (row["doc_id"], row["chunk_index"])):
        if _stands(row["title"], tokens):
            titles.setdefault(row["doc_id"], row["title"])
        heading = row["section_title"]
        place = (row["doc_id"], heading or "")
        if heading and heading != row["title"] and place not in sections:
            sections.add(place)
            if _stands(heading, tokens):
                yield NamedEntity(name=heading, kind="heading", chunk_id=row["chunk_id"])
    if not titles:
        return
    first: dict[str, tuple[int, str]] = {}
    places = served.newest_of(list(titles), ("doc_id", "chunk_id", "chunk_index"))
    for row in places.to_pylist():
        place_of = (row["chunk_index"], row["chunk_id"])
        first[row["doc_id"]] = min(place_of, first.get(row["doc_id"], place_of))
    for doc, title in titles.items():
        yield NamedEntity(name=title, kind="title", chunk_id=first[doc][1])


def _stands(name: str, tokens: Sequence[str]) -> bool:
    own = analyzer().tokens(name)
    meant = [token for token in own if token not in FUNCTION_WORDS]
    if not meant or (len(own) == 1 and own[0].isascii() and len(own[0]) < _LETTERS):
        return False
    return any(list(tokens[at : at + len(own)]) == own for at in range(len(tokens) - len(own) + 1))
