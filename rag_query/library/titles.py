"""What the BM25 index tells of titles: which words of them are names, whose they are, and whether a
document says a word at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rag_query.library.bm25_schema import BODY, CHUNK_ID, TEXT_FIELDS, TITLE, any_of, build_schema

if TYPE_CHECKING:
    import tantivy

    from rag_query.library.snapshot import Snapshot

#: Of the chunks that hold a name, the share of documents titled so at least. Other words of titles
#: (prompt, task) are said of much else: with them, one of eight passages that answer a question on
#: a product's manual would be taken for another's.
_NAMING = 0.5
#: Chunks looked at for titles; those whose titles are most alike come first.
_LOOKED_AT = 100


class Titled(NamedTuple):
    """A document, by its newest version's title."""

    doc_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Titles:
    """Looks words up, each by its tokens: the forms it may have."""

    snapshot: Snapshot
    searcher: tantivy.Searcher

    def is_name(self, tokens: Collection[str]) -> bool:
        """Whether a word of titles stands hardly anywhere but in documents titled so."""
        titled = sum(self.searcher.doc_freq(TITLE, token) for token in tokens)
        return titled > 0 and titled >= _NAMING * sum(
            self.searcher.doc_freq(BODY, token) for token in tokens
        )

    def is_said_elsewhere(self, tokens: Collection[str]) -> bool:
        """Whether a document that is not titled so says a word."""
        import tantivy

        said = (tantivy.Occur.Must, any_of(_terms(BODY, tokens)))
        titled = (tantivy.Occur.MustNot, any_of(_terms(TITLE, tokens)))
        query = tantivy.Query.boolean_query([said, titled])
        return bool(self.searcher.search(query, limit=1, count=False).hits)

    def is_said(self, version_id: str, tokens: Collection[str]) -> bool:
        """Whether a version of a document holds a word in its title, headings or text."""
        import tantivy

        said = any_of([term for name in TEXT_FIELDS for term in _terms(name, tokens)])
        of_version = tantivy.Query.term_query(_schema(), "version_ids", version_id)
        return bool(self._hits([said, of_version], 1))

    def bearing(self, tokens: Collection[str], like: Collection[str]) -> list[Titled]:
        """Documents with a word and one of the tokens ``like`` in their titles, those with more of
        the latter first."""
        import tantivy

        latest = tantivy.Query.term_query(_schema(), "is_latest", True)
        both = [any_of(_terms(TITLE, tokens)), any_of(_terms(TITLE, like)), latest]
        chunks = [
            str(self.searcher.doc(address).get_first(CHUNK_ID))
            for _, address in self._hits(both, _LOOKED_AT)
        ]
        cells = self.snapshot.served.cells(chunks, ("doc_id", "title"))
        return list(dict.fromkeys(Titled(*cell) for cell in cells))

    def _hits(self, queries: Sequence[tantivy.Query], limit: int) -> Sequence[tuple[float, Any]]:
        import tantivy

        every = tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])
        return self.searcher.search(every, limit=limit, count=False).hits


def _terms(field: str, tokens: Collection[str]) -> list[tantivy.Query]:
    import tantivy

    return [tantivy.Query.term_query(_schema(), field, token) for token in sorted(tokens)]


@lru_cache(maxsize=1)
def _schema() -> tantivy.Schema:
    return build_schema()
