"""The snapshot manifest: what one published moment of the library consists of (DESIGN 4)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MANIFEST_VERSION = 1


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TableFile(_Part):
    """One immutable file of a table."""

    path: str = Field(description="relative to the library's home")
    rows: int
    data_version: str = Field(description="sha256 of the content, equal for equal rows")


class EmbeddingSpace(_Part):
    """Vectors may be compared only within one space."""

    space_id: str = Field(description="sha256 over the four fields below")
    embedder_id: str
    embedder_version: str
    text_norm_profile_id: str
    dimensions: int


class VectorPart(_Part):
    """The LanceDB table at one version, pinned by ``tag``."""

    path: str = Field(description="database folder, relative to home")
    table: str
    version: int
    tag: str
    rows: int
    space: EmbeddingSpace
    probe_text: str = Field(
        description="embedded as a query at publication with the ingest embedder"
    )
    probe_vector: list[float] = Field(description="compared (cosine >= 0.999) when a reader opens")


class Bm25Part(_Part):
    """One tantivy generation: a folder no writer touches again."""

    path: str = Field(description="generation folder, relative to home")
    rows: int
    analysis_profile_id: str


class SnapshotManifest(_Part):
    """``snapshots/<number>.json``. Everything it names is immutable."""

    manifest_version: int = MANIFEST_VERSION
    number: int
    created_at: datetime
    library_id: str
    run_id: str | None
    shards: list[str]
    strategy_config_id: str
    strategy: dict[str, Any]
    profile_ids: dict[str, str]
    tables: dict[str, dict[str, TableFile]] = Field(description="table -> shard -> file")
    vector: VectorPart | None = Field(description="null when nothing was ever embedded")
    bm25: Bm25Part | None
    counts: dict[str, int]
    checks: dict[str, Any] = Field(
        default_factory=dict, description="results of the blocking checks"
    )
