"""How well each sentence of a parent answers a question, by words, facts and, if asked, meaning."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_query.generation.facts import dates, latin_names, values
from rag_query.generation.question import AnswerType, Question
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
        similarity: cosine with the question; None when meaning was not looked at.
        terms: the question's words that stand in the sentence or in the headings above it.
        score: all together; only its order matters.
    """

    sentence: Sentence
    coverage: float
    context: float
    typed: bool
    pairs: float
    similarity: float | None
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
    similarities = _similarities(question, sentences, embed)
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
        typed = holds_type(question, sentence.text)
        score = weighed / whole + _TYPE_BONUS * typed + _PAIR_BONUS * pair_share
        similarity = similarities[index] if similarities is not None else None
        if similarity is not None:
            score += _MEANING * similarity
        found.append(
            Scored(
                sentence,
                coverage / whole,
                context / whole,
                typed,
                pair_share,
                similarity,
                frozenset(held),
                score,
            )
        )
    return found


def holds_type(question: Question, text: str) -> bool:
    """Whether a text holds something of the kind asked that the question does not name itself."""
    match question.answer_type:
        case AnswerType.NUMBER:
            return bool(values(text) - question.numbers)
        case AnswerType.DATE:
            return any(date not in question.text for date in dates(text))
        case AnswerType.PERSON | AnswerType.PLACE if question.language == "en":
            return any(name not in question.text for name in latin_names(text))
        case _:
            return True


def _similarities(
    question: Question, sentences: Sequence[Sentence], embed: Embed | None
) -> list[float] | None:
    """Cosines, scaled so that the parent's least like sentence is 0 and its most like is 1."""
    if embed is None:
        return None
    vectors = embed([question.text, *(s.text for s in sentences)])
    cosines = vectors[1:] @ vectors[0]
    spread = float(cosines.max() - cosines.min())
    if spread <= 0:
        return [0.0] * len(sentences)
    scaled: list[float] = ((cosines - cosines.min()) / spread).tolist()
    return scaled
