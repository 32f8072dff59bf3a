"""``excerpta ingest``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    table,
    warn,
)
from rag_query.contracts.ingestion import VersionPolicy

if TYPE_CHECKING:
    from rag_assets.launch import RunStatus
    from rag_query.library.home import Home

#: Counts that are told only when there is something to count.
_SELDOM = ("renamed", "duplicates", "ignored")


@command
def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH…", help="Files or folders. None: look again at what was ingested before."
        ),
    ] = None,
    *,
    collection: Annotated[
        str | None, typer.Option(help="Name of the collection. [default: the folder's name]")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="A tag for what lies at these paths; repeatable."),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="A shipped strategy's name or a YAML file, from now on.")
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", help="Try again what failed before, though it has not changed."
        ),
    ] = False,
    policy: Annotated[
        VersionPolicy,
        typer.Option(
            help="Of files that are as they were: skip them, or read each again as a new version "
            "of its document. Of all files when no PATH is given."
        ),
    ] = "skip",
    detach: Annotated[
        bool, typer.Option("--detach", help="Start the run and return at once.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring documents into the library and publish it; makes the library when there is none."""
    from mcp_app.ingestion import (
        check_paths,
        kept_out,
        raise_if_failed,
        register_and_start,
        run_result,
    )

    place = resolve_home(home)
    chosen = paths or []
    check_paths(place, chosen)
    _prepare(place, strategy, may_create=bool(chosen))
    began = time.perf_counter()
    handle = register_and_start(
        place,
        chosen,
        collection=collection,
        tags=tag or [],
        retry_failed=retry_failed,
        policy=policy,
    )
    for sentence in kept_out(place, chosen):
        warn(sentence)
    if detach:
        _tell_started(handle.run_id, as_json)
        return
    status = _follow(place, handle.run_id)
    seconds = round(time.perf_counter() - began, 2)
    if as_json and status.state == "success":
        print_json({"ok": True, **run_result(status), "seconds": seconds})
    elif not as_json:
        _show(place, status, seconds)
    raise_if_failed(status)


def _prepare(home: Home, strategy: str | None, *, may_create: bool) -> None:
    from mcp_app.ingestion import strategy_to_keep
    from rag_query.library.create import create_library
    from rag_query.library.settings import load_settings, update_settings
    from rag_query.strategies.strategy import DEFAULT_STRATEGY

    if strategy is not None:
        strategy = strategy_to_keep(strategy)
    if may_create and not home.settings.exists():
        create_library(home, strategy=strategy or DEFAULT_STRATEGY)
        console(stderr=True).print(f"Made a library in {home.root}")
    elif strategy is not None and load_settings(home).strategy != strategy:
        update_settings(home, strategy=strategy)
        warn(f"this library now uses the strategy {strategy!r}; what it changes is computed anew")


def _tell_started(run_id: str, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "job_id": run_id, "state": "queued"})
    else:
        console().print(f"Started {run_id}. `excerpta status` shows how far it is.")


def _follow(home: Home, run_id: str) -> RunStatus:
    """Show the run's progress on stderr until it ends; Ctrl-C ends the run."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from rag_assets.launch import cancel, follow, run_status

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    try:
        with Progress(*columns, console=console(stderr=True), transient=True) as progress:
            task = progress.add_task("starting", total=None)
            for status in follow(home, run_id):
                progress.update(
                    task,
                    description=f"{status.message[:40]:<28}",
                    total=status.steps_total or None,
                    completed=status.steps_done,
                )
    except KeyboardInterrupt:
        console(stderr=True).print("Ending the run; what was published stays as it was.")
        cancel(home, run_id)
    return run_status(home, run_id)


def _show(place: Home, status: RunStatus, seconds: float) -> None:
    from mcp_app.ingestion import counts_told

    out = console()
    # A run that failed before it looked at the sources has none to tell of.
    if status.counts:
        what = "documents" if status.state == "success" else "found in the sources"
        counts = table(what, "number", right=["number"])
        for label, number in counts_told(status).items():
            if number or label not in _SELDOM:
                style = "red" if label == "failed" and number else None
                counts.add_row(label, str(number), style=style)
        out.print(counts)
    if status.failed_documents:
        failed = table("could not be read", "code", "why")
        for document in status.failed_documents:
            failed.add_row(document.source_uri, document.code or "", document.message or "")
        out.print(failed)
        missing = status.counts.get("failed", 0) - len(status.failed_documents)
        if missing > 0:
            out.print(f"… and {missing} more: excerpta list --status failed")
    copies = [(file.source_uri, file.same_as) for file in status.duplicate_files]
    _show_first(copies, "duplicate", "same content as", status.counts.get("duplicates", 0))
    ignored = [(file.source_uri, file.message or file.code or "") for file in status.ignored_files]
    _show_first(ignored, "ignored", "why", status.counts.get("ignored", 0))
    for warning in status.warnings:
        warn(warning)
    if status.state == "success":
        out.print(f"Snapshot {status.snapshot} is published. {seconds:.1f} s.")
    else:
        out.print(_what_stands(place, status))


def _show_first(files: list[tuple[str, str]], what: str, about: str, number: int) -> None:
    """The first of ``number`` files, each with what is to be said about it."""
    if not files:
        return
    shown = table(what, about)
    for row in files:
        shown.add_row(*row)
    console().print(shown)
    if number > len(files):
        console().print(f"… and {number - len(files)} more")


def _what_stands(place: Home, status: RunStatus) -> str:
    """What readers have after a run that did not succeed."""
    from rag_query.contracts.errors import ExcerptaError
    from rag_query.library.manifests import published_manifest

    try:
        published = published_manifest(place)
    except ExcerptaError:  # the run's own error is what is told
        return "Nothing was published, and what was published before cannot be read."
    if published is None:
        return "Nothing was published."
    if published.run_id == status.run_id:
        return f"Snapshot {published.number} is published; what was to follow is not done."
    return f"Nothing was published: snapshot {published.number} still answers."
