"""Bounded pseudo-relevance feedback: the keywords of the best hits join the question.

The idea is RM3's (Abdul-Jaleel et al. 2004): what the first answers speak of, the answers not
found yet may speak of, too. The terms weigh less than the question's own words, and the leg that
searches them less than the legs of the question, so a wrong guess costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rag_query.contracts.evidence import ExpansionTerm
from rag_query.library.served import ServedChunks
from rag_query.retrieval.exact import analyzer
from rag_query.retrieval.preprocess import QueryIR

MAX_TERMS = 5
#: Weight of a term all the hits have, beside 1 for a word of the question.
TERM_WEIGHT = 0.5


def expansion_terms(
    query: QueryIR, seeds: Mapping[str, float], served: ServedChunks
) -> list[ExpansionTerm]:
    """At most :data:`MAX_TERMS` keywords without a word of the query, heaviest first.

    A term's weight is the share of the hits' strength that has it.

    Args:
        seeds: chunk_id -> strength of the best hits.
    """
    asked = _tokens(query.sparse_query_expr) | _tokens(" ".join(query.excluded))
    rows = served.rows(list(seeds), columns=["chunk_id", "keywords"]).to_pylist()
    holders: dict[frozenset[str], tuple[str, set[str]]] = {}
    for row in rows:
        for keyword in row["keywords"]:
            tokens = _tokens(keyword)
            if tokens and not tokens & asked:
                # Inflected forms of one word are one term.
                holders.setdefault(tokens, (keyword, set()))[1].add(row["chunk_id"])
    total = sum(seeds.values()) or 1.0
    terms = [
        ExpansionTerm(
            term=keyword,
            weight=round(TERM_WEIGHT * sum(seeds[chunk] for chunk in chunks) / total, 4),
            hits=len(chunks),
        )
        for keyword, chunks in holders.values()
    ]
    return sorted(terms, key=lambda term: (-term.weight, term.term))[:MAX_TERMS]


def expanded(query: QueryIR, terms: list[ExpansionTerm]) -> tuple[QueryIR, dict[str, float]]:
    """The query with the terms, and token -> factor of its weight for the tokens they bring."""
    factors: dict[str, float] = {}
    for term in terms:
        for token in _tokens(term.term):
            factors[token] = max(factors.get(token, 0.0), term.weight)
    words = " ".join((query.sparse_query_expr, *(term.term for term in terms)))
    return replace(query, sparse_query_expr=words), factors


def _tokens(text: str) -> frozenset[str]:
    return frozenset(analyzer().tokens(text))
