"""How well each sentence of a parent answers a question, by words, facts and, if asked, meaning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_query.generation.question import Question
from rag_query.generation.sentences import Sentence
from rag_query.text.analysis import Analyzer

#: texts -> unit vectors, shape (len(texts), dimensions).
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: What a question's word counts when it stands not in the sentence but beside it.
_BESIDE = 0.35
_ABOVE = 0.5
#: What holding the right kind of thing adds to a coverage of 0 to 1.
_TYPE_BONUS = 0.15
_PAIR_BONUS = 0.25
_MEANING = 1.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and what speaks for it.

    Attributes:
        coverage: share of the question's weight that stands in the sentence, 0 to 1.
        context: the same, the sentences beside it and the headings above counted in full.
        typed: holds something of the kind the question asks for.
        cosine: with the question; None when meaning was not looked at.
        terms: the question's words that stand in the sentence or in the headings above it.
        score: all together; only its order matters.
    """

    sentence: Sentence
    coverage: float
    context: float
    typed: bool
    pairs: float
    cosine: float | None
    terms: frozenset[str]
    score: float


def score_sentences(
    question: Question,
    sentences: Sequence[Sentence],
    analyzer: Analyzer,
    *,
    embed: Embed | None = None,
) -> list[Scored]:
    """Every sentence with its score, in the order given.

    Args:
        embed: looks at meaning too; needed where question and document share no words.
    """
    if not sentences:
        return []
    tokens = [analyzer.tokens(sentence.text) for sentence in sentences]
    bags = [frozenset(each) for each in tokens]
    above = {
        path: frozenset(analyzer.tokens(path))
        for path in {f"{s.chunk.title} / {s.chunk.section_path}" for s in sentences}
    }
    cosines = _cosines(question, sentences, embed)
    low, spread = _scale(cosines)
    order = list(question.terms)
    asked_pairs = set(itertools.pairwise(order))
    whole = question.weight or 1.0
    found: list[Scored] = []
    for index, sentence in enumerate(sentences):
        bag = bags[index]
        beside = bags[index - 1] if index else frozenset()
        after = bags[index + 1] if index + 1 < len(bags) else frozenset()
        heads = above[f"{sentence.chunk.title} / {sentence.chunk.section_path}"]
        coverage = context = weighed = 0.0
        held = set()
        for term, weight in question.terms.items():
            if term in bag or term in heads:
                held.add(term)
            if term in bag:
                coverage += weight
                context += weight
                weighed += weight
            elif term in heads:
                context += weight
                weighed += weight * _ABOVE
            elif term in beside or term in after:
                context += weight
                weighed += weight * _BESIDE
        sequence = tokens[index]
        pairs = len(asked_pairs & set(itertools.pairwise(sequence)))
        pair_share = pairs / len(asked_pairs) if asked_pairs else 0.0
        typed = question.holds_type(sentence.text)
        score = weighed / whole + _TYPE_BONUS * typed + _PAIR_BONUS * pair_share
        cosine = cosines[index] if cosines is not None else None
        if cosine is not None:
            score += _MEANING * (cosine - low) / spread
        found.append(
            Scored(
                sentence,
                coverage / whole,
                context / whole,
                typed,
                pair_share,
                cosine,
                frozenset(held),
                score,
            )
        )
    return found


def _cosines(
    question: Question, sentences: Sequence[Sentence], embed: Embed | None
) -> list[float] | None:
    if embed is None:
        return None
    vectors = embed([question.text, *(s.text for s in sentences)])
    found: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return found


def _scale(cosines: list[float] | None) -> tuple[float, float]:
    """The least of a parent's cosines, and how far they spread (at least a little)."""
    if not cosines:
        return 0.0, 1.0
    return min(cosines), max(max(cosines) - min(cosines), 1e-6)
