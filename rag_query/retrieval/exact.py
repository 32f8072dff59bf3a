"""The sparse leg: BM25 over title, headings and body (DEV_SPEC 3.2.4, 2)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pydantic import Field

from rag_query.contracts.plan import Mode
from rag_query.library.bm25_schema import (
    BODY,
    CHUNK_ID,
    HEADINGS,
    TEXT_FIELDS,
    TITLE,
    build_schema,
    prefix_query,
)
from rag_query.providers.registry import Params
from rag_query.retrieval.filters import Conditions
from rag_query.retrieval.legs import Ranking, ordered
from rag_query.retrieval.operators import Wild, read_wild
from rag_query.retrieval.preprocess import QueryIR
from rag_query.text.analysis import analyzer
from rag_query.text.matching import QUESTION_WORDS
from rag_query.text.variants import simplified_forms

if TYPE_CHECKING:
    import tantivy

#: A query with more different terms is searched with its rarest.
MAX_TERMS = 128
#: A token that names one thing: letters and digits in one, a long number, an address, a path.
_CODE = re.compile(r"(?=\D*\d)(?=[\d.,]*[^\d.,]).{4,}|\d{5,}|.+[_@/\\:].+", re.DOTALL)
_NO_CODE = re.compile(r"\d+(?:s|st|nd|rd|th)")
#: Chinese words that only ask. Few texts hold them, so they would outrank what is asked about;
#: English ones stand in every text and weigh little.
_ASKING = frozenset(word for word in QUESTION_WORDS if not word.isascii())
#: It names something here when it stands in so many chunks at most.
_NAMED_IN = 3
#: What a prefix that reaches into a word's ending may go on with.
_COMMON = "n on ion tion ation e es ed ing s al ly ment ness ity able er ers c cal"
_ENDINGS = tuple(_COMMON.split())


class SparseParams(Params):
    """``retriever.sparse``.

    Attributes:
        title_boost: weight of the document's title beside the body's 1 (which most often holds
            it too).
        headings_boost: weight of the section path; of both, the higher score counts.
        phrase_boost: weight of a phrase that should stand together.
        wild_score: of a chunk that has a word asked for with ``*`` or ``~``; as much as a rare
            word that stands there once.
        repeat_saturation: how much a repeated query term counts, 0 (once) to 1 (each time).
    """

    title_boost: float = Field(0.2, ge=0, le=100)
    headings_boost: float = Field(0.2, ge=0, le=100)
    phrase_boost: float = Field(2.0, ge=0, le=100)
    wild_score: float = Field(4.0, ge=0, le=100)
    repeat_saturation: float = Field(1.0, ge=0, le=1)


@dataclass(frozen=True, slots=True)
class SparseResult:
    """A ranking, and what the caller should be told.

    Attributes:
        ranking: the hits.
        relaxed: required phrases that stand nowhere; their words were searched instead.
        dropped_terms: terms left out of a very long query.
    """

    ranking: Ranking
    relaxed: tuple[str, ...] = ()
    dropped_terms: int = 0


class _Terms(NamedTuple):
    """The terms of a query that the index holds.

    Attributes:
        terms: each with its weight.
        coverage: their share. Rare terms count more, unknown ones most: it is near 1 for a
            question in a language of the library and low for one in another, though names and
            numbers are known.
        dropped: how many were left out.
        identifiers: see ``Ranking``.
    """

    terms: list[tuple[str, float]]
    coverage: float
    dropped: int
    identifiers: tuple[str, ...]


def is_code(token: str) -> bool:
    """Whether a token is an identifier, as ``E1234``, ``snake_case`` or a long number."""
    return _CODE.fullmatch(token) is not None and _NO_CODE.fullmatch(token) is None


class SparseRetriever(Protocol):
    """Provider type ``retriever``, sparse."""

    def search(
        self,
        searcher: tantivy.Searcher,
        query: QueryIR,
        conditions: Conditions,
        k: int,
        *,
        query_index: int,
        mode: Mode,
        factors: Mapping[str, float] | None = None,
    ) -> SparseResult: ...

    def matching(
        self,
        searcher: tantivy.Searcher,
        query: QueryIR,
        chunk_ids: Sequence[str],
        conditions: Conditions | None = None,
    ) -> set[str]: ...


class Bm25Retriever:
    """BM25 by tantivy; terms come from the analysis the index was made with."""

    def __init__(self, params: SparseParams) -> None:
        boosts = ((TITLE, params.title_boost), (HEADINGS, params.headings_boost))
        self._above = [(name, boost) for name, boost in boosts if boost > 0]
        self._params = params

    def search(
        self,
        searcher: tantivy.Searcher,
        query: QueryIR,
        conditions: Conditions,
        k: int,
        *,
        query_index: int,
        mode: Mode,
        factors: Mapping[str, float] | None = None,
    ) -> SparseResult:
        """The ``k`` best chunks that satisfy the conditions and the query's operators.

        A required phrase that stands nowhere is relaxed to its words, and reported. Chinese words
        that only ask are left out where others are known, but for those in phrases.

        Args:
            factors: token -> what its weight is multiplied by, instead of the query's own.

        Raises:
            ValueError: the index refused the query.
        """
        tokens = analyzer().tokens(query.sparse_query_expr)
        found = self._terms(searcher, tokens, query.factors if factors is None else factors)
        required = list(query.required)
        text = self._scored(found.terms, query)
        hits: list[tuple[float, Any]] = []
        relaxed: list[str] = []
        if text is not None:
            hits = self._hits(searcher, text, required, query.excluded, conditions, k=k)
            if not hits and required:
                relaxed = [p for p in required if not self._stands(searcher, p)]
                required = [p for p in required if p not in relaxed]
                if relaxed:
                    hits = self._hits(searcher, text, required, query.excluded, conditions, k=k)
        chunks = [searcher.doc(address).get_first(CHUNK_ID) for _, address in hits]
        chunk_ids, scores = ordered([str(chunk) for chunk in chunks], [s for s, _ in hits])
        ranking = Ranking(
            query_index,
            mode,
            "sparse",
            chunk_ids,
            scores,
            coverage=found.coverage,
            identifiers=found.identifiers,
        )
        return SparseResult(ranking, tuple(relaxed), found.dropped)

    def matching(
        self,
        searcher: tantivy.Searcher,
        query: QueryIR,
        chunk_ids: Sequence[str],
        conditions: Conditions | None = None,
    ) -> set[str]:
        """Which of the chunks satisfy the query's ``required`` and ``excluded``, and the
        conditions when they are given."""
        import tantivy

        beside = conditions.beside(searcher) if conditions else []
        if not chunk_ids or not (query.required or query.excluded or beside):
            return set(chunk_ids)
        among = tantivy.Query.term_set_query(_schema(), CHUNK_ID, list(chunk_ids))
        required = [p for p in query.required if self._stands(searcher, p)]
        clauses = [
            (tantivy.Occur.Must, among),
            *beside,
            *self._operators(required, query.excluded),
        ]
        found = searcher.search(
            tantivy.Query.boolean_query(clauses), limit=len(chunk_ids), count=False
        )
        return {str(searcher.doc(address).get_first(CHUNK_ID)) for _, address in found.hits}

    def _terms(
        self, searcher: tantivy.Searcher, tokens: Sequence[str], factors: Mapping[str, float]
    ) -> _Terms:
        total = searcher.num_docs
        own = {token for token in tokens if token not in factors}
        known: list[tuple[float, str, float]] = []
        asked = found = 0.0
        identifiers: list[str] = []
        counted = Counter(tokens)
        for term, times in counted.items():
            frequency = max(searcher.doc_freq(name, term) for name in TEXT_FIELDS)
            rarity = math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
            # Words that were added say nothing of how well the library knows the question.
            if term in own:
                asked += rarity
                found += rarity if frequency else 0.0
                if 0 < frequency <= _NAMED_IN and is_code(term):
                    identifiers.append(term)
            if frequency:
                weight = 1 + (times - 1) * self._params.repeat_saturation
                known.append((rarity, term, weight * factors.get(term, 1.0)))
        known = [entry for entry in known if entry[1] not in _ASKING] or known
        known.sort(key=lambda entry: (-entry[0], entry[1]))
        kept = [(term, weight) for _, term, weight in known[:MAX_TERMS]]
        coverage = found / asked if asked else 0.0
        return _Terms(kept, coverage, len(known) - len(kept), tuple(identifiers))

    def _scored(self, terms: Sequence[tuple[str, float]], query: QueryIR) -> tantivy.Query | None:
        """What decides the score: every term in every field, and phrases; None without terms."""
        import tantivy

        clauses = [(tantivy.Occur.Should, query) for query in self._term_queries(terms)]
        for phrase in (*query.phrases, *query.required):
            if (standing := self._phrase(phrase)) is not None and len(phrase.split()) > 1:
                boosted = tantivy.Query.boost_query(standing, self._params.phrase_boost)
                clauses.append((tantivy.Occur.Should, boosted))
        for word in (*query.wild, *query.required):
            if read_wild(word) and (some := self._phrase(word)) is not None:
                scored = tantivy.Query.const_score_query(some, self._params.wild_score)
                clauses.append((tantivy.Occur.Should, scored))
        return tantivy.Query.boolean_query(clauses) if clauses else None

    def _term_queries(self, terms: Sequence[tuple[str, float]]) -> Iterator[tantivy.Query]:
        """Each term in the body, and in the title or the headings, whichever says more: a
        document's title is very often its first heading too, and must not count twice."""
        import tantivy

        for term, weight in terms:
            yield _weighed(BODY, term, weight)
            above = [_weighed(name, term, boost * weight) for name, boost in self._above]
            if above:
                yield tantivy.Query.disjunction_max_query(above)

    def _hits(
        self,
        searcher: tantivy.Searcher,
        text: tantivy.Query,
        required: Sequence[str],
        excluded: Sequence[str],
        conditions: Conditions,
        *,
        k: int,
    ) -> list[tuple[float, Any]]:
        import tantivy

        operators = self._operators(required, excluded)
        beside = conditions.beside(searcher)
        if not operators and not beside:
            query = text
        else:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, text), *beside, *operators])
        return list(searcher.search(query, limit=k, count=False).hits)

    def _operators(
        self, required: Sequence[str], excluded: Sequence[str]
    ) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        import tantivy

        clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for text in required:
            if (standing := self._phrase(text)) is not None:
                silent = tantivy.Query.const_score_query(standing, 0.0)
                clauses.append((tantivy.Occur.Must, silent))
        for text in excluded:
            if (standing := self._phrase(text)) is not None:
                clauses.append((tantivy.Occur.MustNot, standing))
        return clauses

    def _phrase(self, text: str) -> tantivy.Query | None:
        """The text's tokens one after another in any field, or a word that fits ``*`` or ``~``;
        None when it has no tokens."""
        import tantivy

        if (wild := read_wild(text)) is not None:
            return tantivy.Query.disjunction_max_query(list(_wild(wild)))
        tokens = analyzer().tokens(text)
        if not tokens:
            return None
        schema = _schema()
        standing = [
            tantivy.Query.phrase_query(schema, name, list(tokens))
            if len(tokens) > 1
            else tantivy.Query.term_query(schema, name, tokens[0], index_option="freq")
            for name in TEXT_FIELDS
        ]
        return tantivy.Query.disjunction_max_query(standing)

    def _stands(self, searcher: tantivy.Searcher, text: str) -> bool:
        standing = self._phrase(text)
        return standing is not None and bool(searcher.search(standing, limit=1, count=False).hits)


def _weighed(name: str, term: str, weight: float) -> tantivy.Query:
    import tantivy

    query = tantivy.Query.term_query(_schema(), name, term, index_option="freq")
    return tantivy.Query.boost_query(query, weight)


def _wild(wild: Wild) -> Iterator[tantivy.Query]:
    """The indexed tokens that fit. They are stems, so a prefix longer than a word's stem
    (``configura*``) also takes the stems of the words it may become."""
    import tantivy

    word = wild.word.casefold().translate(simplified_forms())
    stem = (analyzer().tokens(wild.word) or [word])[0]
    for name in TEXT_FIELDS:
        if wild.edits is not None:
            yield tantivy.Query.fuzzy_term_query(
                _schema(), name, stem if word.isascii() else word, distance=wild.edits
            )
            continue
        yield prefix_query(name, word)
        for shorter in _stems_begun(word):
            yield tantivy.Query.term_query(_schema(), name, shorter, index_option="freq")


def _stems_begun(prefix: str) -> list[str]:
    """Stems shorter than the prefix, of words that begin with it."""
    if not (prefix.isascii() and prefix.isalpha()):
        return []
    stems = {analyzer().tokens(prefix + ending)[0] for ending in _ENDINGS}
    return sorted(stem for stem in stems if len(stem) < len(prefix) and prefix.startswith(stem))


@lru_cache(maxsize=1)
def _schema() -> tantivy.Schema:
    return build_schema()
