"""What the document asks before a sentence, or names or denies above it. Both languages."""

from __future__ import annotations

import re
from collections.abc import Collection

from rag_query.generation.answer_types import AnswerType
from rag_query.generation.facts import negated
from rag_query.generation.question import Question
from rag_query.generation.sections import nearest_of, together
from rag_query.generation.sentences import Sentence, is_question
from rag_query.generation.verb_forms import base_forms
from rag_query.text.analysis import Analyzer

#: Kinds of answers that may be a whole list.
_LISTS = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.REASON, AnswerType.OTHER)
#: Share of the question's weight from which on headings name what is asked for.
_NAMES = 0.5
#: One thing is asked for, which may be a row that the words do not tell from others: grade A.
_ONE = re.compile(r"\bwhat(?:['’]s| is| was)\b|\bwhich one\b|哪一?个|是什么", re.IGNORECASE)


def led_by(
    question: Question,
    sentence: Sentence,
    before: Sentence | None,
    heading: frozenset[str],
    analyzer: Analyzer,
) -> str:
    """What the document itself asks before a sentence: a question, or the heading above the first
    sentence of a section, where it asks, names all of that of which the question asks how, or
    denies what the question denies.

    Args:
        heading: tokens of the heading right above.
    """
    if sentence.asked or (before is not None and together(before, sentence)):
        return sentence.asked
    above = nearest_of(sentence)
    if is_question(above) or _denies_as(question, above, heading):
        return above
    if question.answer_type is not AnswerType.METHOD or heading.isdisjoint(question.terms):
        return ""
    left = question.terms.keys() - heading
    return above if left <= set(base_forms(analyzer.tokens(sentence.chunk.title))) else ""


def denies(question: Question, text: str, led_by: str, said: frozenset[str]) -> bool:
    """Whether a sentence, or the heading that it stands for, denies what the question does."""
    told = text if is_question(led_by) else f"{led_by} {text}"
    return not question.denies.isdisjoint(said) and negated(told) > 0


def _denies_as(question: Question, above: str, heading: frozenset[str]) -> bool:
    """Whether a heading denies what the question does, and names what is asked for."""
    if question.denies.isdisjoint(heading) or not negated(above):
        return False
    return _weight(question, question.terms.keys() & heading) >= _NAMES * question.weight


def is_named_above(
    question: Question,
    sentence: Sentence,
    tokens: Collection[str],
    heading: frozenset[str],
    headings: frozenset[str],
) -> bool:
    """Whether a sentence is an item of a list of what is asked for, as the heading right above
    names it: it says less of the question than that, and nothing that no heading does. A fee for
    dogs, where that is asked for, is one item below "Fees".

    Args:
        tokens: of the sentence.
        heading: tokens of the heading right above.
        headings: those of all headings above.
    """
    if not sentence.is_item or question.answer_type not in _LISTS:
        return False
    if sentence.cells and _ONE.search(question.asking):
        return False
    terms = question.terms.keys()
    said = terms & set(tokens)
    return (
        said <= headings
        and _weight(question, said) < _weight(question, terms & heading)
        and _weight(question, terms & headings) >= _NAMES * question.weight
    )


def _weight(question: Question, terms: Collection[str]) -> float:
    return sum(question.terms[term] for term in terms)
