"""Two evaluations of the same cases against each other.

The confidence interval of a difference is that of a paired bootstrap: the cases are drawn again
with replacement, both values of a case together, and the difference of means is taken each time
(Efron and Tibshirani 1993; Sakai 2006 for retrieval). The generator's seed is fixed, so the same
two runs always give the same interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import (
    CaseChange,
    CaseResult,
    Comparison,
    EvalReport,
    MetricDifference,
    gain,
)

RESAMPLES = 10_000
_SEED = 20260101
#: Draws held in memory at once.
_CELLS = 4_000_000
#: Smaller differences of one case are ties.
_TIE = 1e-9


def compare(
    base: EvalReport,
    base_cases: Sequence[CaseResult],
    other: EvalReport,
    other_cases: Sequence[CaseResult],
    *,
    by: str,
) -> Comparison:
    """What ``other`` does better and worse than ``base``.

    Args:
        by: the metric whose differences are listed by case.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when the runs have no case in common.
    """
    mine = {case.case_id: case for case in base_cases}
    pairs = [(mine[case.case_id], case) for case in other_cases if case.case_id in mine]
    if not pairs or base.profile.dataset_id != other.profile.dataset_id:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "These evaluations have no cases in common.",
            hint="Compare two evaluations of the same dataset.",
        )
    names = [metric for metric in base.metrics if metric in other.metrics]
    changes = _changes(pairs, by)
    return Comparison(
        base_run_id=base.eval_run_id,
        other_run_id=other.eval_run_id,
        base=base.strategy,
        other=other.strategy,
        by=by,
        differences=[made for name in names if (made := _difference(pairs, name))],
        wins=[change for change in changes if gain(by, change.other - change.base) > 0],
        losses=[change for change in changes if gain(by, change.other - change.base) < 0],
        warnings=_warnings(base, other, len(pairs)),
    )


def interval(differences: NDArray[np.float64]) -> tuple[float, float]:
    """95 % interval of the mean of paired differences, shape (cases,)."""
    generator = np.random.default_rng(_SEED)
    cases = len(differences)
    means: list[NDArray[np.float64]] = []
    drawn = 0
    while drawn < RESAMPLES:
        rows = min(RESAMPLES - drawn, max(1, _CELLS // cases))
        places = generator.integers(0, cases, (rows, cases))
        means.append(differences[places].mean(axis=1))
        drawn += rows
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def _difference(
    pairs: Sequence[tuple[CaseResult, CaseResult]], name: str
) -> MetricDifference | None:
    values = [
        (one, two)
        for base, other in pairs
        if (one := base.value(name)) is not None and (two := other.value(name)) is not None
    ]
    if not values:
        return None  # a rate over all cases, not a mean
    table = np.array(values, np.float64)
    differences = table[:, 1] - table[:, 0]
    low, high = interval(differences)
    return MetricDifference(
        name=name,
        base=float(table[:, 0].mean()),
        other=float(table[:, 1].mean()),
        difference=float(differences.mean()),
        low=low,
        high=high,
        cases=len(values),
        wins=sum(gain(name, change) > _TIE for change in differences.tolist()),
        losses=sum(gain(name, change) < -_TIE for change in differences.tolist()),
        ties=int(np.count_nonzero(np.abs(differences) <= _TIE)),
    )


def _changes(pairs: Sequence[tuple[CaseResult, CaseResult]], by: str) -> list[CaseChange]:
    """Cases that differ, the greatest difference first."""
    found = [
        CaseChange(
            case_id=base.case_id,
            query=base.query,
            base=one,
            other=two,
            base_trace_id=base.artifacts.trace_id,
            other_trace_id=other.artifacts.trace_id,
        )
        for base, other in pairs
        if (one := base.value(by)) is not None
        and (two := other.value(by)) is not None
        and abs(two - one) > _TIE
    ]
    return sorted(found, key=lambda change: (-abs(change.other - change.base), change.case_id))


def _warnings(base: EvalReport, other: EvalReport, pairs: int) -> list[str]:
    found = []
    if base.profile.dataset_version != other.profile.dataset_version:
        found.append(f"the dataset was changed between the runs; {pairs} cases are in both")
    if base.profile.top_k != other.profile.top_k:
        found.append(f"top_k differs: {base.profile.top_k} and {other.profile.top_k}")
    if base.snapshot != other.snapshot and base.side is None and other.side is None:
        found.append(f"the snapshots differ: {base.snapshot} and {other.snapshot}")
    return found
