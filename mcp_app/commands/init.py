"""``excerpta init``."""

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
def init(
    shards: Annotated[
        int, typer.Option(min=1, max=64, help="Partitions; cannot be changed later.")
    ] = 8,
    strategy: Annotated[
        str, typer.Option(help="A shipped strategy's name or a YAML file.")
    ] = "default",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an empty library."""
    from mcp_app.ingestion import strategy_to_keep
    from rag_query.library.create import create_library

    place = resolve_home(home)
    settings = create_library(place, shards=shards, strategy=strategy_to_keep(strategy))
    if as_json:
        print_json({"ok": True, **settings.model_dump(mode="json", exclude={"allowed_roots"})})
        return
    out = console()
    out.print(
        f"A library with {settings.shards} shards, strategy {settings.strategy!r}, in {place.root}"
    )
    out.print("Next: excerpta ingest PATH, or drop files into its inbox/ folder.")
