"""Metric sets (DEV_SPEC 3.4.8 ``MetricSet``): from a case and its evidence to numbers.

Measures of rankings come from ir-measures (trec_eval); those of answers are rules of this project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import Field

from rag_query.contracts.evaluation import CaseArtifacts, CaseResult, MetricResult
from rag_query.evaluation.judgements import Judgement
from rag_query.providers.registry import Params, register

RETRIEVAL = "metric_set.retrieval"
ANSWERS = "metric_set.answers"
DEFAULT = "metric_set.default"


@dataclass(frozen=True, slots=True)
class Measured:
    """A case that was executed.

    Attributes:
        ranking: what came back, as ids comparable with the targets' (``judgements.rank``).
        in_scope: of each passage that came back, whether it lies in ``doc_scope``; None when the
            case has no scope.
    """

    judgement: Judgement
    artifacts: CaseArtifacts
    ranking: list[str]
    in_scope: list[bool] | None = None


class MetricSet(Protocol):
    """Numbers of cases, and of all of them together."""

    @property
    def primary(self) -> str:
        """The metric that decides which case is worst, and wins and losses."""
        ...

    def compute(self, measured: Sequence[Measured]) -> list[list[MetricResult]]:
        """The metrics of each case, in order; a metric that a case cannot have is left out."""
        ...

    def summarize(self, results: Sequence[CaseResult]) -> dict[str, float]:
        """Metrics of the whole: means, and what is no mean."""
        ...


class MetricParams(Params):
    """``k``: the cut-offs; the first is the one gates and comparisons look at."""

    k: tuple[int, ...] = Field((10,), min_length=1)


class RetrievalMetrics:
    """HitRate@K, Recall@K, MRR@K, nDCG@K, and Coverage of ``doc_scope``."""

    def __init__(self, params: MetricParams) -> None:
        self._cuts = params.k

    @property
    def primary(self) -> str:
        return f"nDCG@{self._cuts[0]}"

    def compute(self, measured: Sequence[Measured]) -> list[list[MetricResult]]:
        """See :class:`MetricSet`."""
        values = self._of_rankings(measured)
        return [[*values.get(number, []), *_coverage(each)] for number, each in enumerate(measured)]

    def summarize(self, results: Sequence[CaseResult]) -> dict[str, float]:
        """See :class:`MetricSet`."""
        return means(results)

    def _of_rankings(self, measured: Sequence[Measured]) -> dict[int, list[MetricResult]]:
        import ir_measures
        from ir_measures import RR, R, Success, nDCG

        made = {"HitRate": Success, "Recall": R, "MRR": RR, "nDCG": nDCG}
        names = {m @ k: f"{name}@{k}" for name, m in made.items() for k in self._cuts}
        qrels, run = [], []
        for number, each in enumerate(measured):
            targets = each.judgement.targets
            qrels += [ir_measures.Qrel(str(number), t.target_id, t.grade) for t in targets]
            run += [
                ir_measures.ScoredDoc(str(number), name, -float(place))
                for place, name in enumerate(each.ranking)
                if targets
            ]
        judged = {number for number, each in enumerate(measured) if each.judgement.targets}
        found: dict[int, dict[str, float]] = {number: {} for number in judged}
        # A case without any passage is not in a run, and has not found anything.
        for value in ir_measures.iter_calc(list(names), qrels, run) if run else ():
            found[int(value.query_id)][names[value.measure]] = float(value.value)
        return {
            number: [
                MetricResult(name=name, value=values.get(name, 0.0)) for name in names.values()
            ]
            for number, values in found.items()
        }


class AnswerMetrics:
    """CitationPrecision, CitationCoverage, refusal precision and recall, tokens and cost.

    CitationPrecision is the share of citations that point at a passage the answer was made from;
    CitationCoverage the share of asserting sentences with a citation. A refused case has neither.
    """

    primary = "CitationCoverage"

    def compute(self, measured: Sequence[Measured]) -> list[list[MetricResult]]:
        """See :class:`MetricSet`."""
        return [_of_answer(each) for each in measured]

    def summarize(self, results: Sequence[CaseResult]) -> dict[str, float]:
        """See :class:`MetricSet`; refusals are counted over all cases, not averaged."""
        made = means(results)
        answered = [r for r in results if r.artifacts.refused is not None]
        refused = [r for r in answered if r.artifacts.refused]
        unanswerable = [r for r in answered if not r.answerable]
        right = [r for r in refused if not r.answerable]
        if refused:
            made["RefusalPrecision"] = len(right) / len(refused)
        if unanswerable:
            made["RefusalRecall"] = len(right) / len(unanswerable)
        return made


class DefaultMetrics:
    """Both of the above; the metrics of answers appear when there are answers."""

    def __init__(self, params: MetricParams) -> None:
        self._sets: tuple[MetricSet, ...] = (RetrievalMetrics(params), AnswerMetrics())

    @property
    def primary(self) -> str:
        return self._sets[0].primary

    def compute(self, measured: Sequence[Measured]) -> list[list[MetricResult]]:
        """See :class:`MetricSet`."""
        parts = [each.compute(measured) for each in self._sets]
        return [[metric for found in case for metric in found] for case in zip(*parts, strict=True)]

    def summarize(self, results: Sequence[CaseResult]) -> dict[str, float]:
        """See :class:`MetricSet`."""
        return {k: v for each in self._sets for k, v in each.summarize(results).items()}


def means(results: Iterable[CaseResult]) -> dict[str, float]:
    """name -> mean over the cases that have the metric, in the order first seen."""
    values: dict[str, list[float]] = defaultdict(list)
    for result in results:
        for metric in result.metrics:
            values[metric.name].append(metric.value)
    return {name: sum(found) / len(found) for name, found in values.items()}


def _coverage(each: Measured) -> list[MetricResult]:
    if each.in_scope is None:
        return []
    share = sum(each.in_scope) / len(each.in_scope) if each.in_scope else 0.0
    return [MetricResult(name="Coverage", value=share)]


def _of_answer(each: Measured) -> list[MetricResult]:
    artifacts = each.artifacts
    if artifacts.answer_markdown is None:
        return []
    made: list[MetricResult] = []
    if not artifacts.refused:
        cited = [citation.returned for citation in artifacts.citations]
        precision = sum(cited) / len(cited) if cited else 0.0
        made.append(MetricResult(name="CitationPrecision", value=precision))
        if artifacts.sentences:
            covered = artifacts.sentences_cited / artifacts.sentences
            made.append(MetricResult(name="CitationCoverage", value=covered))
    for name, value in artifacts.usage.items():
        made.append(MetricResult(name=name, value=value))
    return made


def _retrieval(params: MetricParams, **_: Any) -> RetrievalMetrics:
    return RetrievalMetrics(params)


def _answers(_params: Params, **_: Any) -> AnswerMetrics:
    return AnswerMetrics()


def _default(params: MetricParams, **_: Any) -> DefaultMetrics:
    return DefaultMetrics(params)


register(RETRIEVAL, version="1", params=MetricParams, build=_retrieval)
register(ANSWERS, version="1", build=_answers)
register(DEFAULT, version="1", params=MetricParams, build=_default)
