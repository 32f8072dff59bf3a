"""Comparisons: the interval is a bootstrap's, and every change is named."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import (
    CaseArtifacts,
    CaseResult,
    EvalProfile,
    EvalReport,
    MetricResult,
)
from rag_query.evaluation.comparison import compare, interval

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def report(run: str, dataset: str = "d", metric: str = "nDCG@10") -> EvalReport:
    profile = EvalProfile(
        dataset_id=dataset,
        dataset_version="1",
        strategy_config_id=run,
        evaluator_id="evaluator.basic",
        metric_set_id="m",
        judge_profile_id=None,
        mode="retrieval_only",
        retrieval_mode="hybrid",
        top_k=10,
    )
    return EvalReport(
        eval_run_id=run,
        eval_profile_id="p",
        profile=profile,
        strategy=run,
        snapshot=1,
        started_at=NOW,
        ended_at=NOW,
        cases=0,
        failed=0,
        metrics={metric: 0.0},
        counted={},
        latency_ms={},
        seconds=0.0,
        fingerprint="",
    )


def cases(values: list[float], run: str, metric: str = "nDCG@10") -> list[CaseResult]:
    return [
        CaseResult(
            case_id=f"c{i}",
            query=f"q{i}",
            metrics=[MetricResult(name=metric, value=value)],
            artifacts=CaseArtifacts(trace_id=f"trc_{run}{i}"),
        )
        for i, value in enumerate(values)
    ]


def test_better_on_every_case_is_no_chance() -> None:
    base, other = [0.2, 0.4, 0.6, 0.5], [0.5, 0.8, 0.7, 0.9]
    made = compare(report("a"), cases(base, "a"), report("b"), cases(other, "b"), by="nDCG@10")
    (row,) = made.differences
    assert row.difference == pytest.approx(0.3)
    assert 0 < row.low < row.difference < row.high
    assert row.significant and row.better and not row.worse
    assert (row.wins, row.losses, row.ties) == (4, 0, 0)
    assert [change.case_id for change in made.wins] == ["c1", "c3", "c0", "c2"]
    assert (made.wins[0].base_trace_id, made.wins[0].other_trace_id) == ("trc_a1", "trc_b1")
    assert made.losses == []


@pytest.mark.parametrize("metric", ["latency_ms", "cost", "input_tokens", "output_tokens"])
def test_what_takes_longer_or_costs_more_is_worse(metric: str) -> None:
    base, other = [30.0, 20.0, 25.0, 10.0], [110.0, 90.0, 120.0, 9.0]
    made = compare(
        report("a", metric=metric),
        cases(base, "a", metric),
        report("b", metric=metric),
        cases(other, "b", metric),
        by=metric,
    )
    (row,) = made.differences
    assert (row.wins, row.losses, row.ties) == (1, 3, 0)
    assert row.worse and not row.better
    assert [change.case_id for change in made.wins] == ["c3"]
    assert [change.case_id for change in made.losses] == ["c2", "c0", "c1"]


def test_the_interval_of_equal_runs_is_nothing() -> None:
    same = cases([0.1, 0.9, 0.4], "a")
    made = compare(report("a"), same, report("b"), same, by="nDCG@10")
    (row,) = made.differences
    assert (row.difference, row.low, row.high, row.ties) == (0, 0, 0, 3)
    assert not row.significant


def test_the_interval_is_as_wide_as_theory_says_and_always_the_same() -> None:
    differences = np.random.default_rng(7).normal(0.05, 0.2, 400)
    low, high = interval(differences)
    error = 1.96 * differences.std() / np.sqrt(400)
    assert low == pytest.approx(differences.mean() - error, abs=0.003)
    assert high == pytest.approx(differences.mean() + error, abs=0.003)
    assert interval(differences) == (low, high)


def test_runs_of_other_cases_cannot_be_compared() -> None:
    with pytest.raises(ExcerptaError) as caught:
        compare(report("a"), cases([1], "a"), report("b", "other"), cases([1], "b"), by="nDCG@10")
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
