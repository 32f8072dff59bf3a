"""``excerpta delete``."""

from __future__ import annotations

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
    from rag_query.contracts.documents import DocumentDetail


@command
def delete(
    document: DocumentArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a document out of the library; its file stays where it is.

    It stays out, under every name its content has, until a path is ingested again by name.
    """
    from mcp_app.deletion import deleted_document, find_deletable, start_deleting
    from mcp_app.ingestion import raise_if_failed, run_result
    from rag_assets.launch import follow, run_status
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.library.snapshot import Library

    place = resolve_home(home)
    catalog = Library.open(place).snapshot().catalog
    found = find_deletable(catalog, document)
    if not yes:
        if as_json:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                "With --json nobody can be asked whether to delete.",
                hint="Add --yes.",
            )
        _confirm(found)
    handle = start_deleting(place, found)
    for _ in follow(place, handle.run_id):
        pass
    status = run_status(place, handle.run_id)
    raise_if_failed(status)
    if as_json:
        print_json({"ok": True, "deleted": [deleted_document(found)], **run_result(status)})
    else:
        console().print(f"Deleted {found.title!r}. Snapshot {status.snapshot} is published.")


def _confirm(found: DocumentDetail) -> None:
    out = console(stderr=True)
    out.print(f"{found.title} · {found.source_uri} · {found.chunks} chunks")
    for alias in found.aliases:
        out.print(f"also stands at {alias}")
    typer.confirm("Take it out of the library?", abort=True, err=True)
