"""Two sentences of one parent about the same thing, with other numbers or one denying the other."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.contracts.answer import Contradiction, Span
from rag_query.generation.facts import negated, numbers
from rag_query.generation.scoring import Scored
from rag_query.generation.sentences import Sentence
from rag_query.text.analysis import Analyzer

#: Share of their words two sentences must have in common to be about the same.
_SAME = 0.6
#: Share of the question both must be about.
_ABOUT = 0.3
_MOST = 3


def contradictions(
    used: Sequence[Scored], others: Sequence[Scored], analyzer: Analyzer
) -> list[Contradiction]:
    """Contradictions between the sentences used and all others looked at."""
    found: list[Contradiction] = []
    relevant = [each for each in (*used, *others) if each.coverage >= _ABOUT]
    words = {id(e): frozenset(_words(e.sentence, analyzer)) for e in relevant}
    for index, first in enumerate(relevant[: len(used)]):
        for second in relevant[index + 1 :]:
            mine, theirs = words[id(first)], words[id(second)]
            if not mine or not theirs:
                continue
            if (
                len(mine & theirs) / min(len(mine), len(theirs)) < _SAME
                or min(len(mine), len(theirs)) < 3
            ):
                continue
            if about := _against(first.sentence.text, second.sentence.text):
                found.append(
                    Contradiction(
                        about=about,
                        first=_span(first.sentence),
                        first_text=first.sentence.text,
                        second=_span(second.sentence),
                        second_text=second.sentence.text,
                    )
                )
    return found[:_MOST]


def _against(first: str, second: str) -> str:
    """What two sentences about the same disagree on; empty when they do not."""
    mine, theirs = numbers(first), numbers(second)
    if mine and theirs:
        units = {n.unit for n in mine} & {n.unit for n in theirs}
        for unit in units:
            one = {n.value for n in mine if n.unit == unit}
            other = {n.value for n in theirs if n.unit == unit}
            if one.isdisjoint(other):
                return f"{', '.join(sorted(one))} / {', '.join(sorted(other))}"
    if (negated(first) > 0) != (negated(second) > 0) and bool(mine) == bool(theirs):
        return "negation"
    return ""


def _words(sentence: Sentence, analyzer: Analyzer) -> list[str]:
    return [t for t in analyzer.tokens(sentence.text) if not any(ch.isdigit() for ch in t)]


def _span(sentence: Sentence) -> Span:
    start, end = sentence.place
    return Span(
        chunk_id=sentence.chunk.chunk_id,
        start=sentence.start,
        end=sentence.end,
        char_start=start,
        char_end=end,
        page=sentence.chunk.page_start,
    )
