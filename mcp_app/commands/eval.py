"""``excerpta eval``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    local_time,
    print_json,
    resolve_home,
    table,
    warn,
)

if TYPE_CHECKING:
    from rag_query.contracts.evaluation import CaseResult, Comparison, Dataset, EvalReport
    from rag_query.evaluation.evaluator import EvalSettings
    from rag_query.library.home import Home
    from rag_query.strategies.strategy import Strategy

#: Cases that differ, named in the terminal; all of them are in --json.
_SHOWN = 5

Evaluated = tuple["EvalReport", list["CaseResult"]]


@command
def evaluate(
    *,
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            "-d",
            metavar="D",
            help="A name under datasets/, a JSON-lines file, a folder with queries.jsonl and "
            "qrels.tsv, or synthetic or query_log.",
        ),
    ] = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Strategies to compare, by name or path; the first is the base. "
            "[default: the published one]",
        ),
    ] = None,
    mode: Annotated[
        Literal["retrieval_only", "generation_only", "end_to_end"],
        typer.Option(help="What is run and measured."),
    ] = "retrieval_only",
    retrieval_mode: Annotated[
        Literal["exact", "semantic", "hybrid", "relational", "associative"],
        typer.Option(help="How passages are searched."),
    ] = "hybrid",
    top_k: Annotated[int, typer.Option("--top-k", "-k", help="Passages asked for.")] = 10,
    metric_set: Annotated[
        str | None, typer.Option(metavar="ID", help="[default: metric_set.default]")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="ID", help="judge.rules or judge.llm; none by default.")
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(metavar="ID", help="[default: evaluator.basic, with a judge evaluator.judge]"),
    ] = None,
    workers: Annotated[int, typer.Option(help="Cases at the same time.")] = 1,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the cases as JSON lines and run nothing."),
    ] = None,
    list_runs: Annotated[
        bool, typer.Option("--list", help="List the evaluations that are kept.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure answers against a dataset, and strategies against each other."""
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.evaluation.datasets import load_dataset
    from rag_query.library.snapshot import Library

    place = resolve_home(home)
    library = Library.open(place)
    if list_runs:
        _list(place, as_json)
        return
    if dataset is None:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "Name a dataset with --dataset.",
            hint="`--dataset synthetic` makes one of the library's own headings and sentences.",
        )
    loaded = load_dataset(place, dataset, library.snapshot)
    if save is not None:
        _save(loaded, save, as_json)
        return
    settings = _settings(
        mode=mode,
        retrieval_mode=retrieval_mode,
        top_k=top_k,
        workers=workers,
        **_named(metric_set=metric_set, judge=judge, evaluator=evaluator),
    )
    runs = _run(place, loaded, strategies, settings, quiet=as_json)
    comparisons = _comparisons(runs, settings)
    if as_json:
        print_json(
            {
                "ok": True,
                "reports": [report.model_dump(mode="json") for report, _ in runs],
                "comparisons": [made.model_dump(mode="json") for made in comparisons],
            }
        )
        return
    _show([report for report, _ in runs])
    for made in comparisons:
        _show_comparison(made)


def _named(**given: str | None) -> dict[str, str]:
    """What was given; a judge without an evaluator means the one that judges."""
    chosen = {name: value for name, value in given.items() if value}
    if "judge" in chosen:
        chosen.setdefault("evaluator", "evaluator.judge")
    return chosen


def _settings(**given: Any) -> EvalSettings:
    from pydantic import ValidationError

    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.evaluation.evaluator import EvalSettings

    try:
        return EvalSettings(**given)
    except ValidationError as exc:
        first = exc.errors()[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, f"{option}: {first['msg']}.") from exc


def _run(
    home: Home, dataset: Dataset, strategies: str | None, settings: EvalSettings, *, quiet: bool
) -> list[Evaluated]:
    from rag_assets.evaluation.subjects import load_strategies, prepare
    from rag_query.evaluation.evaluate import evaluate as evaluate_subject

    names = [name.strip() for name in (strategies or "").split(",") if name.strip()]
    chosen: list[Strategy | None] = [*load_strategies(names)] or [None]
    err = console(stderr=True)
    runs: list[Evaluated] = []
    for strategy in chosen:
        prepared = prepare(
            home, strategy, on_stage=lambda name: None if quiet else err.print(f"  {name} …")
        )
        if prepared.side and not quiet:
            made = {name: n for name, n in prepared.side.computed.items() if n}
            told = ", ".join(f"{name} {n}" for name, n in made.items()) or "nothing"
            err.print(f"Side generation {prepared.side.name}: rebuilt {told}; the rest is shared.")
        runs.append(evaluate_subject(home, dataset, prepared.subject, settings))
    return runs


def _comparisons(runs: list[Evaluated], settings: EvalSettings) -> list[Comparison]:
    from rag_query.evaluation.comparison import compare
    from rag_query.evaluation.evaluate import primary_metric

    if len(runs) < 2:
        return []
    by = primary_metric(settings)
    (base, base_cases), *others = runs
    return [compare(base, base_cases, other, cases, by=by) for other, cases in others]


def _show(reports: list[EvalReport]) -> None:
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


def _show_comparison(made: Comparison) -> None:
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


def _list(home: Home, as_json: bool) -> None:
    from rag_query.evaluation.runs import reports

    found = reports(home)
    if as_json:
        print_json({"ok": True, "reports": [report.model_dump(mode="json") for report in found]})
        return
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


def _save(dataset: Dataset, path: Path, as_json: bool) -> None:
    from rag_query.library.files import write_atomic

    lines = [
        case.model_dump_json(exclude_defaults=True, exclude_none=True) for case in dataset.cases
    ]
    write_atomic(path, ("\n".join(lines) + "\n").encode())
    if as_json:
        print_json({"ok": True, "cases": len(lines), "version": dataset.version})
    else:
        console().print(f"{len(lines)} cases written.")


def _snapshot(report: EvalReport) -> str:
    return f"side {report.side}" if report.side else str(report.snapshot)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
