"""A library whose documents stand as if they had been parsed and normalised."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

import rag_assets.providers  # noqa: F401
from rag_assets.context import StageContext
from rag_query.contracts.tables import TABLES
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.sources import source_uri
from rag_query.strategies.strategy import load_strategy, parse_strategy
from rag_query.text.ids import doc_id, sha256_text, version_id

SHARD = "s00"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class MadeLibrary:
    """One shard of documents; :meth:`put` adds or replaces one and :meth:`flush` stores all."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)
        self.settings = create_library(self.home, shards=1)
        self.strategy = load_strategy()
        self._rows: dict[str, dict[str, dict[str, Any]]] = {}

    @property
    def ctx(self) -> StageContext:
        return StageContext(self.home, self.settings, self.strategy)

    def set_params(self, stage: str, **params: Any) -> None:
        """Change parameters of one stage of the strategy."""
        value = self.strategy.model_dump()
        value["stages"][stage]["params"] |= params
        self.strategy = parse_strategy(value)

    def set_provider(self, stage: str, provider: str, **params: Any) -> None:
        """Name another provider for one stage of the strategy."""
        value = self.strategy.model_dump()
        value["stages"][stage] = {"provider": provider, "params": params}
        self.strategy = parse_strategy(value)

    def put(
        self,
        rel_path: str,
        md: str,
        *,
        title: str | None = None,
        name: str | None = None,
        anchors: list[dict[str, Any]] | None = None,
        line_map: list[int] | None = None,
        media: list[dict[str, Any]] | None = None,
    ) -> str:
        """Make ``md`` the only version of a document; returns its version_id. One that was renamed
        keeps the ids of its first ``rel_path``."""
        uri = source_uri("inbox", rel_path)
        doc = doc_id(uri)
        version = version_id(doc, sha256_text(md))
        identity = {"version_id": version, "doc_id": doc}
        self._rows[rel_path] = {
            "documents": identity
            | {
                "version_no": 1,
                "is_latest": True,
                "status": "active",
                "source_uri": uri,
                "aliases": [],
                "collection": "inbox",
                "tags": [],
                "topics": [],
                "source_type": "file",
                "name": name or rel_path,
                "root": "inbox",
                "rel_path": rel_path,
                "created_at": NOW,
            },
            "parsed": identity
            | {
                "status": "ready",
                "title": title,
                "language": "en",
                "anchors": [],
                "tags": [],
                "media_refs": [],
                "warnings": [],
                "loader_name": "test",
                "loader_version": "1",
                "parser_engine": "test",
                "engine_version": "1",
                "parse_profile_id": "test",
            },
            "normalized": identity
            | {
                "md_norm": md,
                "md_norm_sha256": sha256_text(md),
                "line_map": line_map or list(range(1, md.count("\n") + 2)),
                "anchors": anchors or [],
                "stats": "{}",
                "transform_profile_id": "test",
            },
        }
        for row in media or []:
            filled = {"origin_ref": "x", "status": "ready", "has_thumb": False}
            self._rows[rel_path]["media"] = identity | filled | row
        return version

    def set_parse_summary(self, rel_path: str, summary: str) -> None:
        """What the loader would have noted, JSON."""
        self._rows[rel_path]["parsed"]["parse_summary"] = summary

    def remove(self, rel_path: str) -> None:
        del self._rows[rel_path]

    def flush(self) -> None:
        """Store what was put."""
        for table in ("documents", "parsed", "media", "normalized"):
            rows = [found[table] for found in self._rows.values() if table in found]
            inputs = {row["version_id"]: sha256_text(repr(row)) for row in rows}
            made = pa.Table.from_pylist(rows, schema=TABLES[table])
            self.ctx.store.write(table, SHARD, made, inputs)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The stored rows."""
        found: list[dict[str, Any]] = self.ctx.store.read(table, SHARD).to_pylist()
        return found
