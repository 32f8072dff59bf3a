"""Whether a document speaks of another one than the question names.

A name that stands nowhere may be beside the point: how the client is installed on Windows is told
by what says how it is installed. Where what answers gives a name of its own, as the office in
Berlin, it is not of the one in Madrid. Both languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag_query.generation.passages.sections import all_above
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.scored import Scored
from rag_query.generation.vocabulary.facts import (
    WORD_CHARACTER,
    dates,
    han_names,
    latin_names,
    plain,
)
from rag_query.generation.vocabulary.words import ASKING
from rag_query.text.analysis import Analyzer

#: Share of the best sentence's part of the question, from which on another may answer as well.
_NEAR = 0.7
_ACRONYM = re.compile(r"[A-Z]{1,5}s?")
#: Of a row, as "Berlin — Office: Main Street; Desks: 40".
_PARTS = re.compile(r" — |[:;]\s+")
_WORD = re.compile(rf"{WORD_CHARACTER}+")


def without_idle_names(
    question: Question, scored: Sequence[Scored], analyzer: Analyzer
) -> Question:
    """A question without its unknown names where nothing that may answer it gives another one."""
    if not question.unknown or has_rival(question, scored, analyzer):
        return question
    return replace(question, unknown=frozenset())


def has_rival(question: Question, scored: Sequence[Scored], analyzer: Analyzer) -> bool:
    """Whether one of the sentences that speak most of a question, or a heading above it, gives a
    name that the question does not.

    Args:
        scored: the sentences of the document, or those found in it.
    """
    if not scored:
        return False
    best = max(each.coverage for each in scored)
    near = [each for each in scored if each.context >= best * _NEAR]
    said = " ".join(each.sentence.text for each in scored)
    lower = {word for word in _WORD.findall(plain(said)) if word.islower()}
    common = ASKING.union(analyzer.tokens(" ".join((question.text, *lower))))
    # Which document it is tells nothing of its parts.
    everywhere = set.intersection(*(set(all_above(each.sentence)) for each in scored))
    above = {heading for each in near for heading in all_above(each.sentence)} - everywhere
    named = [
        name for text in (*above, *(each.sentence.text for each in near)) for name in _names(text)
    ]
    if not all(common.issuperset(analyzer.tokens(name)) for name in named):
        return True
    rows = {part for each in near for part in _PARTS.split(each.sentence.text)[:-1]}
    alone = [text for text in above | rows if _is_name_alone(text)]
    # One may be any noun, as Equipment; several of which the same is said are of one kind.
    return sum(common.isdisjoint(analyzer.tokens(name)) for name in alone) > 1


def _names(text: str) -> list[str]:
    """What a text names, its first word aside: of that a capital tells nothing."""
    text = plain(text)
    return [n for n in latin_names(text) if _is_name(n)] + han_names(text, "ns", "nt", "nr")


def _is_name(name: str) -> bool:
    return not dates(name) and not _ACRONYM.fullmatch(name)


def _is_name_alone(text: str) -> bool:
    """Whether a heading or a part of a row is written with a capital: Berlin, if it stands nowhere
    without."""
    return latin_names(plain(text), skip_first=False) == [text] and _is_name(text)
