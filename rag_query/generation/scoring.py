"""How well each sentence of a parent answers a question, by words, facts and, if asked, meaning."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_query.cancellation import checkpoint
from rag_query.generation.answer_types import AnswerType, tells_time
from rag_query.generation.free_of_charge import without_price
from rag_query.generation.properties import gives_property
from rag_query.generation.question import Question
from rag_query.generation.sections import all_above, headings_of, nearest_of, together
from rag_query.generation.sentences import Sentence, is_question
from rag_query.generation.stated import spoken_of
from rag_query.generation.table_rows import placed_numbers
from rag_query.generation.words import ASKING
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
#: What speaks of another version or year than the question goes behind all that does not.
_OTHER = 2.0
#: Share of the best score at which a sentence that holds what is asked for goes first.
_NEAR = 0.7
#: How a sentence begins that goes on about what the one before speaks of.
TAKES_UP = re.compile(
    r"(?:it|its|they|their|this|these|that|he|his|she|her|both|such)\b|[它他她其该此这本]",
    re.IGNORECASE,
)
#: The question names what may answer it itself.
_CHOICE = re.compile(r"\bor\b|还是|或", re.IGNORECASE)
#: An item that says something of what it names.
_SAYS_OF = re.compile(r"\w\W{0,9}[:：]\W{0,9}\w")
#: Sentences whose meaning is looked at: those of the best passages, then of the best words. As
#: many take about two seconds on two cores.
_EMBEDDED = 256
#: Sentences embedded between two looks at whether the answer is still wanted.
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and what speaks for it.

    Attributes:
        coverage: share of the question's weight that stands in the sentence, 0 to 1.
        context: the same, the sentences beside it and the headings above counted in full.
        typed: holds something of the kind the question asks for; where it asks when something
            happened, a heading that is a date and nothing more may.
        answers: where a number is asked for, holds one, and of what the question is about.
        tells_best: goes before others nearly as good: of those that answer, where a number is
            asked for, stands by the rarest word of the question; where a name or the time of an
            event is, holds one.
        speaks: of the version, year, setting and the like that the question states, and not of
            another.
        cosine: with the question; None when meaning was not looked at.
        terms: the question's words that stand in the sentence or in the headings above it.
        score: all together; only its order matters.
        above: share of the question's weight that stands in the headings above, 0 to 1.
        led_by: the question or the heading of the document that it answers, if any.
        gives: gives the property asked for by its name.
    """

    sentence: Sentence
    coverage: float
    context: float
    typed: bool
    pairs: float
    cosine: float | None
    terms: frozenset[str]
    score: float
    answers: bool = True
    tells_best: bool = True
    speaks: bool = True
    above: float = 0.0
    led_by: str = ""
    gives: bool = False

    @property
    def precedence(self) -> tuple[float, float]:
        """The greater goes first: its score; among equals what the headings above say of the
        question. What stands first in the document goes before what is equal in both: documents
        open with sentences that say what a thing is."""
        return round(self.score, 6), self.above

    @property
    def leads(self) -> bool:
        """Whether what follows is part of what it says: a list it opens, or whose first item it is
        where the document asks for a list."""
        return self.sentence.opens_list or (bool(self.led_by) and self.sentence.is_item)


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
    bags = [
        _bag(question, sentence, each, analyzer)
        for sentence, each in zip(sentences, tokens, strict=True)
    ]
    above = {
        path: frozenset(analyzer.tokens(path)).union(*map(question.said_by, all_above(sentence)))
        for path, sentence in {headings_of(s): s for s in sentences}.items()
    }
    nearest = {
        path: frozenset(analyzer.tokens(path)) for path in {nearest_of(s) for s in sentences}
    }
    led = [
        _led_by(question, sentence, before, nearest[nearest_of(sentence)], analyzer)
        for before, sentence in zip([None, *sentences], sentences, strict=False)
    ]
    answered = [analyzer.tokens(text) if text else [] for text in led]
    speaks = spoken_of(question.stated, sentences)
    order = list(question.terms)
    asked_pairs = set(itertools.pairwise(order))
    whole = question.weight or 1.0
    none: frozenset[str] = frozenset()
    asks_event = question.asks_event
    found: list[Scored] = []
    near: list[list[float]] = []
    for index, sentence in enumerate(sentences):
        bag = bags[index].union(answered[index])
        # What answers a question begins anew, and what stands before that question is no part.
        beside = bags[index - 1].union(answered[index - 1]) if index and not led[index] else none
        after = bags[index + 1] if index + 1 < len(bags) and not led[index + 1] else none
        heads = above[headings_of(sentence)]
        own = nearest[nearest_of(sentence)]
        lead = beside if index and together(sentences[index - 1], sentence) else none
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
        neighbours = _joined(question, sentence.text).union(
            itertools.pairwise(sequence),
            _joined(question, led[index]),
            itertools.pairwise(answered[index]),
        )
        pairs = len(asked_pairs & neighbours)
        pair_share = pairs / len(asked_pairs) if asked_pairs else 0.0
        typed = question.holds_type(sentence.text) or (
            asks_event
            and any(question.is_told_above(h, sentence.text) for h in all_above(sentence))
        )
        gives = gives_property(sentence, question.attribute, question.terms, analyzer)
        score = weighed / whole + _TYPE_BONUS * typed + _PAIR_BONUS * max(pair_share, gives)
        takes_up = TAKES_UP.match(sentence.text) is not None
        said = held.union(answered[index], lead if takes_up else none)
        near.append(_weights(question, said, f"{headings_of(sentence)} {sentence.text}"))
        found.append(
            Scored(
                sentence,
                coverage / whole,
                context / whole,
                typed,
                pair_share,
                None,
                frozenset(held),
                score if speaks[index] else score - _OTHER,
                _answers(question, sentence, bag | own | lead, bag | heads | lead, gives),
                True,
                speaks[index],
                sum(w for term, w in question.terms.items() if term in heads) / whole,
                led[index],
                gives,
            )
        )
    found = _in_order(question, found, near, tokens)
    return found if embed is None else _by_meaning(question, found, embed)


def _in_order(
    question: Question,
    found: list[Scored],
    near: Sequence[Sequence[float]],
    tokens: Sequence[Sequence[str]],
) -> list[Scored]:
    """Sentences with what tells only which of them goes first.

    Args:
        near: see :func:`_about_rarest`.
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
    elif question.asks_event:
        found = [_when(question, each) for each in found]
    elif question.asks_who:
        found = [replace(each, tells_best=each.typed) for each in found]
    if question.answer_type is not AnswerType.YES_NO and not _CHOICE.search(question.text):
        found = [
            replace(each, score=each.score - _OTHER) if _only_asks(question, each, said) else each
            for each, said in zip(found, tokens, strict=True)
        ]
    return found


def first_of(ranked: Sequence[Scored]) -> int:
    """Which sentence an answer begins with: the best, or one nearly as good that holds what is
    asked for, above all one that tells best. Where none nearly as good does, one in the section of
    the best: "The warranty does not cover …" says not how long it is, "… for 24 months" below the
    same heading does.

    Args:
        ranked: at least one, best first.
    """
    best = ranked[0]
    answering = [n for n, s in enumerate(ranked) if s.answers]
    near = [n for n in answering if ranked[n].score >= best.score * _NEAR] or [
        n for n in answering if _in_section_of(best.sentence, ranked[n].sentence)
    ]
    return next((n for n in near if ranked[n].tells_best), near[0] if near else 0)


def _in_section_of(one: Sentence, other: Sentence) -> bool:
    same = one.chunk.chunk_id == other.chunk.chunk_id
    return same and headings_of(one) == headings_of(other)


def _weights(question: Question, tokens: AbstractSet[str], text: str) -> list[float]:
    """Of the question's words among tokens, or as they stand in a text, which may be cut otherwise:
    文周 in 文周王."""
    return [
        weight
        for term, weight in question.terms.items()
        if term in tokens or (not term.isascii() and term in text)
    ]


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
    score = scored.score - _OTHER if is_other else scored.score
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
    if sentence.asked or sentence.opens_list or sentence.text.endswith((".", "。", "!", "！")):
        return False
    if _SAYS_OF.search(sentence.text):
        return False
    said = set(tokens) - ASKING
    return bool(said) and said <= question.terms.keys()


def _bag(
    question: Question, sentence: Sentence, tokens: Sequence[str], analyzer: Analyzer
) -> frozenset[str]:
    """What a sentence holds; a row also the head above its first cell, and of the question's
    numbers only those it speaks of."""
    said = itertools.chain.from_iterable(_joined(question, sentence.text))
    if not sentence.cells:
        return frozenset([*tokens, *said])
    first = analyzer.tokens(sentence.heads[0]) if sentence.heads else []
    spoken, other = placed_numbers(sentence.cells, sentence.heads, question.quantities)
    return frozenset(tokens).union(said, first, spoken) - other


def _joined(question: Question, text: str) -> set[tuple[str, str]]:
    """Neighbouring Chinese words of the question that stand together in a text, however it is cut:
    质保期为 into 质保 and 期为."""
    pairs = (pair for pair in itertools.pairwise(question.terms) if not pair[1].isascii())
    return {pair for pair in pairs if "".join(pair) in text}


def _led_by(
    question: Question,
    sentence: Sentence,
    before: Sentence | None,
    heading: frozenset[str],
    analyzer: Analyzer,
) -> str:
    """What the document itself asks before a sentence: a question, or the heading above the first
    sentence of a section, where it asks or names all of that of which the question asks how.

    Args:
        heading: tokens of the heading right above.
    """
    if sentence.asked or (before is not None and together(before, sentence)):
        return sentence.asked
    above = nearest_of(sentence)
    if is_question(above):
        return above
    if question.answer_type is not AnswerType.METHOD or heading.isdisjoint(question.terms):
        return ""
    left = question.terms.keys() - heading
    return above if left <= set(analyzer.tokens(sentence.chunk.title)) else ""


def _answers(
    question: Question,
    sentence: Sentence,
    near: frozenset[str],
    around: frozenset[str],
    gives: bool,
) -> bool:
    """Whether a sentence holds the number asked for, and of the thing it is asked of.

    Args:
        near: tokens of the sentence, of the one before it in its section and of the heading above.
        around: those and the tokens of all headings above.
        gives: it gives the property asked for.
    """
    if question.answer_type is not AnswerType.NUMBER:
        return True
    if not question.quantified(sentence.text) or question.terms.keys().isdisjoint(near):
        return False
    # 日工资 is not 病假工资. What has not even the last noun may use another word for it.
    before, last = question.compound
    return gives or around.isdisjoint(last) or not around.isdisjoint(before)


def _by_meaning(question: Question, scored: Sequence[Scored], embed: Embed) -> list[Scored]:
    """Scored sentences with the cosines of the most promising, and what these add."""
    ranks = sorted(
        range(len(scored)), key=lambda n: (-scored[n].sentence.chunk.score, -scored[n].score, n)
    )
    # A batch takes as long as its longest text.
    chosen = sorted(ranks[:_EMBEDDED], key=lambda n: len(scored[n].sentence.text))
    vectors = _embedded([question.whole, *(scored[n].sentence.text for n in chosen)], embed)
    cosines: list[float] = (vectors[1:] @ vectors[0]).tolist()
    low = min(cosines)
    spread = max(max(cosines) - low, 1e-6)
    found = list(scored)
    for n, cosine in zip(chosen, cosines, strict=True):
        score = scored[n].score + _MEANING * (cosine - low) / spread
        found[n] = replace(scored[n], cosine=cosine, score=score)
    return found


def _embedded(texts: Sequence[str], embed: Embed) -> NDArray[np.float32]:
    """``embed`` of all texts. Raises ExcerptaError ``CANCELED`` when nobody waits any more."""
    vectors = []
    for start in range(0, len(texts), _BATCH):
        checkpoint()
        vectors.append(embed(texts[start : start + _BATCH]))
    return np.concatenate(vectors)
