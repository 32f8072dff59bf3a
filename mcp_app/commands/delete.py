"""``excerpta delete`` and ``excerpta undelete``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mcp_app.commands.invocation import (
    DocumentArgument,
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
)

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable
    from rag_query.library.home import Home


@command
def delete(
    document: DocumentArgument,
    *,
    version: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="Only this older version: its id or number."),
    ] = None,
    hard: Annotated[
        bool,
        typer.Option(
            "--hard", help="Leave nothing in any store; all earlier snapshots go. No way back."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a document, or a .jsonl file with all its records, out of the library.

    The source file stays where it is. The document stays out, under every name its content has,
    until that file itself is ingested by name or `excerpta undelete` brings it back.
    """
    from mcp_app.deletion import deleted_document, find_deletable, start_deleting
    from mcp_app.ingestion import run_result, wait_for_success
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.library.snapshot import Library

    place = resolve_home(home)
    catalog = Library.open(place).snapshot().catalog
    # What cannot be brought back must be named in full, unless somebody is asked first.
    part = not (hard and yes)
    found = find_deletable(catalog, document, version=version, hard=hard, part=part)
    if not yes:
        if as_json:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                "With --json there is no question whether to delete.",
                hint="Add --yes.",
            )
        _confirm(found, hard=hard)
    status = wait_for_success(place, start_deleting(place, found, hard=hard))
    if as_json:
        result = run_result(status)
        print_json({"ok": True, "hard": hard, "deleted": [deleted_document(found)], **result})
    else:
        done = "Nothing of it is left" if hard else "`excerpta undelete` brings it back"
        console().print(
            f"Deleted {found.title!r}. Snapshot {status.snapshot} is published. {done}."
        )


@command
def undelete(
    document: DocumentArgument,
    *,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Only this version: its id or number.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring back what was deleted, or whose file vanished, while its bytes are kept."""
    from mcp_app.deletion import deleted_document, find_restorable, start_restoring
    from mcp_app.ingestion import run_result, wait_for_success
    from rag_query.library.snapshot import Library

    place = resolve_home(home)
    catalog = Library.open(place).snapshot().catalog
    found = find_restorable(place, catalog, document, version=version)
    status = wait_for_success(place, start_restoring(place, found))
    if as_json:
        print_json({"ok": True, "restored": [deleted_document(found)], **run_result(status)})
    else:
        console().print(
            f"{_title_now(place, found)!r} is back. Snapshot {status.snapshot} is published."
        )


def _title_now(place: Home, found: Deletable) -> str:
    """A removed document is listed by its file name; once it is back it has its title again."""
    from rag_query.library.snapshot import Library

    if found.doc_id is None or found.version_id is not None:
        return found.title
    return Library.open(place).snapshot().catalog.get_document(found.doc_id).title


def _confirm(found: Deletable, *, hard: bool) -> None:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    out = console(stderr=True)
    many = f"{found.documents} documents · " if found.documents > 1 else ""
    out.print(f"{found.title} · {found.source_uri} · {many}{found.chunks} chunks")
    for alias in found.aliases:
        out.print(f"also stands at {alias}")
    if hard:
        out.print("Nothing of it will be left, and no earlier snapshot.", style="red")
    try:
        wanted = typer.confirm("Take it out of the library?", err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        out.print()  # The question waits on a line of its own.
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "There is no terminal to ask whether to delete.",
            hint="Add --yes.",
        ) from None
    if not wanted:
        raise typer.Abort
