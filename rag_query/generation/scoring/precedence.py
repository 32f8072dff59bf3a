"""Which sentence an answer begins with, among those that speak for it alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag_query.generation.passages.sections import headings_of
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.properties import label_of
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.leads import begins_steps
from rag_query.generation.scoring.scored import ALL, OTHER, TAKES_UP, Scored
from rag_query.generation.vocabulary.answer_types import AnswerType, asks_measure, tells_time
from rag_query.generation.vocabulary.asking import offers_choice
from rag_query.generation.vocabulary.free_of_charge import without_price
from rag_query.generation.vocabulary.how_often import asks_how_often
from rag_query.generation.vocabulary.words import ASKING

#: Share of the best score at which a sentence that holds what is asked for goes first.
_NEAR = 0.7
#: What a value answers, and not what the thing is that has one.
_OF_VALUES = (AnswerType.NUMBER, AnswerType.DATE)
_HOW_LONG = re.compile(r"\bhow long\b|多(?:久|长时间)", re.IGNORECASE)
#: What sentences tell a reason with; many do without.
_REASON = re.compile(
    r"\b(?:because|due to|owing to|thanks to|as a result of|caused|so that|reasons?|led to)\b"
    r"|因为|由于|因此|原因|所致|导致|为了|以致|缘于|源于",
    re.IGNORECASE,
)
#: What follows such a word, to the end of its clause.
_CAUSE = re.compile(
    r"(?:\b(?:because|due to|owing to)\b|因为|由于)(?P<cause>[^,;，；。]*)", re.IGNORECASE
)
_WORD = re.compile(r"\w")
#: What stands for a thing that the sentences beside speak of.
_IT = re.compile(r"\b(?:it|its|they|them|their)\b|[它牠她]|(?<!其)他", re.IGNORECASE)
#: What asks what a thing is or does, and how a sentence goes on that begins with it and says it.
_WHAT_IS = re.compile(
    r"^\W*(?:what(?:['’]s|\s+(?:is|are))\s+(?:an?\s+)?(?!the\s)"
    r"(?P<thing>[^\W\d_][\w -]{1,40}?)(?:\s+(?:used\s+)?for)?"
    r"|what\s+do(?:es)?\s+(?:(?:an?|the)\s+)?(?P<doer>[\w -]{2,40}?)\s+do"
    r"|什么是\s*(?P<after>[\w -]{2,20})"
    r"|(?P<before>[\w -]{2,20}?)\s*是(?:什么(?:意思)?|指什么|[做干]什么用?的))\W*$",
    re.IGNORECASE,
)
_IS = r"s?(?:\s+(?:is|are)\s+(?:an?|the)\b|\s*是?指|\s*是(?![否不])|\s*用[于来])"
#: How one goes on that says what a thing is there for.
_CAN = r"s?(?:\s+(?:can|lets?|helps?|allows?)\b|\s*可(?!能))"
_ENDS = (".", "!", "。", "！")
#: What a whole sentence ends with, and what may stand behind that.
_WHOLE, _CLOSING = (*_ENDS, ":", "："), ')）"”'
#: An item that says something of what it names.
_SAYS_OF = re.compile(r"\w\W{0,9}[:：]\W{0,9}\w")


def in_order(
    question: Question,
    found: list[Scored],
    near: Sequence[Sequence[float]],
    tokens: Sequence[Sequence[str]],
) -> list[Scored]:
    """Sentences with what tells only which of them goes first.

    Args:
        near: see :func:`_about_rarest`; read only where a number is asked for.
        tokens: of each sentence.
    """
    if question.answer_type is AnswerType.NUMBER:
        found = _about_rarest(found, near)
        found = [
            replace(each, answers=each.answers and not _is_of_another(question, each, found))
            for each in found
        ]
    elif any(each.gives for each in found):
        found = [replace(each, tells_best=each.gives) for each in found]
    elif any(steps := [bool(each.led_by) and begins_steps(each.sentence) for each in found]):
        found = [replace(each, tells_best=tells) for each, tells in zip(found, steps, strict=True)]
    elif question.answer_type is AnswerType.REASON:
        cued = (_tells_reason(question, each.sentence.text) for each in found)
        found = [replace(each, tells_best=tells) for each, tells in zip(found, cued, strict=True)]
    elif question.asks_event:
        found = [_when(question, each) for each in found]
    elif question.asks_who:
        found = [replace(each, tells_best=each.typed) for each in found]
    elif question.answer_type is AnswerType.OTHER and (match := _WHAT_IS.match(question.asking)):
        thing = re.escape(next(filter(None, match.groups())))
        begins = rf"\W*(?:(?:an?|the)\s+)?{thing}"
        says = re.compile(begins + _IS, re.IGNORECASE)
        telling = [each for each in found if says.match(each.sentence.text)]
        telling = telling or _opening(found, re.compile(begins + _CAN, re.IGNORECASE))
        told = {each.sentence.order for each in telling}
        found = [replace(each, tells_best=each.sentence.order in told) for each in found]
    if question.answer_type is not AnswerType.YES_NO and not offers_choice(question.text):
        found = [
            replace(each, score=each.score - OTHER) if _only_asks(question, each, said) else each
            for each, said in zip(found, tokens, strict=True)
        ]
    return found


def _opening(found: Sequence[Scored], can: re.Pattern[str]) -> list[Scored]:
    """The sentence that opens a document whose title names all that is asked about: it says what
    that is, be it without a word of the question. A note says something else, and so may words
    (of thanks) before one that says what the thing can do."""
    if not all(each.above >= ALL for each in found):
        return []
    prose = [e for e in found if not (e.sentence.is_code or e.sentence.cells)]
    whole = [e for e in prose if e.sentence.text.rstrip(_CLOSING).endswith(_WHOLE)]
    whole = [e for e in whole if not label_of(e.sentence.text)]
    first = [e for e in whole[:1] if not e.sentence.is_item]
    beside = [e for e in whole if first and _in_section_of(first[0].sentence, e.sentence)]
    return [e for e in beside if can.match(e.sentence.text)][:1] or first


def _tells_reason(question: Question, text: str) -> bool:
    """Whether a sentence tells a reason, and not what came of that for which one is asked: of the
    question's words its cause holds fewer than the rest of it."""
    if (clause := _CAUSE.search(text)) is not None:
        rest = f"{text[: clause.start()]} {text[clause.end() :]}".casefold()
        cause = clause["cause"].casefold()
        asked = {term for term in question.terms if term in cause}
        told = {term for term in question.terms.keys() - asked if term in rest}
        if asked and len(asked) >= len(told) and _WORD.search(rest):
            return False
    return _REASON.search(text) is not None


def first_of(question: Question, ranked: Sequence[Scored]) -> int:
    """Which sentence an answer begins with: the best, or one nearly as good that holds what is
    asked for, above all one that tells best. Where none nearly as good tells how long something is,
    one in the section of the best: "The warranty does not cover …" does not, "… for 24 months"
    below the same heading does. Any other number there may be of anything, unless it is said of
    what the sentences beside it speak of ("They won it twice").

    Args:
        ranked: at least one, best first.
    """
    best = ranked[0]
    answering = [n for n, s in enumerate(ranked) if s.answers]
    near = [n for n in answering if ranked[n].score >= best.score * _NEAR]
    if question.answer_type is AnswerType.COLOUR:
        # "The front is salmon" may name one that no list has.
        near = [n for n in near if ranked[n].coverage >= best.coverage * _NEAR]
    if not near:
        beside = [n for n in answering if _in_section_of(best.sentence, ranked[n].sentence)]
        asking = question.asking
        is_long = _HOW_LONG.search(asking) is not None and not asks_how_often(asking)
        near = [n for n in beside if is_long or _IT.search(ranked[n].sentence.text)]
    return next((n for n in near if ranked[n].tells_best), near[0] if near else 0)


def begins_with_answer(question: Question, scored: Sequence[Scored]) -> bool:
    """Whether an answer of these sentences begins with what is asked for: where that is a number
    with a unit (多久, "how heavy"), one in a sentence that says far less of the question is of
    another thing. What is counted may be told in words that no rule knows; so may a measure, by a
    sentence that says all of the question ("The club house is next to the station"). A price
    often stands behind the sentence that names what it is of: "The fee is 40 euros."."""
    if question.answer_type is not AnswerType.NUMBER or not asks_measure(question.asking):
        return True
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    first = ranked[first_of(question, ranked)]
    return first.answers or first.coverage >= ALL


def _in_section_of(one: Sentence, other: Sentence) -> bool:
    same = one.chunk.chunk_id == other.chunk.chunk_id
    return same and headings_of(one) == headings_of(other)


def _about_rarest(scored: Sequence[Scored], weights: Sequence[Sequence[float]]) -> list[Scored]:
    """Which numbers are of the thing asked about, not of what is alike but for the word that tells
    it apart: of all words of the question that stand anywhere, the rarest stands by them, or no
    sentence holds more of the question.

    Args:
        weights: of the question's words that stand in each sentence, in what it answers or in the
            headings above; of one that takes up the sentence before, in that as well.
    """
    rarest = max((max(each, default=0.0) for each in weights), default=0.0)
    most = max(map(sum, weights))
    about = [max(each, default=0.0) >= rarest or sum(each) >= most for each in weights]
    return [replace(each, tells_best=holds) for each, holds in zip(scored, about, strict=True)]


def _when(question: Question, scored: Scored) -> Scored:
    """A sentence as it answers when something happened: one that tells no time and, where the
    question goes on from another, speaks of that one's words alone, goes behind all others."""
    if scored.typed or tells_time(question.asking, scored.sentence.text):
        return scored
    is_other = bool(question.own) and scored.terms.isdisjoint(question.own)
    score = scored.score - OTHER if is_other else scored.score
    return replace(scored, tells_best=False, score=score)


def _is_of_another(question: Question, scored: Scored, found: Sequence[Scored]) -> bool:
    """Whether a sentence says that something is free, and not that of which the price is asked:
    another one speaks of that in the same words and one more, as rare (加急配送 and 标准配送)."""
    text = scored.sentence.text
    if TAKES_UP.match(text) or not question.is_only_told_free(text):
        return False
    mine = without_price(scored.terms)
    rarest = max((question.terms[term] for term in mine), default=0.0)
    others = (without_price(each.terms) - mine for each in found if mine and mine < each.terms)
    return any(question.terms[term] >= rarest for more in others for term in more)


def _only_asks(question: Question, scored: Scored, tokens: Sequence[str]) -> bool:
    """Whether an item or a line of its own holds nothing but the question's own words: it names
    what something is said of elsewhere."""
    sentence = scored.sentence
    if sentence.asked or sentence.opens_list or sentence.text.endswith(_ENDS):
        return False
    if _SAYS_OF.search(sentence.text):
        return False
    said = set(tokens) - ASKING
    return bool(said) and said <= question.terms.keys()
