"""All commands of ``excerpta``. Heavy packages are imported inside them, so ``--help`` is quick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from mcp_app.commands import (
    ask,
    delete,
    eval,
    gc,
    ingest,
    init,
    list_documents,
    mcp,
    query,
    rollback,
    show,
    snapshots,
    sources,
    status,
    ui,
)
from mcp_app.commands.invocation import HomeOption, set_home

app = typer.Typer(
    name="excerpta",
    help="A document library that answers with evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help needs no rich, and shows what stands in brackets.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "init": init.init,
    "ingest": ingest.ingest,
    "sources": sources.sources,
    "query": query.query,
    "ask": ask.ask,
    "list": list_documents.list_documents,
    "show": show.show,
    "delete": delete.delete,
    "undelete": delete.undelete,
    "eval": eval.evaluate,
    "status": status.status,
    "snapshots": snapshots.snapshots,
    "rollback": rollback.rollback,
    "gc": gc.gc,
    "ui": ui.ui,
    "mcp": mcp.mcp,
}
for name, function in _COMMANDS.items():
    app.command(name)(function)


def _print_version(wanted: bool) -> None:
    if wanted:
        from rag_query import __version__

        typer.echo(f"excerpta {__version__}")
        raise typer.Exit


@app.callback()
def root(
    home: HomeOption = None,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="And exit.")
    ] = False,
) -> None:
    """A document library that answers with evidence."""
    set_home(home)
