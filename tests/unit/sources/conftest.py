"""A library with an inbox, without loading any provider."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.sources import documents
from rag_assets.sources.inventory import take_inventory
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.contracts.tables import ALL
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.library.sources import register_path
from rag_query.strategies.strategy import load_strategy


class Sources:
    """Files of a library and what its first two stages say about them."""

    def __init__(self, home: Home) -> None:
        create_library(home, shards=2)
        self.home = home
        self.ctx = StageContext(home, load_settings(home), load_strategy())

    def write(self, name: str, content: str | bytes, *, folder: Path | None = None) -> Path:
        """A file whose modification time is well in the past, as an old file's is."""
        path = (folder or self.home.inbox) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        moved = path.stat().st_mtime_ns - 10_000_000_000
        os.utime(path, ns=(moved, moved))
        return path

    def register(self, path: Path, collection: str | None = None) -> None:
        register_path(self.home, path, collection=collection)

    def limit(self, max_file_bytes: int) -> None:
        limits = self.ctx.settings.limits.model_copy(update={"max_file_bytes": max_file_bytes})
        self.ctx = replace(
            self.ctx, settings=self.ctx.settings.model_copy(update={"limits": limits})
        )

    def take(self, *paths: Path, policy: VersionPolicy = "skip") -> StageResult:
        """Run both stages; the result is the inventory's."""
        named = [str(path) for path in paths]
        result = take_inventory(self.ctx, policy=policy, paths=named)
        for shard in self.ctx.settings.shard_names:
            documents.run(self.ctx, shard)
        return result

    def inventory(self) -> dict[str, dict[str, object]]:
        """Rows by relative path, with ``#<fragment>`` for records."""
        rows = self.ctx.store.read("inventory", ALL).to_pylist()
        return {
            row["rel_path"] + (f"#{row['fragment']}" if row["fragment"] else ""): row
            for row in rows
        }

    def decisions(self) -> dict[str, str]:
        return {name: str(row["decision"]) for name, row in self.inventory().items()}

    def documents(self, name: str) -> list[dict[str, object]]:
        """Versions of a document in order of arrival."""
        found: list[dict[str, object]] = []
        for shard in self.ctx.settings.shard_names:
            rows = self.ctx.store.read("documents", shard).to_pylist()
            found += [row for row in rows if row["name"] == name]
        return found


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Sources]:
    yield Sources(Home(tmp_path / "home"))
