"""What a question asks: its content words and how rare they are, its numbers and names, and what
kind of thing would answer it. Rules, in both languages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from rag_query.generation.answer_types import (
    AnswerType,
    answer_type,
    asked_units,
    asks_measure,
    holds_type,
    tells_vaguely,
)
from rag_query.generation.asking import compound_before, without_asking
from rag_query.generation.facts import Number, latin_names, numbers, quoted
from rag_query.generation.words import ASKING
from rag_query.text.analysis import Analyzer
from rag_query.text.language import Language, detect_language

#: What a Chinese word is wrongly joined with.
_VERBS = "是要"

#: token -> number of chunks that hold it.
Frequency = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        terms: content token -> weight, its rarity in the library (BM25's idf), in (0, ~12].
        quantities: numbers named in the question, with their units.
        names: quoted titles and capitalised names.
        units: of the number asked for; empty when none is named.
        compound: the nouns right before the words that ask how many, as tokens: those of all but
            the last noun, and those of the last, as (病假, 工资) of 病假工资按多少发放. A number in
            a text that has the last noun and none of those before it is of another thing (日工资).
            Both empty where there are not two nouns.
    """

    text: str
    language: Language
    terms: dict[str, float]
    quantities: tuple[Number, ...]
    names: tuple[str, ...]
    answer_type: AnswerType
    units: frozenset[str] = frozenset()
    compound: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())

    @property
    def numbers(self) -> frozenset[str]:
        """The values named in the question."""
        return frozenset(number.value for number in self.quantities)

    @property
    def weight(self) -> float:
        """Of all terms together."""
        return sum(self.terms.values())

    def holds_type(self, text: str) -> bool:
        """Whether a text holds something of the kind asked that is not named here already."""
        return holds_type(self.answer_type, self.units, self.text, self.numbers, text)

    def quantified(self, text: str) -> bool:
        """Whether a text tells the number asked for, be it in words."""
        return self.holds_type(text) or (not asks_measure(self.text) and tells_vaguely(text))


def read_question(
    text: str, analyzer: Analyzer, frequency: Frequency, chunks: int, *, extra: str = ""
) -> Question:
    """Read a question.

    Args:
        frequency: how many of the library's ``chunks`` hold a token.
        extra: a passage of the conversation the question leans on; its words do not count.
    """
    ignored = set(analyzer.tokens(extra)) if extra else set()
    tokens = _content(without_asking(text), analyzer, frequency) or _content(
        text, analyzer, frequency
    )
    before, last = compound_before(text)
    return Question(
        text=text,
        language=detect_language(text),
        terms={
            token: math.log(1 + (chunks - df + 0.5) / (df + 0.5))
            for token, df in tokens.items()
            if token not in ignored
        },
        quantities=tuple(numbers(text)),
        names=(*quoted(text), *latin_names(text)),
        answer_type=answer_type(text),
        units=asked_units(text),
        compound=(frozenset(analyzer.tokens(before)), frozenset(analyzer.tokens(last))),
    )


def _content(text: str, analyzer: Analyzer, frequency: Frequency) -> dict[str, int]:
    """The tokens that do not ask -> number of chunks that hold them."""
    found: dict[str, int] = {}
    for token in analyzer.tokens(text):
        df = frequency(token)
        word = token
        if not df and len(token) == 2 and token[-1] in _VERBS and (rest := frequency(token[0])):
            # A word of the cutter's own, as 假要 of 年假要提前申请.
            word, df = token[0], rest
        if word not in ASKING:
            found.setdefault(word, df)
    return found
