"""Judges (DEV_SPEC 3.4.8 ``JudgeProvider``): an answer in, scores with reasons out.

``judge.rules`` counts words and needs no model; ``judge.llm`` asks a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rag_query.contracts.evaluation import EvalCase, JudgeAnchor, MetricResult
from rag_query.providers.registry import Params, register
from rag_query.text.analysis import Analyzer
from rag_query.text.sentences import split_sentences

FAITHFULNESS = "Faithfulness"
RELEVANCY = "AnswerRelevancy"
CORRECTNESS = "AnswerCorrectness"

PROVIDER_ID = "judge.rules"
#: A sentence counts as grounded when so much of it stands in the context.
_GROUNDED = 0.6


@dataclass(frozen=True, slots=True)
class Answered:
    """What a judge looks at: the case, the answer, and the passages it was made from."""

    case: EvalCase
    answer: str
    passages: tuple[str, ...]


class Judge(Protocol):
    """Scores from 0 to 1, each with a reason."""

    @property
    def anchor(self) -> JudgeAnchor:
        """Which judge it is; part of every report."""
        ...

    def score(self, answered: Answered) -> list[MetricResult]:
        """:data:`FAITHFULNESS`, :data:`RELEVANCY`, and with an expected answer
        :data:`CORRECTNESS`.

        Raises:
            ExcerptaError: ``JUDGE_FAILED`` when what the judge said cannot be used; what the
                judge's model raises.
        """
        ...


class RuleJudge:
    """Words shared: a stable lower bound, the same every time.

    Faithfulness is the share of sentences most of whose words stand in the passages, relevancy
    the share of the question's words in the answer, correctness the F1 of
    the words of answer and expected answer.
    """

    anchor = JudgeAnchor(judge_provider_id=PROVIDER_ID)

    def __init__(self) -> None:
        self._analyzer = Analyzer()

    def score(self, answered: Answered) -> list[MetricResult]:
        """See :class:`Judge`."""
        answer = self._words(answered.answer)
        made = [self._faithfulness(answered), self._relevancy(answered, answer)]
        if answered.case.expected_answer:
            expected = self._words(answered.case.expected_answer)
            both = len(answer & expected)
            value = 2 * both / (len(answer) + len(expected)) if both else 0.0
            reason = f"{both} of {len(expected)} words of the expected answer"
            made.append(MetricResult(name=CORRECTNESS, value=value, reason=reason))
        return made

    def _faithfulness(self, answered: Answered) -> MetricResult:
        known = {word for passage in answered.passages for word in self._words(passage)}
        grounded, loose = 0, []
        for start, end in split_sentences(answered.answer):
            words = self._words(answered.answer[start:end])
            if not words:
                continue
            if len(words & known) >= _GROUNDED * len(words):
                grounded += 1
            else:
                loose.append(answered.answer[start:end].strip())
        total = grounded + len(loose)
        value = grounded / total if total else 0.0
        reason = f"{grounded} of {total} sentences stand in the passages"
        if loose:
            reason += f"; not: {loose[0][:120]!r}"
        return MetricResult(name=FAITHFULNESS, value=value, reason=reason)

    def _relevancy(self, answered: Answered, answer: set[str]) -> MetricResult:
        asked = self._words(answered.case.query)
        met = len(asked & answer)
        value = met / len(asked) if asked else 0.0
        reason = f"{met} of {len(asked)} words of the question"
        return MetricResult(name=RELEVANCY, value=value, reason=reason)

    def _words(self, text: str) -> set[str]:
        return set(self._analyzer.tokens(text))


def mean_failures(failures: Sequence[str]) -> list[str]:
    """One line for a report when a judge could not score some cases."""
    if not failures:
        return []
    return [f"the judge could not score {len(failures)} cases; the first: {failures[0]}"]


def _build(_params: Params, **_: Any) -> RuleJudge:
    return RuleJudge()


register(PROVIDER_ID, version="1", build=_build)
