"""What a question asks: its content words and how rare they are, its numbers and names, and what
kind of thing would answer it. Rules, in both languages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from rag_query.generation.answer_types import AnswerType, answer_type, asked_units, holds_type
from rag_query.generation.facts import latin_names, quoted, values
from rag_query.generation.words import ASKING
from rag_query.text.analysis import Analyzer
from rag_query.text.language import Language, detect_language

#: token -> number of chunks that hold it.
Frequency = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        terms: content token -> weight, its rarity in the library (BM25's idf), in (0, ~12].
        numbers: values named in the question.
        names: quoted titles and capitalised names.
        units: of the number asked for; empty when none is named.
    """

    text: str
    language: Language
    terms: dict[str, float]
    numbers: frozenset[str]
    names: tuple[str, ...]
    answer_type: AnswerType
    units: frozenset[str] = frozenset()

    @property
    def weight(self) -> float:
        """Of all terms together."""
        return sum(self.terms.values())

    def holds_type(self, text: str) -> bool:
        """Whether a text holds something of the kind asked that is not named here already."""
        return holds_type(self.answer_type, self.units, self.text, self.numbers, text)


def read_question(
    text: str, analyzer: Analyzer, frequency: Frequency, chunks: int, *, extra: str = ""
) -> Question:
    """Read a question.

    Args:
        frequency: how many of the library's ``chunks`` hold a token.
        extra: a passage of the conversation the question leans on; its words do not count.
    """
    ignored = set(analyzer.tokens(extra)) if extra else set()
    terms: dict[str, float] = {}
    for token in analyzer.tokens(text):
        if token in ASKING or token in ignored or token in terms:
            continue
        df = frequency(token)
        terms[token] = math.log(1 + (chunks - df + 0.5) / (df + 0.5))
    return Question(
        text=text,
        language=detect_language(text),
        terms=terms,
        numbers=values(text),
        names=(*quoted(text), *latin_names(text)),
        answer_type=answer_type(text),
        units=asked_units(text),
    )
