"""Two sentences of one parent about the same thing that cannot both be true.

Either they are the same but for one or two places, and what stands there is not what the question
names (else they are about different things), nor what the headings above tell them apart by; or
they share most words and give other numbers of the same unit, or one denies what the other says.
Items of lists and rows of tables, which are alike by nature, are left out, and what reads like an
order to whoever answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from rag_query.contracts.answer import Contradiction
from rag_query.generation.answers.instructions import reads_like_order
from rag_query.generation.passages.sections import nearest_of, without_numbering
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.scored import Scored
from rag_query.generation.vocabulary.facts import negated, numbers, plain
from rag_query.generation.vocabulary.words import ASKING, JOINING
from rag_query.library.places import Where
from rag_query.text.analysis import Analyzer

#: Share of their words two sentences must have in common to be about the same.
_SAME = 0.6
#: Share of the question both must be about; a sentence of the answer is about it anyway, and so is
#: one that is the same but for a single place.
_ABOUT = 0.3
_NEARLY = 0.8
#: So many of the sentences that would have answered are looked at where there is no answer.
_BEST = 3
#: Places in which two sentences may differ and still be the same but for them.
_PLACES = 2
_FEWEST = 4
_MOST = 3
_DIGITS = re.compile(r"\d+")
#: A name written as code at the beginning of a sentence.
_CODE_FIRST = re.compile(r"\W*?`([^`\n]+)`")
_DATED = re.compile(r"^[A-Z][a-z]{2} \d{1,2}, \d{4}\s*\.\.\.\s*")


def contradictions(
    question: Question,
    used: Sequence[Scored],
    others: Sequence[Scored],
    analyzer: Analyzer,
    where: Where,
) -> list[Contradiction]:
    """Contradictions between the sentences used and all others looked at.

    Args:
        used: those of the answer; where there is none, :func:`about_question`.
    """
    found: list[Contradiction] = []
    seen: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    relevant = [
        each
        for each in (*used, *others)
        if each.sentence.indent < 0
        and not each.sentence.cells
        and " | " not in each.sentence.text
        and not reads_like_order(each.sentence.text)
    ]
    tokens = {id(e): analyzer.tokens(_DATED.sub("", e.sentence.text)) for e in relevant}
    shown = {id(each) for each in used}
    for index, first in enumerate(relevant):
        if id(first) not in shown:
            break
        for second in relevant[index + 1 :]:
            place = (first.sentence.order, second.sentence.order)
            if place[0] == place[1] or place in seen or place[::-1] in seen:
                continue
            mine, theirs = tokens[id(first)], tokens[id(second)]
            differing = set(mine) ^ set(theirs)
            if _are_of_two(first.sentence, second.sentence, differing, analyzer):
                continue
            seen.add(place)
            about = _against(question, first, second, mine, theirs)
            if about:
                found.append(
                    Contradiction(
                        about=about,
                        first=first.sentence.span(where),
                        first_text=first.sentence.text,
                        second=second.sentence.span(where),
                        second_text=second.sentence.text,
                    )
                )
                if len(found) == _MOST:
                    return found
    return found


def _are_of_two(
    first: Sentence, second: Sentence, differing: Collection[str], analyzer: Analyzer
) -> bool:
    """Whether they say the same of different things: in two tabs; of two settings, each below its
    own name or beginning with it as code.

    Args:
        differing: the words that one of them has and the other lacks.
    """
    if first.tab and second.tab and first.tab != second.tab:
        return True
    names = [_CODE_FIRST.match(s.chunk.text, s.start, s.end) for s in (first, second)]
    if all(names) and len({name[1] for name in names if name}) > 1:
        return True
    mine, theirs = (set(analyzer.tokens(without_numbering(nearest_of(s)))) for s in (first, second))
    return not ((mine ^ theirs) - ASKING - JOINING).isdisjoint(differing)


def _masked(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(_DIGITS.sub("0", token) for token in tokens)


def about_question(scored: Sequence[Scored]) -> list[Scored]:
    """The best of the sentences about a question that has no answer.

    One that holds what is asked for may name what it is about in the sentence beside it.
    """
    found = [each for each in scored if (each.context if each.typed else each.coverage) >= _ABOUT]
    return sorted(found, key=lambda each: -each.score)[:_BEST]


def _against(
    question: Question, first: Scored, second: Scored, mine: list[str], theirs: list[str]
) -> str:
    """What two sentences disagree on; empty when they do not, or are about different things."""
    if min(len(mine), len(theirs)) < _FEWEST or mine == theirs:
        return ""
    one, other = plain(first.sentence.text), plain(second.sentence.text)
    about = min(first.coverage, second.coverage) >= _ABOUT
    if (negated(one) > 0) != (negated(other) > 0):
        if not about:
            return ""
        common = set(mine) & set(theirs)
        alike = len(common) / max(len(set(mine)), len(set(theirs))) >= _SAME
        return "negation" if alike else ""
    # Two dates are as alike as two names; what they hold is looked at below.
    likeness = SequenceMatcher(None, _masked(mine), _masked(theirs), autojunk=False)
    least = _SAME if about else _NEARLY
    # quick_ratio never gives less than ratio, so it can only rule out.
    if min(likeness.real_quick_ratio(), likeness.quick_ratio()) < least:
        return ""
    if likeness.ratio() < least:
        return ""
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    places = [op for op in matcher.get_opcodes() if op[0] == "replace"]
    changed = [
        token
        for op, a, b, c, d in matcher.get_opcodes()
        if op != "equal"
        for token in (*mine[a:b], *theirs[c:d])
    ]
    if (
        not places
        or len(places) > (_PLACES if about else 1)
        or any(t in question.terms for t in changed)
    ):
        return ""
    if question.numbers & {n.value for text in changed for n in numbers(text)}:
        return ""
    sides = [(mine[a:b], theirs[c:d]) for _, a, b, c, d in places]
    if _of_two_things(sides):
        return ""
    return " / ".join(" ".join(side) for side in sides[0])


def _of_two_things(places: Sequence[tuple[Sequence[str], Sequence[str]]]) -> bool:
    """Whether words differ at one place and values at another: the flash point is 20 °C, the
    boiling point 56 °C."""
    numeric = [[_DIGITS.search(" ".join(side)) is not None for side in place] for place in places]
    return any(map(all, numeric)) and not all(map(any, numeric))
