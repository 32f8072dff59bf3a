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
    warn,
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

    It stays out until its path is ingested again by name.
    """
    from mcp_app.ingestion import raise_if_failed, register_and_start, run_result
    from rag_assets.launch import follow, run_status
    from rag_query.library.settings import mark_deleted
    from rag_query.library.snapshot import Library

    place = resolve_home(home)
    catalog = Library.open(place).snapshot().catalog
    found = catalog.get_document(catalog.resolve_document(document))
    if not yes:
        _confirm(found)
    if found.aliases:
        warn(f"the same content stays under another name: {', '.join(found.aliases)}")
    mark_deleted(place, [found.source_uri])
    handle = register_and_start(place, [])
    for _ in follow(place, handle.run_id):
        pass
    status = run_status(place, handle.run_id)
    raise_if_failed(status)
    if as_json:
        deleted = {"doc_id": found.doc_id, "source_uri": found.source_uri}
        print_json({"ok": True, "deleted": [deleted], **run_result(status)})
    else:
        console().print(f"Deleted {found.title!r}. Snapshot {status.snapshot} is published.")


def _confirm(found: DocumentDetail) -> None:
    out = console(stderr=True)
    out.print(f"{found.title} · {found.source_uri} · {found.chunks} chunks")
    typer.confirm("Take it out of the library?", abort=True, err=True)
