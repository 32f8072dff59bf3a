"""What a library holds, what is published, and how its last runs went."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from mcp_app.ingestion import run_result
from rag_query.library.home import Home

if TYPE_CHECKING:
    from rag_query.contracts.snapshot import SnapshotManifest

_RECENT = 5

#: Counts whose name does not say enough: versions that were replaced can be read and searched too.
_LABELS = {"chunks": "chunks of all versions"}


def library_state(home: Home) -> dict[str, Any]:
    """The state as fields; ``snapshot`` is None while nothing is published. No absolute path.

    ``deleted`` and ``to_purge`` count names: documents, corpora and versions that are kept out,
    and those whose hard deletion is not done.

    Raises:
        ExcerptaError: ``LIBRARY_NOT_FOUND`` and what else reading the settings raises;
            ``SNAPSHOT_DAMAGED`` when what is published cannot be read.
    """
    from rag_assets.launch import list_runs
    from rag_query.library.manifests import published_manifest
    from rag_query.library.settings import load_settings
    from rag_query.library.snapshot import Snapshot
    from rag_query.library.sources import load_sources

    settings, sources = load_settings(home), load_sources(home)
    manifest = published_manifest(home)
    space = manifest.vector.space if manifest and manifest.vector else None
    runs = [
        {"job": run.job, "submitted_at": run.submitted_at} | run_result(run)
        for run in list_runs(home)[:_RECENT]
    ]
    return {
        "library_id": settings.library_id,
        "shards": settings.shards,
        "strategy": PurePath(settings.strategy).name,
        "snapshot": manifest.number if manifest else None,
        "published_at": manifest.created_at if manifest else None,
        "embedder": f"{space.embedder_id}, {space.dimensions} dimensions" if space else None,
        "counts": _counts(home, manifest) if manifest else {},
        "collections": Snapshot(home, manifest).catalog.collections() if manifest else {},
        "sources": [root.name for root in sources.roots],
        "deleted": len(sources.deleted),
        "to_purge": len(sources.purge),
        "runs": runs,
    }


def purge_notice(state: dict[str, Any]) -> str | None:
    """What a person should know of a hard deletion that is not done."""
    if not (number := state["to_purge"]):
        return None
    names = "1 name" if number == 1 else f"{number} names"
    return (
        f"The hard deletion of {names} is not done: the run at work, or else the next ingest, "
        "finishes it."
    )


def count_label(name: str) -> str:
    """A count of a snapshot as a person reads it."""
    return _LABELS.get(name, name.replace("_", " "))


def _counts(home: Home, manifest: SnapshotManifest) -> dict[str, int]:
    """What is published, and the files whose content another document holds."""
    from rag_query.contracts.tables import ALL
    from rag_query.library.tables import TableStore

    inventory = TableStore(home).read("inventory", ALL, ["duplicate_of"])
    duplicates = len(inventory) - inventory["duplicate_of"].null_count
    return {**manifest.counts, "duplicates": duplicates}
