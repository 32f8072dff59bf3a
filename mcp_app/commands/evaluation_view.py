"""Evaluations as a person wants to read them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp_app.commands.invocation import console, local_time, table, warn

if TYPE_CHECKING:
    from rag_query.contracts.evaluation import Comparison, EvalReport

#: Cases that differ, named in the terminal; all of them are in --json.
_SHOWN = 5


def show_reports(reports: list[EvalReport]) -> None:
    """Print a column for each strategy: metrics, latencies, and what was measured."""
    names = list(dict.fromkeys(name for report in reports for name in report.metrics))
    names = [name for name in names if name != "latency_ms"]
    columns = [report.strategy for report in reports]
    first = reports[0]
    asked = first.profile
    console().print(
        f"{asked.dataset_id}: {first.cases} cases, {asked.mode}, {asked.retrieval_mode}, "
        f"top {asked.top_k}"
    )
    shown = table("metric", *columns, right=columns)
    for name in names:
        shown.add_row(name, *(_number(report.metrics.get(name)) for report in reports))
    for name in ("mean", "p50", "p95"):
        latencies = [f"{report.latency_ms.get(name, 0):.1f} ms" for report in reports]
        shown.add_row(f"latency {name}", *latencies)
    shown.add_row("failed", *(str(report.failed) for report in reports))
    shown.add_row("snapshot", *(_snapshot(report) for report in reports))
    shown.add_row("run", *(report.eval_run_id for report in reports))
    shown.add_row("fingerprint", *(report.fingerprint[:16] for report in reports))
    console().print(shown)
    if first.worst:
        console().print(f"Worst cases: {', '.join(first.worst[:_SHOWN])}")
    for warning in dict.fromkeys(w for report in reports for w in report.warnings):
        warn(warning)


def show_comparison(made: Comparison) -> None:
    """Print the differences between two strategies, and the cases that differ most."""
    shown = table(
        "metric",
        made.base,
        made.other,
        "difference",
        "95 % interval",
        "better",
        "worse",
        right=[made.base, made.other, "difference", "95 % interval", "better", "worse"],
        title=f"{made.other} against {made.base}",
    )
    for row in made.differences:
        mark = " *" if row.significant else ""
        shown.add_row(
            row.name,
            _number(row.base),
            _number(row.other),
            f"{row.difference:+.4f}{mark}",
            f"{row.low:+.4f} … {row.high:+.4f}",
            str(row.wins),
            str(row.losses),
        )
    out = console()
    out.print(shown)
    out.print("* chance alone does not explain it (paired bootstrap)")
    for title, changes in (("Better", made.wins), ("Worse", made.losses)):
        for change in changes[:_SHOWN]:
            out.print(
                f"{title}: {change.case_id}  {change.base:.3f} -> {change.other:.3f}  "
                f"{change.query[:70]}\n        {change.base_trace_id} -> {change.other_trace_id}"
            )
    for warning in made.warnings:
        warn(warning)


def show_list(found: Sequence[EvalReport]) -> None:
    """Print a row for each evaluation that is kept."""
    shown = table("run", "ended", "dataset", "strategy", "snapshot", "cases", "nDCG@10")
    for report in found:
        shown.add_row(
            report.eval_run_id,
            local_time(report.ended_at),
            report.profile.dataset_id,
            report.strategy,
            _snapshot(report),
            str(report.cases),
            _number(report.metrics.get("nDCG@10")),
        )
    console().print(shown if found else "Nothing has been evaluated yet.")


def _snapshot(report: EvalReport) -> str:
    return f"side {report.side}" if report.side else str(report.snapshot)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
