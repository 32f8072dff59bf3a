"""``excerpta sources``."""

from __future__ import annotations

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
)

if TYPE_CHECKING:
    from rag_query.library.home import Home


@command
def sources(
    forget: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Walk this folder (its name or path) no more; its documents leave the library, "
            "their history stays.",
        ),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the folders that every ingest looks at, or drop one of them."""
    from rag_query.library.settings import load_settings
    from rag_query.library.sources import load_sources

    place = resolve_home(home)
    load_settings(place)
    if forget is not None:
        _forget(place, forget, as_json)
        return
    roots = load_sources(place).roots
    if as_json:
        print_json({"ok": True, "sources": [root.model_dump(mode="json") for root in roots]})
        return
    shown = table("source", "folder", "what", "collection", "tags")
    for root in roots:
        what = "everything" if root.whole else ", ".join(root.files)
        shown.add_row(root.name, root.path, what, root.collection, ", ".join(root.tags))
    console().print(shown)


def _forget(place: Home, wanted: str, as_json: bool) -> None:
    from mcp_app.ingestion import run_result, wait_for_success
    from rag_assets.launch import start_ingest
    from rag_query.library.deletions import forget_source

    root = forget_source(place, wanted)
    status = wait_for_success(place, start_ingest(place))
    if as_json:
        print_json({"ok": True, "forgotten": root.name, **run_result(status)})
        return
    removed = status.counts.get("removed", 0)
    console().print(
        f"{root.name!r} is no source any more; {removed} removed. "
        f"Snapshot {status.snapshot} is published."
    )
