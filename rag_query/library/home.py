"""Where everything of a library lies. Nothing here reads content."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

HOME_VARIABLE = "EXCERPTA_HOME"
DEFAULT_HOME = "data"

#: Names of the files and folders that a library keeps for itself in its folder; documents may lie
#: in its inbox, and wherever else a person puts them.
OWN_NAMES = frozenset({
    "library.json", "sources.json", "synonyms.txt", "gates.yaml", "CURRENT", "raw", "media",
    "tables", "cache", "lance", "bm25", "snapshots", "traces", "conversations", "datasets",
    "evaluations", "sides", "models", "locks", "logs", "dagster", "jobs",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Home:
    """The folders and files of one library; ``root`` is absolute."""

    root: Path

    @classmethod
    def resolve(cls, path: str | os.PathLike[str] | None = None) -> Home:
        """``path``, else ``$EXCERPTA_HOME``, else ``./data``; need not exist."""
        chosen = path or os.environ.get(HOME_VARIABLE) or DEFAULT_HOME
        return cls(Path(os.path.abspath(Path(chosen).expanduser())))

    def relative(self, path: Path) -> str:
        """``path`` as stored in manifests: POSIX, relative to the root."""
        return path.relative_to(self.root).as_posix()

    @property
    def synonyms(self) -> Path:
        """Synonyms and abbreviations of questions, when there is such a file."""
        return self.root / "synonyms.txt"

    @property
    def settings(self) -> Path:
        """``library.json``: id, shards, allowed roots (see ``library/settings.py``)."""
        return self.root / "library.json"

    @property
    def sources(self) -> Path:
        """``sources.json``: the registered roots and the tombstones of deleted documents."""
        return self.root / "sources.json"

    @property
    def inbox(self) -> Path:
        return self.root / "inbox"

    @property
    def raw(self) -> Path:
        return self.root / "raw"

    def raw_file(self, raw_sha256: str) -> Path:
        return self.raw / raw_sha256[:2] / raw_sha256

    @property
    def media(self) -> Path:
        return self.root / "media"

    def media_file(self, asset_id: str) -> Path:
        return self.media / asset_id[:2] / asset_id

    def thumb_file(self, asset_id: str) -> Path:
        return self.media / asset_id[:2] / f"{asset_id}.thumb.png"

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    @property
    def embedding_cache(self) -> Path:
        return self.root / "cache" / "embeddings"

    @property
    def sidecar_cache(self) -> Path:
        """What was read from pictures and said of them: ``<kind>/<profile>/<xx>/<key>.json``."""
        return self.root / "cache" / "sidecars"

    @property
    def lance(self) -> Path:
        """The LanceDB database; one table for each embedding space."""
        return self.root / "lance"

    @property
    def bm25(self) -> Path:
        """tantivy generations ``g000001`` … and ``head.json``."""
        return self.root / "bm25"

    @property
    def snapshots(self) -> Path:
        return self.root / "snapshots"

    def snapshot_file(self, number: int) -> Path:
        return self.snapshots / f"{number}.json"

    @property
    def current(self) -> Path:
        """``CURRENT``: the number of the published snapshot, moved atomically."""
        return self.root / "CURRENT"

    @property
    def traces(self) -> Path:
        return self.root / "traces"

    @property
    def conversations(self) -> Path:
        """One append-only file of JSON lines for each conversation."""
        return self.root / "conversations"

    @property
    def datasets(self) -> Path:
        """Evaluation datasets by name: ``NAME.jsonl``, a folder ``NAME/``, or ``NAME.yaml``."""
        return self.root / "datasets"

    @property
    def gates(self) -> Path:
        """``gates.yaml``: the library's quality gates; the shipped ones hold when it is missing."""
        return self.root / "gates.yaml"

    @property
    def evaluations(self) -> Path:
        """One folder for each evaluation: its report and its cases."""
        return self.root / "evaluations"

    @property
    def sides(self) -> Path:
        """Side generations: the library under other strategies, for comparison."""
        return self.root / "sides"

    @property
    def models(self) -> Path:
        """Unpacked and converted models. Shared by libraries when ``EXCERPTA_MODELS`` is set."""
        shared = os.environ.get("EXCERPTA_MODELS")
        return Path(os.path.abspath(Path(shared).expanduser())) if shared else self.root / "models"

    @property
    def locks(self) -> Path:
        return self.root / "locks"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def dagster(self) -> Path:
        """``DAGSTER_HOME`` of this library."""
        return self.root / "dagster"

    @property
    def jobs(self) -> Path:
        return self.root / "jobs"
