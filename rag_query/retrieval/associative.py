"""Bounded expansion of an associative query, each part of it listed and weighted.

* **Keywords** of the best hits (co-occurrence), and **relevance terms**: words that set the hits'
  text apart from the library's (RM3, Abdul-Jaleel et al. 2004, with tf-idf as the model). What the
  first answers speak of, the answers not found yet may speak of, too.
* **Variants** of the question by a language model, where one is configured.
* **Neighbours**: the question's embedding moved towards the hits' mean (Rocchio 1971).

Terms weigh less than the question's own words, and the legs that search them less than the legs of
the question (``further.py``), so a wrong guess costs little.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.explain import ExpansionTerm
from rag_query.library.served import ServedChunks
from rag_query.retrieval.further import (
    FEEDBACK_WEIGHT,
    MAX_KEYWORDS,
    MAX_RELEVANCE_TERMS,
    MAX_VARIANTS,
    TERM_WEIGHT,
)
from rag_query.retrieval.preprocess import QueryIR
from rag_query.text.analysis import WORDS, analyzer
from rag_query.text.matching import FUNCTION_WORDS

#: token -> share of the library's chunks that hold it, above 0.
Rarity = Callable[[str], float]


def expansion_terms(
    query: QueryIR, seeds: Mapping[str, float], served: ServedChunks, rarity: Rarity
) -> list[ExpansionTerm]:
    """Terms without a word of the query, heaviest first: keywords, relevance terms, variants.

    Args:
        seeds: chunk_id -> strength of the best hits.
        rarity: tells words that set a text apart from those every text has.
    """
    asked = _tokens(query.sparse_query_expr) | _tokens(" ".join(query.excluded))
    columns = ["chunk_id", "keywords", "chunk_text"]
    rows = served.rows(list(seeds), columns=columns).to_pylist()
    total = sum(seeds.values()) or 1.0
    held = {row["chunk_id"]: row["keywords"] for row in rows}
    keywords = _keywords(held, seeds, asked, total)
    known = asked.union(*(_tokens(term.term) for term in keywords))
    texts = {row["chunk_id"]: row["chunk_text"] for row in rows}
    relevance = _relevance_terms(texts, seeds, known, total, rarity)
    variants = [
        ExpansionTerm(term=text, weight=TERM_WEIGHT, hits=0, source="variant")
        for text in query.variants[:MAX_VARIANTS]
    ]
    return sorted(
        [*keywords, *relevance, *variants], key=lambda term: (-term.weight, term.source, term.term)
    )


def expanded(query: QueryIR, terms: list[ExpansionTerm]) -> tuple[QueryIR, dict[str, float]]:
    """The query with the terms, and token -> factor of its weight for the tokens they bring."""
    asked = _tokens(query.sparse_query_expr)
    factors = dict(query.factors)
    for term in terms:
        for token in _tokens(term.term) - asked:
            factors[token] = max(factors.get(token, 0.0), term.weight)
    words = " ".join((query.sparse_query_expr, *(term.term for term in terms)))
    return replace(query, sparse_query_expr=words), factors


def moved(
    question: NDArray[np.float32],
    hits: Mapping[str, NDArray[np.float32]],
    seeds: Mapping[str, float],
) -> NDArray[np.float32] | None:
    """The question's vector moved towards its hits, of length 1; None when no hit has one."""
    strengths = {chunk: seeds[chunk] for chunk in hits if chunk in seeds}
    total = sum(strengths.values())
    if not total:
        return None
    mean = sum(
        (hits[chunk] * (strength / total) for chunk, strength in sorted(strengths.items())),
        np.zeros_like(question),
    )
    vector = question + FEEDBACK_WEIGHT * mean
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length else None


def _keywords(
    held: Mapping[str, Sequence[str]],
    seeds: Mapping[str, float],
    asked: frozenset[str],
    total: float,
) -> list[ExpansionTerm]:
    """A term's weight is the share of the hits' strength that has it."""
    holders: dict[frozenset[str], tuple[str, set[str]]] = {}
    for chunk, keywords in held.items():
        for keyword in keywords:
            tokens = _tokens(keyword)
            if tokens and not tokens & asked:
                # Inflected forms of one word are one term.
                holders.setdefault(tokens, (keyword, set()))[1].add(chunk)
    terms = [
        ExpansionTerm(
            term=keyword,
            weight=round(TERM_WEIGHT * sum(seeds[chunk] for chunk in chunks) / total, 4),
            hits=len(chunks),
        )
        for keyword, chunks in holders.values()
    ]
    return sorted(terms, key=lambda term: (-term.weight, term.term))[:MAX_KEYWORDS]


def _relevance_terms(
    texts: Mapping[str, str],
    seeds: Mapping[str, float],
    known: frozenset[str],
    total: float,
    rarity: Rarity,
) -> list[ExpansionTerm]:
    """Words of at least two hits, by the strength-weighted tf-idf of the hits' texts."""
    written: dict[str, str] = {}
    scores: dict[str, float] = {}
    holders: dict[str, set[str]] = {}
    for chunk, text in texts.items():
        counted: Counter[str] = Counter()
        for word in WORDS.findall(text):
            for token in analyzer().tokens(word):
                counted[token] += 1
                written.setdefault(token, token if token in word else word)
        length = sum(counted.values()) or 1
        for token, times in counted.items():
            if token in known or token in FUNCTION_WORDS or not _says_something(token):
                continue
            said = seeds[chunk] / total * times / length * -math.log(rarity(token))
            scores[token] = scores.get(token, 0.0) + said
            holders.setdefault(token, set()).add(chunk)
    shared = [token for token in scores if len(holders[token]) > 1 and scores[token] > 0]
    best = sorted(shared, key=lambda token: (-scores[token], token))[:MAX_RELEVANCE_TERMS]
    top = max((scores[token] for token in best), default=1.0)
    return [
        ExpansionTerm(
            term=written[token],
            weight=round(TERM_WEIGHT / 2 * scores[token] / top, 4),
            hits=len(holders[token]),
            source="relevance",
        )
        for token in best
    ]


def _says_something(token: str) -> bool:
    return token.isalpha() and len(token) > (2 if token.isascii() else 1)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(analyzer().tokens(text))
