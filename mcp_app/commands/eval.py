"""``excerpta eval``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mcp_app.commands.evaluation_view import show_comparison, show_list, show_reports
from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
)

if TYPE_CHECKING:
    from rag_query.contracts.evaluation import CaseResult, Comparison, Dataset, EvalReport
    from rag_query.evaluation.evaluator import EvalSettings
    from rag_query.library.home import Home
    from rag_query.strategies.strategy import Strategy

Evaluated = tuple["EvalReport", list["CaseResult"]]


DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        metavar="D",
        help="A name under datasets/, a JSON-lines file, a folder with queries.jsonl and "
        "qrels.tsv, or synthetic or query_log.",
    ),
]
StrategiesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Strategies to compare, by name or path; the first is the base. "
        "[default: the published one]",
    ),
]
ModeOption = Annotated[
    Literal["retrieval_only", "generation_only", "end_to_end"],
    typer.Option(help="What is run and measured."),
]
RetrievalModeOption = Annotated[
    Literal["exact", "semantic", "hybrid", "relational", "associative"],
    typer.Option(help="How passages are searched."),
]
TopKOption = Annotated[int, typer.Option("--top-k", "-k", help="Passages asked for.")]
MetricSetOption = Annotated[
    str | None, typer.Option(metavar="ID", help="[default: metric_set.default]")
]
JudgeOption = Annotated[
    str | None, typer.Option(metavar="ID", help="judge.rules or judge.llm; none by default.")
]
EvaluatorOption = Annotated[
    str | None,
    typer.Option(metavar="ID", help="[default: evaluator.basic, with a judge evaluator.judge]"),
]
WorkersOption = Annotated[int, typer.Option(help="Cases at the same time.")]
SaveOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the cases as JSON lines and run nothing."),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the evaluations that are kept.")]


@command
def evaluate(
    *,
    dataset: DatasetOption = None,
    strategies: StrategiesOption = None,
    mode: ModeOption = "retrieval_only",
    retrieval_mode: RetrievalModeOption = "hybrid",
    top_k: TopKOption = 10,
    metric_set: MetricSetOption = None,
    judge: JudgeOption = None,
    evaluator: EvaluatorOption = None,
    workers: WorkersOption = 1,
    save: SaveOption = None,
    list_runs: ListOption = False,
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
    _show([report for report, _ in runs], _comparisons(runs, settings), as_json)


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


def _show(reports: list[EvalReport], comparisons: list[Comparison], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "ok": True,
                "reports": [report.model_dump(mode="json") for report in reports],
                "comparisons": [made.model_dump(mode="json") for made in comparisons],
            }
        )
        return
    show_reports(reports)
    for made in comparisons:
        show_comparison(made)


def _list(home: Home, as_json: bool) -> None:
    from rag_query.evaluation.runs import reports

    found = reports(home)
    if as_json:
        print_json({"ok": True, "reports": [report.model_dump(mode="json") for report in found]})
        return
    show_list(found)


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
