"""Evaluators (DEV_SPEC 3.4.8): a dataset and a strategy in, a report with its evidence out.

``evaluator.basic`` measures rankings and citations; ``evaluator.judge`` also has answers judged.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import numpy as np
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import (
    CaseResult,
    Dataset,
    EvalMode,
    EvalPart,
    EvalProfile,
    EvalReport,
    MetricResult,
)
from rag_query.contracts.plan import Mode
from rag_query.contracts.trace import Eval, EvalMetric
from rag_query.evaluation.answers import AnswerSource
from rag_query.evaluation.case_run import CaseRun, CaseRunner, TraceCatcher
from rag_query.evaluation.judgements import Judgement, in_scope, places_of, rank, resolve
from rag_query.evaluation.judges import Answered, Judge, mean_failures
from rag_query.evaluation.metrics import DEFAULT, Measured, MetricSet
from rag_query.evaluation.runs import new_run_id, save
from rag_query.library.home import Home
from rag_query.library.kept_snapshot import while_kept
from rag_query.library.settings import load_settings
from rag_query.library.snapshot import Library, Snapshot
from rag_query.providers.registry import REGISTRY, Params, register
from rag_query.retrieval.embedder_slot import EmbedderFactory
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import Strategy, parse_strategy
from rag_query.text.ids import profile_id
from rag_query.tracing.outlets import EverySink, direct_sinks

#: How many of the worst cases a report names.
WORST = 10
#: Different warnings of cases that a report repeats.
_WARNINGS = 3


class EvalSettings(EvalPart):
    """How to evaluate; a hash of it is part of ``eval_profile_id``.

    Attributes:
        evaluator: ``evaluator.basic``, ``evaluator.judge`` or another registered one.
        judge: None for an evaluator without one.
        workers: cases at the same time; more than one changes the latencies, nothing else.
    """

    mode: EvalMode = "retrieval_only"
    retrieval_mode: Mode = "hybrid"
    top_k: int = Field(10, ge=1, le=1000)
    evaluator: str = "evaluator.basic"
    metric_set: str = DEFAULT
    metric_params: dict[str, Any] = Field(default_factory=dict)
    judge: str | None = None
    judge_params: dict[str, Any] = Field(default_factory=dict)
    workers: int = Field(1, ge=1, le=64)


@dataclass(frozen=True)
class Subject:
    """What is evaluated.

    Attributes:
        home: where the snapshot lies.
        snapshot: that answers.
        reference: the published snapshot whose chunk ids the cases name; the same one, unless a
            side generation answers.
        strategy: None for the one the snapshot was published with.
        side: name of the side generation, if it is one.
        candidate: the snapshot is not published yet.
        embedder_factory: as for a retriever.
    """

    home: Home
    snapshot: Snapshot
    reference: Snapshot
    strategy: Strategy | None = None
    side: str | None = None
    candidate: bool = False
    embedder_factory: EmbedderFactory | None = None

    @property
    def acting(self) -> Strategy:
        """The strategy that answers."""
        return self.strategy or parse_strategy(self.snapshot.manifest.strategy)


class _Pinned(Library):
    """A library that shows one snapshot, published or not."""

    def __init__(self, home: Home, snapshot: Snapshot) -> None:
        super().__init__(home, load_settings(home))
        self._pinned = snapshot

    def snapshot(self) -> Snapshot:
        return self._pinned


class Evaluator:
    """Runs the cases through the retriever, measures, and keeps the report, the cases and their
    traces with their metrics.

    Args:
        metrics: what is measured.
        judge: None for no judging.
    """

    def __init__(
        self, home: Home, settings: EvalSettings, metrics: MetricSet, judge: Judge | None
    ) -> None:
        self._home = home
        self._settings = settings
        self._metrics = metrics
        self._judge = judge

    def run(self, dataset: Dataset, subject: Subject) -> tuple[EvalReport, list[CaseResult]]:
        """See :func:`~rag_query.evaluation.evaluate.evaluate`."""
        judgements = resolve(dataset.cases, subject.reference)
        run_id, started = new_run_id(), datetime.now(UTC)
        runs, seconds = self._runs(judgements, subject)
        results, failures = self._results(subject, judgements, runs)
        profile = self._profile(dataset, subject)
        warnings = [*dataset.warnings, *mean_failures(failures), *_of_cases(results)]
        report = self._report(
            run_id=run_id,
            started=started,
            seconds=seconds,
            profile=profile,
            subject=subject,
            results=results,
            warnings=[*warnings, *_of_unknown(results)],
        )
        # No deletion removes what a run evaluates before it has published.
        unremoved = while_kept(self._home, subject.reference.number)
        with contextlib.nullcontext() if subject.candidate else unremoved:
            self._write_traces(run_id, profile, results, runs)
            save(self._home, report, results)
        return report, results

    def _runs(
        self, judgements: Sequence[Judgement], subject: Subject
    ) -> tuple[list[CaseRun], float]:
        """Every case, asked, and the seconds they took altogether."""
        settings = self._settings
        catcher = TraceCatcher()
        with Retriever(
            _Pinned(subject.home, subject.snapshot),
            strategy=subject.strategy,
            embedder_factory=subject.embedder_factory,
            sinks=(catcher,),
        ) as retriever:
            runner = CaseRunner(
                retriever,
                subject.snapshot,
                catcher,
                settings.retrieval_mode,
                settings.top_k,
                self._answers(retriever, subject),
                settings.mode == "generation_only",
            )
            # The first question loads the model; its time is none of a case's.
            runner.run(judgements[0])
            began = perf_counter()
            if settings.workers == 1:
                runs = [runner.run(judgement) for judgement in judgements]
            else:
                with ThreadPoolExecutor(settings.workers) as pool:
                    runs = list(pool.map(runner.run, judgements))
            return runs, perf_counter() - began

    def _answers(self, retriever: Retriever, subject: Subject) -> AnswerSource | None:
        if self._settings.mode == "retrieval_only":
            return None
        from rag_query.evaluation.asked_answers import AskedAnswers

        return AskedAnswers(retriever, subject.snapshot, subject.acting)

    def _results(
        self, subject: Subject, judgements: Sequence[Judgement], runs: Sequence[CaseRun]
    ) -> tuple[list[CaseResult], list[str]]:
        snapshot, uris = subject.snapshot, subject.reference.catalog.source_uris()
        measured = [_measured(snapshot, j, run) for j, run in zip(judgements, runs, strict=True)]
        numbers = self._metrics.compute(measured)
        judged, failures = self._judged(judgements, runs)
        results = []
        for each, own, verdict in zip(measured, numbers, judged, strict=True):
            case, targets = each.judgement.case, each.judgement.targets
            timing = MetricResult(name="latency_ms", value=each.artifacts.latency_ms)
            results.append(
                CaseResult(
                    case_id=case.case_id,
                    query=case.query,
                    tags=case.tags,
                    answerable=case.answerable,
                    expected=[target.target_id for target in targets],
                    documents={t.doc_id: uris[t.doc_id] for t in targets if t.doc_id in uris},
                    missed=[t.target_id for t in targets if t.target_id not in each.ranking],
                    unknown=list(each.judgement.unknown),
                    metrics=[*own, *verdict, timing],
                    artifacts=each.artifacts,
                )
            )
        return results, failures

    def _judged(
        self, judgements: Sequence[Judgement], runs: Sequence[CaseRun]
    ) -> tuple[list[list[MetricResult]], list[str]]:
        """Verdicts by case, and what kept the judge from scoring some."""
        verdicts: list[list[MetricResult]] = []
        failures: list[str] = []
        asked = 0
        for judgement, run in zip(judgements, runs, strict=True):
            answer = run.statement
            verdicts.append([])
            if self._judge is None or not answer or run.artifacts.refused:
                continue
            asked += 1
            try:
                answered = Answered(judgement.case, answer, run.passages)
                verdicts[-1] = self._judge.score(answered)
            except ExcerptaError as exc:
                failures.append(f"{judgement.case.case_id}: {exc.message}")
        if failures and len(failures) == asked:
            raise ExcerptaError(
                ErrorCode.JUDGE_FAILED,
                f"The judge could not score any of {asked} answers. The first: {failures[0]}",
                hint="Try another model for judge.llm, or judge.rules.",
            )
        return verdicts, failures

    def _profile(self, dataset: Dataset, subject: Subject) -> EvalProfile:
        settings = self._settings
        judge = settings.judge if self._judge is not None else None
        return EvalProfile(
            dataset_id=dataset.dataset_id,
            dataset_version=dataset.version,
            strategy_config_id=subject.acting.config_id,
            evaluator_id=settings.evaluator,
            metric_set_id=REGISTRY.profile_id(settings.metric_set, settings.metric_params),
            judge_profile_id=judge_profile_id(judge, settings.judge_params, self._judge),
            mode=settings.mode,
            retrieval_mode=settings.retrieval_mode,
            top_k=settings.top_k,
        )

    def _report(
        self,
        *,
        run_id: str,
        started: datetime,
        seconds: float,
        profile: EvalProfile,
        subject: Subject,
        results: list[CaseResult],
        warnings: list[str],
    ) -> EvalReport:
        counted: dict[str, int] = {}
        for result in results:
            for metric in result.metrics:
                counted[metric.name] = counted.get(metric.name, 0) + 1
        metrics = self._metrics.summarize(results)
        latencies = np.array([r.artifacts.latency_ms for r in results])
        usage: dict[str, float] = {}
        for result in results:
            for name, value in result.artifacts.usage.items():
                usage[name] = usage.get(name, 0.0) + value
        return EvalReport(
            eval_run_id=run_id,
            eval_profile_id=profile_id(profile.model_dump(mode="json")),
            profile=profile,
            strategy=subject.acting.name,
            snapshot=subject.snapshot.number,
            side=subject.side,
            candidate=subject.candidate,
            judge=self._judge.anchor if self._judge else None,
            started_at=started,
            ended_at=datetime.now(UTC),
            cases=len(results),
            failed=sum(result.artifacts.error is not None for result in results),
            metrics=metrics,
            counted=counted,
            latency_ms=_percentiles(latencies),
            usage=usage,
            seconds=round(seconds, 3),
            fingerprint=profile_id([result.stable() for result in results]),
            worst=_worst(results, self._metrics.primary),
            warnings=warnings,
        )

    def _write_traces(
        self,
        run_id: str,
        profile: EvalProfile,
        results: Sequence[CaseResult],
        runs: Sequence[CaseRun],
    ) -> None:
        sink = EverySink(direct_sinks(self._home))
        for result, run in zip(results, runs, strict=True):
            of_case = Eval(
                eval_run_id=run_id,
                case_id=result.case_id,
                dataset_id=profile.dataset_id,
                metric_set_id=profile.metric_set_id,
                judge_profile_id=profile.judge_profile_id,
                metrics=[EvalMetric(name=m.name, value=m.value) for m in result.metrics],
            )
            for trace in run.traces:
                sink.write(trace.model_copy(update={"eval": of_case}))


def judge_profile_id(
    provider: str | None, params: dict[str, Any], judge: Judge | None
) -> str | None:
    """The judge with its parameters, model and prompt; None when there is none."""
    if judge is None:
        return None
    registered = REGISTRY.profile_id(provider, params) if provider else None
    return profile_id({"provider": registered, "anchor": judge.anchor.model_dump(mode="json")})


def _measured(snapshot: Snapshot, judgement: Judgement, run: CaseRun) -> Measured:
    context = run.artifacts.context
    places = places_of(snapshot, context)
    scoped = None
    if judgement.case.doc_scope is not None and run.artifacts.error is None:
        scoped = [
            in_scope(
                judgement, c.doc_id or "", run.versions[c.chunk_id], run.collections[c.chunk_id]
            )
            for c in context
        ]
    return Measured(judgement, run.artifacts, rank(judgement, context, places), scoped)


def _percentiles(values: Any) -> dict[str, float]:
    if not len(values):
        return {}
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    found = {"mean": values.mean(), "p50": p50, "p95": p95, "p99": p99, "max": values.max()}
    return {name: round(float(value), 3) for name, value in found.items()}


def _of_cases(results: Sequence[CaseResult]) -> list[str]:
    """What many cases were warned of, the most frequent first: a leg that fails fails in all."""
    met = Counter(warning for r in results for warning in dict.fromkeys(r.artifacts.warnings))
    return [f"{n} of {len(results)} cases: {warning}" for warning, n in met.most_common(_WARNINGS)]


def _of_unknown(results: Sequence[CaseResult]) -> list[str]:
    unknown = [case.case_id for case in results if case.unknown]
    if not unknown:
        return []
    return [
        "Cases that expect what the library does not hold (counted as missed): "
        f"{len(unknown)}, the first {unknown[0]}."
    ]


def _worst(results: Sequence[CaseResult], primary: str) -> list[str]:
    scored = [(value, r.case_id) for r in results if (value := r.value(primary)) is not None]
    return [case_id for value, case_id in sorted(scored)[:WORST] if value < 1.0]


def _basic(_params: Params, *, home: Home, settings: EvalSettings, **_: Any) -> Evaluator:
    return Evaluator(home, settings, metric_set_of(settings), None)


def _judging(_params: Params, *, home: Home, settings: EvalSettings, **_: Any) -> Evaluator:
    judge: Judge = REGISTRY.create(
        settings.judge or "judge.rules", settings.judge_params, home=home
    )
    return Evaluator(home, settings, metric_set_of(settings), judge)


def metric_set_of(settings: EvalSettings) -> MetricSet:
    """What is measured. Raises ExcerptaError ``UNKNOWN_PROVIDER`` or ``INVALID_STRATEGY``."""
    made: MetricSet = REGISTRY.create(settings.metric_set, settings.metric_params)
    return made


register("evaluator.basic", version="1", build=_basic)
register("evaluator.judge", version="1", build=_judging)
