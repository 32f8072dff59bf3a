"""Page six: evaluations, their trends, comparisons, and the cases beneath (DEV_SPEC 3.5.5.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mcp_app.console.forms import given, offset, posted
from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.rendering import page, unit
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import CaseResult, EvalReport, gain
from rag_query.evaluation.comparison import compare
from rag_query.evaluation.runs import load_cases, load_report, reports
from rag_query.strategies.strategy import available

#: Evaluations, and cases of one, on a page.
_ROWS = 30
_CASES = 50
#: How often the page asks how far a running evaluation is.
_FOLLOW_MS = 2000


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/evaluation``, one evaluation, two compared, and the form that starts one."""
    pages = _EvaluationPages(library)
    return [
        Route("/evaluation", pages.panel),
        Route("/evaluation/compare", pages.comparison),
        Route("/evaluation/start", pages.start, methods=["POST"]),
        Route("/evaluation/{eval_run_id}", pages.run),
    ]


class _EvaluationPages:
    """The pages of evaluations, and the form that starts one."""

    def __init__(self, library: ConsoleLibrary) -> None:
        self._home = library.home
        self._running = library.evaluations

    async def start(self, request: Request) -> Response:
        form = await posted(request)
        await run_in_threadpool(
            self._running.start,
            dataset=form.get("dataset", ""),
            strategy=form.get("strategy") or None,
            mode=form.get("mode") or "hybrid",
        )
        return RedirectResponse("/evaluation", status_code=303)

    def panel(self, request: Request) -> Response:
        every = reports(self._home)
        dataset = given(request, "dataset")
        strategy = given(request, "strategy")
        fitting = [
            report
            for report in every
            if dataset in (None, report.profile.dataset_id) and strategy in (None, report.strategy)
        ]
        start = offset(request)
        return page(
            request,
            "evaluation.html",
            shown=fitting[start : start + _ROWS],
            total=len(fitting),
            next_cursor=str(start + _ROWS) if start + _ROWS < len(fitting) else None,
            datasets=sorted({report.profile.dataset_id for report in every}),
            strategies=sorted({report.strategy for report in every}),
            trends=_trends(fitting),
            running=self._running.state(),
            follow_ms=_FOLLOW_MS if self._running.state().going else None,
            choices=available(),
        )

    def run(self, request: Request) -> Response:
        run_id = request.path_params["eval_run_id"]
        report, cases = load_report(self._home, run_id), load_cases(self._home, run_id)
        names = list(report.metrics)
        by = given(request, "by") or (names[0] if names else "")
        ordered = sorted(cases, key=lambda case: (_worth(case, by), case.case_id))
        start = offset(request)
        return page(
            request,
            "evaluation_run.html",
            report=report,
            cases=ordered[start : start + _CASES],
            total=len(cases),
            next_cursor=str(start + _CASES) if start + _CASES < len(cases) else None,
            names=names,
            by=by,
            others=[
                other
                for other in reports(self._home, dataset_id=report.profile.dataset_id)
                if other.eval_run_id != run_id
            ][:_ROWS],
        )

    def comparison(self, request: Request) -> Response:
        a, b = given(request, "a"), given(request, "b")
        if a is None or b is None:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT, "Name two evaluations, as a and b, to compare them."
            )
        base, other = load_report(self._home, a), load_report(self._home, b)
        by = given(request, "by") or next(iter(base.metrics), "")
        return page(
            request,
            "comparison.html",
            base=base,
            other=other,
            by=by,
            made=compare(base, load_cases(self._home, a), other, load_cases(self._home, b), by=by),
        )


def _worth(case: CaseResult, metric: str) -> float:
    """The less, the worse; a case without the metric comes first."""
    value = case.value(metric)
    return -math.inf if value is None else gain(metric, value)


def _trends(found: Sequence[EvalReport]) -> list[dict[str, Any]]:
    """One chart for each metric: a line for each dataset, strategy and mode, oldest first."""
    oldest_first = list(reversed(found))
    labels = [int(report.started_at.timestamp()) for report in oldest_first]
    lines = sorted({_line(report) for report in oldest_first})
    names = list(dict.fromkeys(name for r in oldest_first for name in r.metrics))
    charts = []
    for name in names:
        series = [
            {
                "name": ", ".join(line),
                "values": [
                    report.metrics.get(name) if _line(report) == line else None
                    for report in oldest_first
                ],
            }
            for line in lines
        ]
        charts.append({"name": name, "labels": labels, "series": series, "unit": unit(name)})
    return charts


def _line(report: EvalReport) -> tuple[str, str, str]:
    return report.profile.dataset_id, report.strategy, report.profile.retrieval_mode
