"""A sentence of a parent and what speaks for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_query.generation.passages.sentences import Sentence

#: What speaks of another version or year than the question goes behind all that does not.
OTHER = 2.0
#: How a sentence begins that says what belongs to what the one before speaks of.
LISTS = re.compile(
    r"(?:these|they|it|examples|this)\s+(?:includes?|are|comprises?)\b(?=.*,)|(?:具体|主要|其中)?包括"
    r"|具体[有为是]|分别[是为]|例如|比如",
    re.IGNORECASE,
)
#: How a sentence begins that goes on about what the one before speaks of.
TAKES_UP = re.compile(
    r"(?:it|its|they|their|this|these|that|he|his|she|her|both|such)\b|[它他她其该此这本]"
    rf"|{LISTS.pattern}",
    re.IGNORECASE,
)


#: Share of a question's weight that is all of it, but for rounding.
ALL = 0.999


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and what speaks for it.

    Attributes:
        coverage: share of the question's weight that stands in the sentence, 0 to 1.
        context: the same, the sentences beside it and the headings above counted in full.
        typed: holds something of the kind the question asks for; where it asks when something
            happened, a heading that is a date and nothing more may.
        answers: where a number is asked for, holds one, and of what the question is about; where a
            colour is, names one.
        tells_best: goes before others nearly as good: of those that answer, where a number is
            asked for, stands by the rarest word of the question; where a name or the time of an
            event is, holds one.
        speaks: of the version, year, setting and the like that the question states, and not of
            another.
        cosine: with the question; None when meaning was not looked at.
        lead: see :class:`rag_query.generation.scoring.meaning.Nearness`; 0 when it was not.
        terms: the question's words that stand in the sentence or in the headings above it.
        score: all together; only its order matters.
        above: share of the question's weight that stands in the headings above, 0 to 1.
        discount: what the words of the document's title count less in its score.
        led_by: the question or the heading of the document that it answers, if any.
        gives: gives the property asked for by its name.
        of_another: a row or an item of another thing than the question names.
        meant: one of the rows of a table that fulfil what the question asks of their cells.
        named_above: an item of a list that the heading above names as what is asked for.
    """

    sentence: Sentence
    coverage: float
    context: float
    typed: bool
    cosine: float | None
    terms: frozenset[str]
    score: float
    answers: bool = True
    tells_best: bool = True
    speaks: bool = True
    above: float = 0.0
    discount: float = 0.0
    led_by: str = ""
    gives: bool = False
    lead: float = 0.0
    named_above: bool = False
    of_another: bool = False
    meant: bool = False

    @property
    def precedence(self) -> tuple[float, float]:
        """The greater goes first: its score; among equals what the headings above say of the
        question. What stands first in the document goes before what is equal in both: documents
        open with sentences that say what a thing is."""
        return round(self.score, 6), self.above

    @property
    def bearing(self) -> float:
        """How much it has to do with the question: its score, the words of the title in full."""
        return self.score + self.discount

    @property
    def leads(self) -> bool:
        """Whether what follows is part of what it says: a list it opens, or whose first item it is
        where the document asks for a list, or any item where the heading above names the list."""
        begins = bool(self.led_by) and self.sentence.is_item
        return self.sentence.opens_list or begins or self.named_above
