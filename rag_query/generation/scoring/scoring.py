"""How well each sentence of a parent answers a question, by words, facts and, if asked, meaning."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from rag_query.generation.passages.sections import all_above, headings_of
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.owners import is_of_other_owner
from rag_query.generation.questions.properties import gives_property
from rag_query.generation.questions.question import Question
from rag_query.generation.questions.stated import is_told_in_span, spoken_of
from rag_query.generation.questions.unknown_names import words_of_names
from rag_query.generation.scoring.leads import begins_steps, denies, is_named_above
from rag_query.generation.scoring.meaning import Embed, nearness
from rag_query.generation.scoring.precedence import in_order
from rag_query.generation.scoring.row_keys import RowKeys
from rag_query.generation.scoring.scored import LISTS, OTHER, TAKES_UP, Scored
from rag_query.generation.scoring.words_read import Around, WordsRead, joined_pairs
from rag_query.generation.vocabulary.answer_types import AnswerType
from rag_query.text.analysis import Analyzer

#: What a question's word counts when it stands not in the sentence but beside it or above. One of
#: the title counts as much in the sentence too: every one is about the title.
_BESIDE = 0.35
_ABOVE = 0.5
#: What one counts that stands in the sentence before, where this one lists what belongs to it.
_LISTED = 0.9
#: What holding the right kind of thing adds to a coverage of 0 to 1.
_TYPE_BONUS = 0.15
_PAIR_BONUS = 0.25
#: What having the most or the least of what is asked for adds.
_EXTREME_BONUS = 0.25
#: What standing below a heading that names what the question is about adds; the words of that
#: heading count there as those of the sentence.
_TOPIC_BONUS = 0.5
#: What denying what the question denies adds.
_DENIAL_BONUS = 0.15
#: What a span of days that holds the one asked for counts less than that day alone, on which it
#: may be otherwise: "Monday to Friday from 9, on Wednesday from 12".
_IN_SPAN = 0.1
_MEANING = 1.0
#: Share of the weight of the owner's rarest word from which on one tells who the owner is.
_RARE = 0.8
#: Kinds of answers that may be the value of a property.
_VALUES = (
    AnswerType.NUMBER,
    AnswerType.DATE,
    AnswerType.COLOUR,
    AnswerType.PERSON,
    AnswerType.OTHER,
)
#: Sentences whose meaning is looked at: those of the best passages, then of the best words. As
#: many take about two seconds on two cores.
_EMBEDDED = 256


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
    if embed is not None and question.language == "zh":
        first = min(sentences, key=lambda sentence: sentence.order)
        question = _without_subject(question, f"{first.chunk.title} {first.text}", analyzer)
    read = WordsRead(question, sentences, analyzer)
    speaks = spoken_of(question.stated, sentences)
    found = [_scored(question, read, n, speaks=speaks[n]) for n in range(len(sentences))]
    if question.answer_type in _VALUES and _is_told_without_owner(question, read, found):
        idle = question.owned.owner
        found = [
            replace(each, score=each.score - _weight_of_owner(question, around, idle))
            for each, around in zip(found, read.around, strict=True)
        ]
    meant = read.fulfilling
    if embed is None and meant.table:
        others = meant.table - meant.rows
        found = [_idle(each) if n in others else each for n, each in enumerate(found)]
    elif embed is None and not read.extremes.rows:
        keys = RowKeys(question, sentences, analyzer)
        found = [_among_rows(each, keys) for each in found]
    # Only of numbers is asked by which words they stand.
    asks_number = question.answer_type is AnswerType.NUMBER
    near = [_weights(question, read, n) for n in range(len(sentences))] if asks_number else []
    found = in_order(question, found, near, read.tokens)
    return found if embed is None else _by_meaning(question, found, embed)


def _among_rows(scored: Scored, keys: RowKeys) -> Scored:
    """A sentence that answers nothing where it is a row of another thing, and is the last to be
    told where the row of the thing itself stands beside it."""
    if keys.is_beside_named(scored.sentence):
        return replace(scored, of_another=True, answers=False, score=0.0)
    if keys.is_of_another(scored.sentence):
        return replace(scored, of_another=True, answers=False)
    return scored


def _idle(scored: Scored) -> Scored:
    """A row that does not fulfil what is asked, of which nothing speaks for an answer."""
    return replace(
        scored,
        of_another=True,
        answers=False,
        score=0.0,
        coverage=0.0,
        context=0.0,
        terms=frozenset(),
    )


def _without_subject(question: Question, beginning: str, analyzer: Analyzer) -> Question:
    """A question in Chinese without the names that stand in the title or the first sentence of a
    document in English. Of the few words that can meet across languages they are most, and tell
    none of its sentences from another."""
    known = frozenset(analyzer.tokens(beginning))
    names = [w for w in words_of_names(question.names) if known.issuperset(analyzer.tokens(w))]
    idle = {token for name in names for token in analyzer.tokens(name)}
    text = question.text
    for name in names:
        text = text.replace(name, " ")
    terms = {term: weight for term, weight in question.terms.items() if term not in idle}
    return replace(question, terms=terms, text=text)


def _scored(question: Question, read: WordsRead, n: int, *, speaks: bool) -> Scored:
    sentence, words = read.sentences[n], read.around[n]
    whole = question.weight or 1.0
    coverage = context = weighed = heads = discount = 0.0
    taken_up = words.lead if LISTS.match(sentence.text) else frozenset()
    for term, weight in question.terms.items():
        in_heads = term in words.heads
        heads += weight * in_heads
        if term in words.bag:
            coverage += weight
            context += weight
            weighed += weight
            discount += weight * (1 - _ABOVE) * (term in words.title)
        elif term in taken_up:
            context += weight
            weighed += weight * _LISTED
        elif in_heads:
            context += weight
            weighed += weight * (1 if term in words.topic else _ABOVE)
        elif term in words.beside:
            context += weight
            weighed += weight * _BESIDE
    pairs = _pair_share(question, read, n)
    is_how = bool(read.led[n]) and begins_steps(sentence)
    holds = question.holds_type(sentence.text)
    typed = (
        holds
        or is_how
        or (
            question.asks_event
            and any(question.is_told_above(h, sentence.text) for h in all_above(sentence))
        )
    )
    gives = gives_property(sentence, question.attribute, question.terms, read.analyzer)
    score = (weighed - discount) / whole + _TYPE_BONUS * typed + _PAIR_BONUS * max(pairs, gives)
    score += _TOPIC_BONUS * bool(words.topic)
    score += _EXTREME_BONUS * (n in read.extremes.rows)
    score += _DENIAL_BONUS * denies(question, sentence.text, read.led[n], words.bag)
    score -= _IN_SPAN * is_told_in_span(question.stated, sentence.text)
    return Scored(
        sentence=sentence,
        coverage=coverage / whole,
        context=context / whole,
        typed=typed,
        cosine=None,
        terms=frozenset(t for t in question.terms if t in words.bag or t in words.heads),
        score=score if speaks else score - OTHER,
        answers=_answers(question, sentence, words, holds=holds, gives=gives),
        speaks=speaks,
        above=heads / whole,
        discount=discount / whole,
        led_by=read.led[n],
        gives=gives,
        meant=n in read.fulfilling.rows,
        named_above=not (read.extremes.rows or read.fulfilling.rows)
        and is_named_above(question, sentence, read.tokens[n], words.own, words.heads),
    )


def _is_told_without_owner(question: Question, read: WordsRead, found: Sequence[Scored]) -> bool:
    """Whether the property asked for is given where its owner is not named, and nothing of the kind
    is said of the owner where the property is spoken of."""
    named, owner = question.owned.named, question.owned.owner
    values = [n for n, each in enumerate(found) if named and each.answers and each.typed]
    giving = [
        n
        for n in values
        if named <= read.around[n].bag | read.around[n].own
        and not is_of_other_owner(read.sentences[n].text, question.owned)
    ]
    if not giving or any(not owner.isdisjoint(read.around[n].bag) for n in giving):
        return False
    if any(owner | named <= around.bag for around in read.around):  # 狭义的唐音 is another.
        return False
    rarest = _RARE * max(question.terms[term] for term in owner)
    telling = {term for term in owner if question.terms[term] >= rarest}
    beside: dict[str, set[str]] = {}
    for sentence, around in zip(read.sentences, read.around, strict=True):
        beside.setdefault(sentence.chunk.chunk_id, set()).update(around.bag | around.heads)

    def speaks_of_property(n: int) -> bool:
        sentence, around = read.sentences[n], read.around[n]
        # The rows of a table are of one thing each.
        row = around.bag | around.heads
        return named <= (row if sentence.cells else beside[sentence.chunk.chunk_id])

    return not any(
        not telling.isdisjoint(read.around[n].bag) and speaks_of_property(n) for n in values
    )


def _weight_of_owner(question: Question, around: Around, owner: frozenset[str]) -> float:
    """What words that only name the owner have added to the score of a sentence."""
    held = (
        question.terms[term] * (1 - _ABOVE if term in around.heads else 1)
        for term in owner & around.bag - around.title
    )
    return sum(held) / (question.weight or 1.0)


def _pair_share(question: Question, read: WordsRead, n: int) -> float:
    """Share of the question's neighbouring words that are neighbours here too, 0 to 1."""
    if not read.asked:
        return 0.0
    neighbours = joined_pairs(question, read.sentences[n].text).union(
        itertools.pairwise(read.tokens[n]),
        joined_pairs(question, read.led[n]),
        itertools.pairwise(read.answered[n]),
    )
    return len(read.asked & neighbours) / len(read.asked)


def _weights(question: Question, read: WordsRead, n: int) -> list[float]:
    """Of the question's words that stand in a sentence, in what it answers or in the headings
    above; in one that takes up the sentence before, in that as well. Words stand there too where
    the text is cut otherwise: 文周 in 文周王."""
    sentence, words = read.sentences[n], read.around[n]
    said = words.bag | words.heads
    if TAKES_UP.match(sentence.text):
        said |= words.lead
    text = f"{headings_of(sentence)} {sentence.text}"
    return [
        weight
        for term, weight in question.terms.items()
        if term in said or (not term.isascii() and term in text)
    ]


def _answers(
    question: Question, sentence: Sentence, words: Around, *, holds: bool, gives: bool
) -> bool:
    """Whether a sentence holds the colour asked for, or the number or the address, and of the thing
    it is of.

    Args:
        holds: it holds something of the kind asked for.
        gives: it gives the property asked for.
    """
    if question.answer_type is AnswerType.COLOUR:
        return holds
    if question.answer_type is AnswerType.LOCATOR:
        owner = question.terms.keys() - question.kind
        is_about = not owner or not owner.isdisjoint(words.bag | words.heads | words.lead)
        # "E-mail: none" of a row is an answer.
        is_told = bool(sentence.cells) and not question.kind.isdisjoint(words.bag)
        return is_about and (is_told or holds)
    if question.answer_type is not AnswerType.NUMBER:
        return True
    near = words.bag | words.own | words.lead
    if not question.quantified(sentence.text) or question.terms.keys().isdisjoint(near):
        return False
    # 日工资 is not 病假工资. What has not even the last noun may use another word for it.
    around = words.bag | words.heads | words.lead
    before, last = question.compound
    return gives or around.isdisjoint(last) or not around.isdisjoint(before)


def _by_meaning(question: Question, scored: Sequence[Scored], embed: Embed) -> list[Scored]:
    """Scored sentences with how near the most promising are in meaning, and what that adds. Words
    tell nothing of which number is meant, but a sentence without one is no answer."""
    ranks = sorted(
        range(len(scored)), key=lambda n: (-scored[n].sentence.chunk.score, -scored[n].score, n)
    )
    # A batch takes as long as its longest text.
    chosen = sorted(ranks[:_EMBEDDED], key=lambda n: len(scored[n].sentence.text))
    texts = [scored[n].sentence.text for n in chosen]
    near = nearness(question.whole, question.language, texts, embed)
    low = min(each.cosine for each in near)
    spread = max(max(each.cosine for each in near) - low, 1e-6)
    found = list(scored)
    for n, each in zip(chosen, near, strict=True):
        score = scored[n].score + _MEANING * (each.cosine - low) / spread
        found[n] = replace(scored[n], cosine=each.cosine, lead=each.lead, score=score)
    if question.answer_type not in (AnswerType.NUMBER, AnswerType.COLOUR):
        return found
    return [
        replace(each, answers=each.typed, score=each.score - (0.0 if each.typed else OTHER))
        for each in found
    ]
