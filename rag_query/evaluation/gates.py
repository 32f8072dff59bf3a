"""Quality gates (DEV_SPEC 3.4.8): thresholds in a file, and what a report makes of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import (
    LESS_IS_BETTER,
    CaseResult,
    EvalMode,
    EvalReport,
    gain,
)
from rag_query.contracts.plan import Mode
from rag_query.evaluation.evaluator import EvalSettings
from rag_query.library.home import Home
from rag_query.library.yaml_files import read_yaml

_SHIPPED = Path(__file__).with_name("gates.yaml")
#: Cases a verdict names, those of them that its text tells, and how much of their questions.
NAMED = 5
_TOLD = 3
_QUESTION_CHARS = 60


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Gate(_Part):
    """What one dataset must reach; the fields are explained in the shipped ``gates.yaml``."""

    dataset: str
    mode: EvalMode = "retrieval_only"
    retrieval_mode: Mode = "hybrid"
    top_k: int = Field(10, ge=1, le=1000)
    judge: str | None = None
    minimum: dict[str, float] | None = None
    max_drop: dict[str, float] = Field(default_factory=dict)
    blocks_publication: bool = False

    @property
    def settings(self) -> EvalSettings:
        """How its dataset is evaluated."""
        return EvalSettings(
            mode=self.mode,
            retrieval_mode=self.retrieval_mode,
            top_k=self.top_k,
            judge=self.judge,
            evaluator="evaluator.judge" if self.judge else "evaluator.basic",
        )


class Gates(_Part):
    """``gates.yaml``."""

    retrieval: dict[str, float]
    generation: dict[str, float]
    gates: list[Gate] = Field(default_factory=list)

    def of(self, dataset_id: str) -> Gate | None:
        """The gate of a dataset."""
        return next((gate for gate in self.gates if gate.dataset == dataset_id), None)

    def minimum(self, gate: Gate) -> dict[str, float]:
        """Its thresholds: its own, else those of its mode."""
        if gate.minimum is not None:
            return gate.minimum
        made = {} if gate.mode == "generation_only" else dict(self.retrieval)
        return made if gate.mode == "retrieval_only" else made | self.generation


class Finding(_Part):
    """One threshold and the value it met.

    Attributes:
        bound: the least value that is asked; the greatest, where less is better.
        value: None when it was not measured.
    """

    metric: str
    bound: float
    value: float | None
    passed: bool
    why: str


class WorstCase(_Part):
    """A case to look at first, with its trace.

    Runs and their events keep it for good, so that a question which quotes a document is null here;
    it stands with the case, from which hard deletion takes it.

    Attributes:
        documents: source URIs of those that should have been found.
    """

    case_id: str
    query: str | None
    documents: list[str] = Field(default_factory=list)
    value: float
    trace_id: str | None


class Verdict(_Part):
    """A gate and a report; ``imperfect`` counts the cases that ``worst`` is the beginning of."""

    dataset: str
    passed: bool
    eval_run_id: str
    findings: list[Finding]
    worst: list[WorstCase]
    imperfect: int

    @property
    def told(self) -> str:
        """What failed, and below it, a line each, the worst cases with their traces."""
        failed = "; ".join(finding.why for finding in self.findings if not finding.passed)
        lines = [f"{self.dataset}: {failed}."]
        for case in self.worst[:_TOLD]:
            asked = " ".join((case.query or ", ".join(case.documents)).split())
            if len(asked) > _QUESTION_CHARS:
                asked = asked[: _QUESTION_CHARS - 1] + "…"
            lines.append("  " + " · ".join(filter(None, (case.case_id, asked, case.trace_id))))
        if (more := self.imperfect - len(self.worst[:_TOLD])) > 0:
            lines.append(
                f"  … and {more} more, which the console (`excerpta ui`) lists under "
                f"{self.eval_run_id}."
            )
        return "\n".join(lines)


def load_gates(home: Home) -> Gates:
    """The library's gates over the shipped ones.

    Raises ExcerptaError ``INVALID_GATES`` with the field and, for a typo, the nearest name.
    """
    shipped = yaml.safe_load(_SHIPPED.read_text(encoding="utf-8"))
    own: Any = {}
    if home.gates.exists():
        own = read_yaml(home.gates, ErrorCode.INVALID_GATES) or {}
    if not isinstance(own, dict):
        raise _invalid("gates.yaml must hold a mapping.")
    try:
        return Gates.model_validate(shipped | own)
    except ValidationError as exc:
        errors = exc.errors()
        # A mistyped field also shows as a missing one.
        first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
        field = ".".join(str(part) for part in first["loc"])
        known = [*Gates.model_fields, *Gate.model_fields]
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]!r}?" if near and first["type"] == "extra_forbidden" else ""
        raise _invalid(f"gates.yaml, {field!r}: {first['msg']}.", hint) from exc


def examine(
    gate: Gate,
    minimum: Mapping[str, float],
    report: EvalReport,
    cases: Sequence[CaseResult],
    published: EvalReport | None = None,
) -> Verdict:
    """Hold a report against a gate.

    Args:
        published: the evaluation of the published snapshot, for ``max_drop``.
    """
    findings = [_reached(report, name, bound) for name, bound in minimum.items()]
    if published is not None:
        findings += _not_dropped(report, gate.max_drop, published)
    if report.failed:
        findings.append(
            Finding(
                metric="failed",
                bound=0,
                value=report.failed,
                passed=False,
                why=f"{report.failed} cases could not be executed",
            )
        )
    metric = next((name for name in report.metrics if name.startswith("nDCG")), "")
    below = [value for case in cases if (value := case.value(metric)) is not None and value < 1]
    by_id = {case.case_id: case for case in cases}
    return Verdict(
        dataset=gate.dataset,
        passed=all(finding.passed for finding in findings),
        eval_run_id=report.eval_run_id,
        findings=findings,
        worst=[_worst(by_id[case_id], metric) for case_id in report.worst[:NAMED]],
        imperfect=max(len(below), len(report.worst)),
    )


def _not_dropped(
    report: EvalReport, max_drop: Mapping[str, float], published: EvalReport
) -> Iterator[Finding]:
    """A finding for each metric that was measured before too."""
    for name, drop in max_drop.items():
        before = _value(published, name)
        if before is not None:
            yield _reached(report, name, before - gain(name, drop), f"was {before:.4f}")


def _worst(case: CaseResult, metric: str) -> WorstCase:
    return WorstCase(
        case_id=case.case_id,
        query=case.own_query,
        documents=list(case.documents.values()),
        value=case.value(metric) or 0.0,
        trace_id=case.artifacts.trace_id,
    )


def _reached(report: EvalReport, name: str, bound: float, note: str = "") -> Finding:
    value = _value(report, name)
    side = "most" if name in LESS_IS_BETTER else "least"
    asked = f"at {side} {bound:.4f} is asked" + (f" ({note})" if note else "")
    shown = "was not measured" if value is None else f"is {value:.4f}"
    return Finding(
        metric=name,
        bound=bound,
        value=value,
        passed=value is not None and gain(name, value - bound) >= 0,
        why=f"{name} {shown}, {asked}",
    )


def _value(report: EvalReport, name: str) -> float | None:
    """A metric by its name, or by its name without the cut-off."""
    found = (v for known, v in report.metrics.items() if name in (known, known.split("@")[0]))
    return next(found, None)


def _invalid(message: str, hint: str = "") -> ExcerptaError:
    return ExcerptaError(ErrorCode.INVALID_GATES, message, hint=hint)
