"""What a short question leaves to the one before it: 电池呢？, "And the pump?", "Who made it?".

The question before gives the words that are not said again, at less weight than its own; one that
asks nothing by itself also asks as that one did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag_query.generation.questions.question import Question
from rag_query.generation.vocabulary.answer_types import AnswerType, answer_type
from rag_query.text.analysis import Analyzer
from rag_query.text.matching import QUESTION_WORDS

#: "And the pump?", 电池呢？
_OPENS = re.compile(
    r"^\W*(?:and(?:\s+(?:what|how)\s+about)?|(?:what|how)\s+about)\b", re.IGNORECASE
)
_ENDS = re.compile(r"呢\W*$")
#: What stands for something said before; "is there a fee?", 其他 and the IT department mean nothing
#: of the kind.
_IT = re.compile(
    r"\b(?-i:(?!IT\b))(?:it|its|they|them|their|he|him|his|she|her)\b"
    r"|(?<!\bis )(?<!\bare )\bthere\W*$|[它她]|(?<!其)他|[那这]里|其(?![他它实中余次])",
    re.IGNORECASE,
)
#: A longer question says itself what it is about.
_FEW = 2
_BEFORE = 0.5


def continued(question: Question, before: Question, analyzer: Analyzer) -> Question:
    """A question with what it leaves to the one before it; the same where it leaves nothing."""
    if len(question.subjects) > _FEW:
        return question
    asks_nothing = _asks_nothing(question.text, analyzer)
    if not asks_nothing and not _IT.search(question.text):
        return question
    own = {each.kind for each in question.stated}
    replaced = [s for s in before.stated if s.kind in own]
    # Who asks of the version 2.4.0 now no longer means 2.4.1.
    left_out = set(analyzer.tokens(" ".join(v for s in replaced for v in s.values)))
    left_out |= _renamed(question.names, before.names, analyzer)
    words = {t: w * _BEFORE for t, w in before.terms.items() if t not in left_out}
    kept = tuple(s for s in before.stated if s.kind not in own)
    found = replace(
        question,
        terms=words | question.terms,
        stated=question.stated + kept,
        before=before.whole,
        own=question.subjects,
        parts=(),
    )
    if not asks_nothing:
        return replace(found, unknown=question.unknown | before.unknown)
    asking = f"{before.asking} {question.text}"
    return replace(
        found,
        answer_type=before.answer_type,
        units=before.units,
        asking=asking,
        locator=before.locator,
        kind=before.kind,
        denies=before.denies,
    )


def _renamed(names: Sequence[str], before: Sequence[str], analyzer: Analyzer) -> set[str]:
    """What names of the same kind have taken the place of, as tokens: Alder, where the Birch Room
    is asked for after the Alder Room."""
    kinds = {name.split()[-1].casefold() for name in names if " " in name}
    old = [name for name in before if " " in name and name.split()[-1].casefold() in kinds]
    return set(analyzer.tokens(" ".join(old))) - set(analyzer.tokens(" ".join(names)))


def _asks_nothing(text: str, analyzer: Analyzer) -> bool:
    """Whether a question only names something, for the question before to be asked of it."""
    rest = _ENDS.sub("", _OPENS.sub("", text))
    return (
        rest != text
        and answer_type(rest) is AnswerType.OTHER
        and QUESTION_WORDS.isdisjoint(analyzer.tokens(rest))
    )
