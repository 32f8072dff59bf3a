"""The words of sentences, and of what stands beside and above each, as a question reads them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rag_query.generation.passages.sections import all_above, headings_of, nearest_of, together
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.passages.table_rows import placed_numbers
from rag_query.generation.questions.question import Question
from rag_query.generation.questions.stated import weekdays_told
from rag_query.generation.scoring.leads import led_by, steps_before_prose, topic_above
from rag_query.generation.scoring.row_conditions import fulfilling
from rag_query.generation.scoring.superlatives import extremes
from rag_query.generation.vocabulary.cut_words import cut_otherwise, lamps
from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.text.analysis import Analyzer


@dataclass(frozen=True, slots=True)
class Around:
    """Words about one sentence.

    Attributes:
        bag: that it holds, with those of what it answers.
        heads: of all headings above.
        own: of the heading right above.
        beside: of the sentence before and the one after.
        lead: of the sentence before, where both stand in one section.
        title: of the document's title, which tells no sentence from another.
        topic: of the heading right above, see :func:`topic_above`.
    """

    bag: frozenset[str]
    heads: frozenset[str]
    own: frozenset[str]
    beside: frozenset[str]
    lead: frozenset[str]
    title: frozenset[str]
    topic: frozenset[str]


class WordsRead:
    """The words of sentences, and of what stands beside and above each.

    Attributes:
        tokens: of each sentence, in its order.
        led: the question or the heading of the document that each answers, if any.
        answered: tokens of these.
        asked: the neighbouring words of the question.
        around: see :class:`Around`.
        extremes: the rows of a table that a superlative of the question means.
        fulfilling: those that fulfil what it asks of their cells.
    """

    def __init__(
        self, question: Question, sentences: Sequence[Sentence], analyzer: Analyzer
    ) -> None:
        self.sentences = sentences
        self.analyzer = analyzer
        self.asked = frozenset(itertools.pairwise(question.terms))
        self.tokens = [base_forms(analyzer.tokens(sentence.text)) for sentence in sentences]
        above = {
            path: frozenset(base_forms(analyzer.tokens(path))).union(
                *map(question.said_by, all_above(sentence))
            )
            for path, sentence in {headings_of(s): s for s in sentences}.items()
        }
        nearest = {
            path: frozenset(base_forms(analyzer.tokens(path)))
            for path in {nearest_of(s) for s in sentences}
        }
        led = [
            led_by(question, sentence, before, nearest[nearest_of(sentence)], analyzer)
            for before, sentence in zip([None, *sentences], sentences, strict=False)
        ]
        self.led = steps_before_prose(led, sentences)
        self.extremes = extremes(question, sentences, analyzer)
        self.fulfilling = fulfilling(question, sentences, analyzer)
        self.answered = [base_forms(analyzer.tokens(text)) if text else [] for text in self.led]
        bags = [
            _bag(question, sentence, each, above[headings_of(sentence)], analyzer)
            for sentence, each in zip(sentences, self.tokens, strict=True)
        ]
        for row in self.extremes.rows:
            bags[row] |= self.extremes.said
        for row in self.fulfilling.rows:  # The question says nothing else of them.
            bags[row] |= question.terms.keys()
        whole = [bag.union(more) for bag, more in zip(bags, self.answered, strict=True)]
        titles = {
            title: frozenset(base_forms(analyzer.tokens(title)))
            for title in {s.chunk.title for s in sentences}
        }
        none: frozenset[str] = frozenset()
        self.around: list[Around] = []
        for n, sentence in enumerate(sentences):
            # What answers a question begins anew, and what stands before that question is no part.
            before = whole[n - 1] if n and not self.led[n] else none
            after = bags[n + 1] if n + 1 < len(bags) and not self.led[n + 1] else none
            goes_on = n > 0 and together(sentences[n - 1], sentence)
            own, title = nearest[nearest_of(sentence)], titles[sentence.chunk.title]
            self.around.append(
                Around(
                    bag=whole[n],
                    heads=above[headings_of(sentence)],
                    own=own,
                    beside=before | after,
                    lead=before if goes_on else none,
                    title=title,
                    topic=topic_above(question, sentence, own - title, analyzer),
                )
            )


def _bag(
    question: Question,
    sentence: Sentence,
    tokens: Sequence[str],
    heads: frozenset[str],
    analyzer: Analyzer,
) -> frozenset[str]:
    """What a sentence holds, however it is cut, and what an address in it is called; a row also the
    head above its first cell, and of the question's numbers only those it speaks of.

    Args:
        heads: tokens of all headings above: what all of a document is about may be cut otherwise in
            any sentence.
    """
    inside = question.terms.keys() - heads
    said = {
        *itertools.chain.from_iterable(joined_pairs(question, sentence.text)),
        *cut_otherwise(inside, tokens, sentence.text),
        *lamps(inside, sentence.text),
        # Wednesday of "Monday to Friday".
        *analyzer.tokens(" ".join(weekdays_told(question.stated, sentence.text))),
    }
    kind = question.kind
    owner = question.terms.keys() - kind
    if sentence.cells and owner and owner.isdisjoint(heads.union(tokens)):
        kind = frozenset()  # The address of another row.
    if kind and not question.holds_type(sentence.text):
        kind = frozenset()
    if not sentence.cells:
        return frozenset([*tokens, *said, *kind])
    first = analyzer.tokens(sentence.heads[0]) if sentence.heads else []
    spoken, other = placed_numbers(sentence.cells, sentence.heads, question.quantities)
    return frozenset(tokens).union(said, first, spoken, kind) - other


def joined_pairs(question: Question, text: str) -> set[tuple[str, str]]:
    """Neighbouring Chinese words of the question that stand together in a text, however it is cut:
    质保期为 into 质保 and 期为."""
    pairs = (pair for pair in itertools.pairwise(question.terms) if not pair[1].isascii())
    return {pair for pair in pairs if "".join(pair) in text}
