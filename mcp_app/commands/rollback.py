"""``excerpta rollback``."""

from __future__ import annotations

from typing import Annotated

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
)


@command
def rollback(
    number: Annotated[
        int | None, typer.Argument(metavar="N", help="Snapshot. [default: the one before]")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an older snapshot the published one; nothing is deleted."""
    from rag_assets.publication.rollback import rollback as move_current
    from rag_query.library.settings import load_settings

    place = resolve_home(home)
    load_settings(place)
    manifest = move_current(place, number)
    if as_json:
        print_json({"ok": True, "snapshot": manifest.number, "counts": manifest.counts})
        return
    documents = manifest.counts.get("documents", 0)
    console().print(f"Snapshot {manifest.number} is published: {documents} documents.")
