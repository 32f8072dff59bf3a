"""What the document asks before a sentence, or names or denies above it. Both languages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rag_query.generation.passages.sections import nearest_of, together
from rag_query.generation.passages.sentences import Sentence, is_question
from rag_query.generation.questions.properties import label_of
from rag_query.generation.questions.question import Question
from rag_query.generation.vocabulary.answer_types import AnswerType
from rag_query.generation.vocabulary.facts import negated
from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.generation.vocabulary.words import ASKING
from rag_query.text.analysis import Analyzer

#: Kinds of answers that may be a whole list.
_LISTS = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.REASON, AnswerType.OTHER)
#: Share of the question's weight from which on headings name what is asked for.
_NAMES = 0.5
#: The same, where they name nothing else.
_NAMES_TOPIC = 0.6
#: Headings of what is done, whatever it is for, which the document's title says.
_PROCEDURE = re.compile(
    r"(?i:\W*(?:the )?(?:procedures?|steps?|methods?|directions?|instructions?|process)\W*)"
    r"|\W*(?:操作|实验|具体)?(?:步骤|流程|方法|过程|做法|操作)\W*"
)
_ASKS_STEPS = re.compile(r"\b(?:steps|procedure)\b|步骤|流程", re.IGNORECASE)
#: That something is done, as stems: what tells how does not say so.
_DONE = frozenset(("made", "make", "done", "carri", "perform", "procedur", "step", "步骤", "流程"))
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
    denies what the question denies. Of the steps below "Procedure" the title says what they are
    for.

    Args:
        heading: tokens of the heading right above.
    """
    above = nearest_of(sentence)
    goes_on = before is not None and together(before, sentence)
    begins_list = not (goes_on and before is not None and before.is_item)
    if not sentence.asked and begins_list and asks_how(question) and begins_steps(sentence):
        title = sentence.chunk.title
        titled = set(base_forms(analyzer.tokens(title))) | _DONE
        return f"{title}: {above}" if question.terms.keys() <= titled else ""
    if sentence.asked or goes_on:
        return sentence.asked
    if is_question(above) or _denies_as(question, above, heading):
        return above
    if not asks_how(question) or heading.isdisjoint(question.terms):
        return ""
    left = question.terms.keys() - heading - _DONE
    return above if left <= set(base_forms(analyzer.tokens(sentence.chunk.title))) else ""


def steps_before_prose(led: Sequence[str], sentences: Sequence[Sentence]) -> list[str]:
    """What each sentence answers; where steps do, the line below the document's title does not,
    which names its author or its version."""
    pairs = list(zip(led, sentences, strict=True))
    if not any(text and begins_steps(s) for text, s in pairs):
        return list(led)
    return ["" if text == s.chunk.title and s.number is None else text for text, s in pairs]


def begins_steps(sentence: Sentence) -> bool:
    """Whether a sentence is the first step below a heading that says no more than that."""
    return sentence.number == 1 and _PROCEDURE.fullmatch(nearest_of(sentence)) is not None


def asks_how(question: Question) -> bool:
    """Whether a question asks how something is done, or for the steps."""
    if question.answer_type is not AnswerType.OTHER:  # How long the procedure takes, who does it.
        return question.answer_type is AnswerType.METHOD
    return _ASKS_STEPS.search(question.asking) is not None


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
    dogs, where that is asked for, is one item below "Fees". Of numbered steps that are asked for
    one may say as much as their heading.

    Args:
        tokens: of the sentence.
        heading: tokens of the heading right above.
        headings: those of all headings above.
    """
    terms = question.terms.keys()
    said = terms & set(tokens)
    if not said <= headings or _weight(question, terms & headings) < _NAMES * question.weight:
        return False
    if asks_how(question):
        return sentence.number is not None and not heading.isdisjoint(terms)
    if not sentence.is_item or question.answer_type not in _LISTS:
        return False
    if sentence.cells and _ONE.search(question.asking):
        return False
    return _weight(question, said) < _weight(question, terms & heading)


def topic_above(
    question: Question, sentence: Sentence, heading: frozenset[str], analyzer: Analyzer
) -> frozenset[str]:
    """The words of a heading that are nearly all of what a question asks about, and nothing more:
    what stands below says it, but for a line that gives a value which is not asked for. Of when and
    how many it says no more than any other."""
    heading -= ASKING  # "What is a vault?" names the vault.
    if question.answer_type is not AnswerType.OTHER or not heading <= question.terms.keys():
        return frozenset()
    if _weight(question, heading) < _NAMES_TOPIC * question.weight:
        return frozenset()
    label = label_of(sentence.text)
    told = not label or not question.terms.keys().isdisjoint(analyzer.tokens(label))
    return heading if told else frozenset()


def _weight(question: Question, terms: Collection[str]) -> float:
    return sum(question.terms[term] for term in terms)
