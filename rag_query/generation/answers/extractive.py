"""``generator.extractive``: an answer of the evidence's own sentences; no model, both languages.

Structured kinds keep every line of their blocks, complete and in sequence. Other kinds take the
sentences that answer, the best first, then those that support it in reading order.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from rag_query.contracts.answer import GeneratorRun
from rag_query.generation.answers.draft import Draft, DraftSentence, OnSentence
from rag_query.generation.evidence.evidence_set import Built
from rag_query.generation.evidence.kinds import QuestionKind
from rag_query.generation.passages.sections import all_above, together
from rag_query.generation.passages.sentences import Sentence, is_question, sentences_of
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.precedence import first_of
from rag_query.generation.scoring.scored import ALL, Scored
from rag_query.generation.vocabulary.answer_types import AnswerType
from rag_query.providers.registry import Params, register
from rag_query.text.numerals import HAN_UP_TO_TEN, numeral_value

#: Block type -> group of the output.
GROUPS = {"ingredients": "ingredients", "operation": "steps", "tips": "notes", "intro": "intro"}
_STEP_ASKED = re.compile(
    rf"第\s*(\d{{1,3}}|[{HAN_UP_TO_TEN}两]{{1,3}})\s*步|\bstep\s+(\d{{1,3}})\b", re.IGNORECASE
)
_INDENT = 2


class ExtractiveParams(Params):
    """Parameters of ``generator.extractive``.

    Attributes:
        support_share: a further sentence is taken when its score is at least this share of the
            best one's.
    """

    support_share: float = Field(0.35, ge=0, le=1)


class ExtractiveGenerator:
    """See :class:`rag_query.generation.answers.draft.Generator`."""

    provider_id = "generator.extractive"

    def __init__(self, params: ExtractiveParams) -> None:
        self._params = params

    def generate(
        self, question: Question, kind: QuestionKind, built: Built, on_sentence: OnSentence
    ) -> Draft:
        warnings: tuple[str, ...] = ()
        if kind.output == "structured":
            found = _structured(built)
            if (step := asked_step(question.text)) is not None:
                found = [s for s in found if s.name == f"step_{step}"]
        elif kind.output == "summary":
            found = _summary(built, kind.max_sentences or 8)
        else:
            found, left_out = self._all_sentences(question, built, kind)
            if left_out:
                warnings = (
                    f"The list goes on in the document; sentences left out here: {left_out}.",
                )
        for sentence in found:
            on_sentence(sentence)
        return Draft(tuple(found), GeneratorRun(provider_id=self.provider_id), warnings)

    def _all_sentences(
        self, question: Question, built: Built, kind: QuestionKind
    ) -> tuple[list[DraftSentence], int]:
        """The sentences of an answer; of two things asked for those that answer each, once."""
        limit = kind.max_sentences or 3
        if not built.parts:
            return self._sentences(question, built.scored, limit, kind.max_items)
        drafts = [self._sentences(q, b.scored, limit, kind.max_items) for q, b in built.parts]
        found = {sentence.text: sentence for each, _ in drafts for sentence in each}
        answers = {s.text: s for each, _ in drafts for s in each if s.name == "answer"}
        if len(built.parts) == 1:
            return drafts[0]
        support = [s for text, s in found.items() if text not in answers]
        room = max(0, limit - len(answers))
        return [*answers.values(), *support[:room]], sum(left for _, left in drafts)

    def _sentences(
        self, question: Question, scored: Sequence[Scored], limit: int, items: int
    ) -> tuple[list[DraftSentence], int]:
        """The sentences of an answer, and how many of the list it opens are beyond its limit."""
        if not scored:
            return [], 0
        order = sorted(range(len(scored)), key=lambda i: scored[i].precedence, reverse=True)
        # A document may say the same twice; once is enough, where it stands best.
        said = {" ".join(scored[i].sentence.text.split()): i for i in reversed(order)}
        once = set(said.values())
        order = [i for i in order if i in once]
        top = scored[order[0]].bearing
        first = order[first_of(question, [scored[i] for i in order])]
        if scored[first].named_above:
            first = _list_start(scored, first)
        listed = _list_after(scored, first) if scored[first].leads else []
        if scored[first].meant:
            first, *listed = [i for i in sorted(once) if scored[i].meant]
        answer = [first, *listed[: max(items, limit - 1)]]
        floor = top * self._params.support_share
        # What is about the title may support what is said of it.
        others = sorted(
            order, key=lambda i: (scored[i].bearing, scored[i].precedence), reverse=True
        )
        others = [i for i in others if i != first and i not in listed]
        if is_question(scored[first].led_by) and scored[first].coverage >= ALL:
            # What the document asks in the same words it answers in what follows.
            end = _end_of_section(scored, first)
            others.sort(key=lambda i: i if first < i < end else len(scored))
        # All the rows of a table that fulfil what is asked are the whole answer.
        room = 0 if scored[first].meant else max(0, limit - len(answer))
        near = [i for i in others[:room] if scored[i].bearing >= floor]
        # How something is done one of them may leave to the command below it.
        is_how = question.answer_type is AnswerType.METHOD
        below = {n for i in near if is_how for n in _code_after(scored, i)}
        support = sorted({*near, *below} - {*answer})
        taken = [("answer", i) for i in answer] + [("support", i) for i in support]
        found = [_taken(group, group, scored[i].sentence) for group, i in taken]
        above = [told_above(question, scored[i].sentence) for _, i in taken]
        # What stands below the heading of the sentence before it is read with that.
        found = [
            replace(sentence, heading=heading if heading != before else "")
            for sentence, heading, before in zip(found, above, ["", *above], strict=False)
        ]
        return found, len(listed) + 1 - len(answer)


def told_above(question: Question, sentence: Sentence) -> str:
    """The nearest heading above a sentence that is the date or the version asked for: 2.4.0
    (2025-03-18) above what changed then. Empty where the sentence holds it itself, or none is."""
    above = all_above(sentence)
    return next((each for each in above if question.is_told_above(each, sentence.text)), "")


def _list_start(scored: Sequence[Scored], at: int) -> int:
    """Where the list begins of which an item is named by the heading above."""
    start = at
    for index in reversed(range(at)):
        sentence, after = scored[index].sentence, scored[index + 1].sentence
        if not _goes_on(sentence, after):
            break
        number = scored[start].sentence.number
        comes_before = number is not None and sentence.number == number - 1
        if sentence.is_item and (index == start - 1 or comes_before):
            start = index
    return start


def _list_after(scored: Sequence[Scored], first: int) -> list[int]:
    """The list a sentence opens or begins, in order, with what stands between numbered items; where
    no list follows, the next sentence alone."""
    lead = last = scored[first].sentence
    opens = lead.opens_list and not scored[first].named_above
    number = None if opens else lead.number
    found: list[int] = []
    passed: list[int] = []
    for index in range(first + 1, len(scored)):
        sentence = scored[index].sentence
        if not _goes_on(last, sentence) or (opens and 0 <= sentence.indent <= lead.indent):
            break
        last = sentence
        passed.append(index)
        next_number = number is not None and sentence.number == number + 1
        if sentence.is_item and (len(passed) == 1 or next_number):
            found += passed
            passed = []
            number = sentence.number if sentence.number is not None else number
    return found or (passed[:1] if opens else [])


def _end_of_section(scored: Sequence[Scored], at: int) -> int:
    """Where what stands below the same heading or question as a sentence ends."""
    after = range(at + 1, len(scored))
    others = (i for i in after if not _goes_on(scored[i - 1].sentence, scored[i].sentence))
    return next(others, len(scored))


def _code_after(scored: Sequence[Scored], at: int) -> Iterator[int]:
    """The block of code that a sentence opens."""
    if scored[at].sentence.opens_list:
        below = range(at + 1, _end_of_section(scored, at))
        yield from itertools.takewhile(lambda i: scored[i].sentence.is_code, below)


def _goes_on(before: Sentence, after: Sentence) -> bool:
    """Whether two sentences stand below one heading, with no chunk and no question between them."""
    near = after.chunk.chunk_index <= before.chunk.chunk_index + 1
    return near and together(before, after) and not after.asked


def asked_step(question: str) -> int | None:
    """The number of the step a question names."""
    match = _STEP_ASKED.search(question)
    return numeral_value(match[1] or match[2]) if match else None


def _structured(built: Built) -> list[DraftSentence]:
    found: list[DraftSentence] = []
    step = 0
    base = 0
    for sentence in sentences_of(built.chunks.values()):
        group = GROUPS.get(sentence.chunk.block_type, "content")
        name = group
        if group == "steps":
            if sentence.indent >= 0 and (sentence.number is not None or sentence.indent <= base):
                # A list inside a step belongs to it.
                if sentence.number is not None and step and sentence.indent > base:
                    pass
                else:
                    step += 1
                    base = sentence.indent
            name = f"step_{step}" if step else "steps"
        found.append(_taken(group, name, sentence))
    return found


def _summary(built: Built, limit: int) -> list[DraftSentence]:
    """The first sentence of every section, in order, until there are enough."""
    found = []
    for chunk in sorted(built.chunks.values(), key=lambda c: c.chunk_index):
        first = sentences_of([chunk])[:1]
        found += [_taken("content", "content", sentence) for sentence in first]
    return found[:limit]


def _taken(group: str, name: str, sentence: Sentence) -> DraftSentence:
    lead = ""
    if sentence.indent >= 0:
        mark = f"{sentence.number}." if sentence.number is not None else "-"
        lead = " " * (sentence.indent // _INDENT * _INDENT) + f"{mark} "
    return DraftSentence(group, name, sentence.text, (sentence.chunk.chunk_id,), (sentence,), lead)


register(
    "generator.extractive",
    version="13",
    params=ExtractiveParams,
    build=lambda p, **_: ExtractiveGenerator(p),
)
