"""``excerpta status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    local_time,
    print_json,
    resolve_home,
    table,
)

if TYPE_CHECKING:
    from rag_query.contracts.snapshot import SnapshotManifest
    from rag_query.library.home import Home

_RECENT = 5


@command
def status(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """What the library holds, what is published, and how the last runs went."""
    place = resolve_home(home)
    found = _found(place)
    if as_json:
        print_json({"ok": True, **found})
        return
    out = console()
    out.print(f"Library {found['library_id']} in {place.root}")
    out.print(f"{found['shards']} shards, strategy {found['strategy']!r}")
    if found["snapshot"] is None:
        out.print("Nothing has been published yet.")
    else:
        out.print(f"Snapshot {found['snapshot']}, published {local_time(found['published_at'])}")
        if found["embedder"]:
            out.print(f"Embedder {found['embedder']}")
        counts = table("", "number", right=["number"])
        for name, number in found["counts"].items():
            counts.add_row(name.replace("_", " "), str(number))
        for name, number in found["collections"].items():
            counts.add_row(f"in {name}", str(number))
        out.print(counts)
    if found["runs"]:
        runs = table("run", "job", "state", "submitted", "what")
        for run in found["runs"]:
            submitted = local_time(run["submitted_at"])
            runs.add_row(run["job_id"], run["job"], run["state"], submitted, run["message"] or "")
        out.print(runs)


def _found(home: Home) -> dict[str, Any]:
    from mcp_app.ingestion import run_result
    from rag_assets.launch import list_runs
    from rag_query.library.manifests import current_number, load_manifest
    from rag_query.library.settings import load_settings, load_sources
    from rag_query.library.snapshot import Snapshot

    settings, sources = load_settings(home), load_sources(home)
    number = current_number(home)
    manifest = load_manifest(home, number) if number is not None else None
    space = manifest.vector.space if manifest and manifest.vector else None
    runs = [
        {"job": run.job, "submitted_at": run.submitted_at} | run_result(run)
        for run in list_runs(home)[:_RECENT]
    ]
    return {
        "library_id": settings.library_id,
        "shards": settings.shards,
        "strategy": settings.strategy,
        "snapshot": number,
        "published_at": manifest.created_at if manifest else None,
        "embedder": f"{space.embedder_id}, {space.dimensions} dimensions" if space else None,
        "counts": _counts(home, manifest) if manifest else {},
        "collections": Snapshot(home, manifest).catalog.collections() if manifest else {},
        "sources": [root.name for root in sources.roots],
        "deleted": len(sources.deleted),
        "runs": runs,
    }


def _counts(home: Home, manifest: SnapshotManifest) -> dict[str, int]:
    """What is published, and the files whose content another document holds."""
    from rag_query.contracts.tables import ALL
    from rag_query.library.tables import TableStore

    inventory = TableStore(home).read("inventory", ALL, ["duplicate_of"])
    duplicates = len(inventory) - inventory["duplicate_of"].null_count
    return {**manifest.counts, "duplicates": duplicates}
