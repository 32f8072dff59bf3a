"""``excerpta gc``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    warn,
)


@command
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove old snapshots and the files nothing needs any more."""
    from rag_assets.publication.gc import collect
    from rag_query.library.settings import load_settings

    place = resolve_home(home)
    collected = collect(place, load_settings(place), dry_run=dry_run)
    if as_json:
        print_json({"ok": True, "dry_run": dry_run, **asdict(collected)})
        return
    out = console()
    verb = "would remove" if dry_run else "removed"
    gone = ", ".join(map(str, collected.snapshots)) or "none"
    out.print(f"{verb} snapshots: {gone}; kept: {', '.join(map(str, collected.kept)) or 'none'}")
    for number in collected.damaged:
        warn(f"snapshots/{number}.json cannot be read and is older than what is kept: {verb}")
    for kind, number in sorted(collected.files.items()):
        out.print(f"{verb} {number} files of {kind}")
    if collected.lance_versions or collected.lance_tables:
        tables = len(collected.lance_tables)
        out.print(
            f"{verb} {collected.lance_versions} versions and {tables} tables of the vector index"
        )
    for warning in collected.warnings:
        warn(warning)
    out.print(f"{collected.bytes / 1e6:.1f} MB {'to be freed' if dry_run else 'freed'}")
