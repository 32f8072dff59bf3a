"""Snapshots that are little more than their manifests, for what only looks at these."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rag_assets.publication.gc import GRACE
from rag_query.contracts.snapshot import Bm25Part, SnapshotManifest
from rag_query.library.home import Home

#: What files and snapshots are aged from, however long the tests take.
NOW = datetime.now(UTC)


def old_file(path: Path) -> Path:
    """A file of one byte that no run is about to name any more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    then = (NOW - GRACE - timedelta(minutes=5)).timestamp()
    os.utime(path, (then, then))
    return path


def publish(home: Home, number: int, *, age: timedelta) -> None:
    """A snapshot of nothing but a BM25 generation of its own."""
    generation = f"bm25/g{number:06d}"
    old_file(home.root / generation / "meta.json")
    manifest = SnapshotManifest(
        number=number,
        created_at=NOW - age,
        library_id="lib",
        run_id=None,
        shards=["s00"],
        strategy_config_id="c",
        strategy={},
        profile_ids={},
        tables={},
        vector=None,
        bm25=Bm25Part(path=generation, rows=1, analysis_profile_id="a"),
        counts={},
    )
    home.snapshots.mkdir(exist_ok=True)
    home.snapshot_file(number).write_text(manifest.model_dump_json())
