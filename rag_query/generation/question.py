"""What a question asks: its content words and how rare they are, its numbers and names, and what
kind of thing would answer it. Rules, in both languages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from rag_query.generation.facts import latin_names, quoted, values
from rag_query.generation.words import ASKING
from rag_query.text.analysis import Analyzer
from rag_query.text.language import Language, detect_language

#: token -> number of chunks that hold it.
Frequency = Callable[[str], int]


class AnswerType(StrEnum):
    """What kind of thing answers a question."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    METHOD = "method"
    YES_NO = "yes_no"
    OTHER = "other"


_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(patterns), re.IGNORECASE))
    for kind, patterns in (
        (AnswerType.DATE, (
            r"什么时[候间]|何时|哪一?[年天日月]|几[月号点]|日期|时间是|的?时间[？?]?$|年份|\bwhen\b",
            r"\b(?:what|which) (?:year|date|day|month|century|decade|time)\b",
        )),
        (AnswerType.NUMBER, (
            r"多少|几(?!乎|何)|多[大长高久重远宽深]|百分之几|数量|人数|次数|比例",
            r"\bhow (?:many|much|long|old|far|tall|often|large|big|high|deep|fast)\b",
            r"\bwhat (?:percentage|percent|number|portion|fraction|amount|size)\b",
        )),
        (AnswerType.PERSON, (r"谁|哪[位名]|何人|\bwho(?:m|se)?\b",)),
        (AnswerType.PLACE, (
            r"哪里|哪儿|何[处地]|在哪|哪[个座]?(?:城市|国家|地方|省|市|县|洲)|地点|\bwhere\b",
            r"\b(?:what|which) (?:city|country|state|place|region|continent)\b",
        )),
        (AnswerType.REASON, (r"为什么|为何|原因|\bwhy\b",)),
        (AnswerType.METHOD, (r"怎么|如何|怎样|\bhow (?:do|to|can|does|should|did|is|are)\b",)),
        (AnswerType.YES_NO, (
            r"吗[？?]?\s*$|是否|是不是|能不能|可不可以",
            r"^\s*(?:is|are|was|were|do|does|did|can|could|has|have|will|should)\b",
        )),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        terms: content token -> weight, its rarity in the library (BM25's idf), in (0, ~12].
        numbers: values named in the question.
        names: quoted titles and capitalised names.
    """

    text: str
    language: Language
    terms: dict[str, float]
    numbers: frozenset[str]
    names: tuple[str, ...]
    answer_type: AnswerType

    @property
    def weight(self) -> float:
        """Of all terms together."""
        return sum(self.terms.values())


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
    )


def answer_type(text: str) -> AnswerType:
    """What kind of thing would answer; ``OTHER`` when no rule says."""
    for kind, pattern in _TYPES:
        if pattern.search(text):
            return kind
    return AnswerType.OTHER
