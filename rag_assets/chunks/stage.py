"""``sections`` + ``normalized`` -> ``chunks``: the smallest texts that are found and cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.chunks.base import Chunker, ChunkerParams
from rag_assets.chunks.rows import ROWS_VERSION, chunk_rows
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.set_aside import set_aside
from rag_query.contracts.trace import EventKind
from rag_query.providers.registry import REGISTRY
from rag_query.strategies.strategy import Strategy
from rag_query.text.ids import profile_id, sha256_text
from rag_query.tracing.context import count, event

_READ_SECTIONS = [
    "version_id", "doc_id", "section_id", "section_path", "heading_level", "title", "text",
    "char_start",
]  # fmt: skip
_READ_NORMALIZED = ["version_id", "md_norm", "line_map", "anchors"]
_HASHED = ["version_id", "section_id", "chunk_id", "section_end", "char_end", "also_at"]
#: Upper bounds of the size histogram, in characters.
_SIZES = (100, 200, 400, 800, 1600, 3200)


def chunk_build_profile_id(strategy: Strategy) -> str:
    """Names everything that decides boundaries (DEV_SPEC 3.1.5, strategy 3)."""
    parts = [ROWS_VERSION, strategy.profile_id("sectioner"), strategy.profile_id("chunker")]
    if _uses_embedder(strategy):
        parts.append(strategy.profile_id("embedder"))
    return profile_id(parts)


def build_chunker(ctx: StageContext) -> Chunker:
    """The strategy's chunker, with the embedder when that decides where it cuts."""
    dependencies: dict[str, Any] = (
        {"embedder": lambda: ctx.embedder} if _uses_embedder(ctx.strategy) else {}
    )
    chunker: Chunker = ctx.strategy.build("chunker", **dependencies)
    return chunker


def _uses_embedder(strategy: Strategy) -> bool:
    config = strategy.stage("chunker")
    params = REGISTRY.params(config.provider, config.params)
    return isinstance(params, ChunkerParams) and params.uses_embedder


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's chunks up to date.

    ``details`` has ``chunk_count``, ``chunk_hash`` of the whole shard and that of the last run,
    and how many versions that had chunks before have others now: ``structure_drift`` when their
    sections changed too, ``length_drift`` when only the cuts did; ``drift`` names what there was.
    """
    before = _hash_of(ctx, shard)
    work = _Chunking(ctx, shard)
    result = run_incremental(
        ctx.store,
        "chunks",
        shard,
        work.wanted(),
        work.cut,
        sizes=ctx.text_bytes(shard),
        set_aside=partial(set_aside, ctx, shard, "Chunking"),
    )
    chunk_hash = _hash_of(ctx, shard) if result.written else before
    work.report(result.rows, chunk_hash)
    details: dict[str, object] = {
        "chunk_count": result.rows,
        "chunk_hash": chunk_hash,
        "chunk_hash_before": before,
        **work.drift.counts(),
    }
    return replace(result, details=details)


class _Chunking:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._profile = chunk_build_profile_id(ctx.strategy)
        self._chunker = build_chunker(ctx)
        self._sections = ctx.store.versions("sections", shard, _READ_SECTIONS)
        self._normalized = ctx.store.versions("normalized", shard, _READ_NORMALIZED)
        self._held = ctx.store.versions("chunks", shard, _HASHED, own=True)
        self._sizes: list[int] = []
        self.drift = _Drift()

    def wanted(self) -> dict[str, str]:
        """Fingerprints of the live versions that have sections."""
        head = self._ctx.store.head("sections", self._shard)
        made_from = head.inputs if head else {}
        return {
            version: input_fingerprint(self._profile, made_from[version])
            for version in self._ctx.live_ids(self._shard)
            if version in made_from
        }

    def cut(self, versions: Sequence[str]) -> pa.Table:
        """Rows of ``chunks``, in the order of ``versions``."""
        rows = chunk_rows(
            self._sections.of(versions), self._normalized.of(versions), self._chunker, self._profile
        )
        self.drift.compare(self._held.of(versions), rows, versions)
        self._sizes.extend(pc.utf8_length(rows["chunk_text"]).to_pylist())
        return rows

    def report(self, chunks: int, chunk_hash: str) -> None:
        """Emit what the shard holds now and what drifted."""
        event(
            EventKind.CHUNK_STATS,
            shard=self._shard,
            chunk_count=chunks,
            chunk_hash=chunk_hash,
            size_histogram=_histogram(self._sizes),
        )
        event(
            EventKind.DRIFT_HASHES,
            shard=self._shard,
            chunk_hash=chunk_hash,
            structure=self.drift.structure,
            length=self.drift.length,
        )
        count(chunks=chunks)


@dataclass(frozen=True, slots=True)
class _Drift:
    """Versions that had chunks before and have others now.

    Attributes:
        structure: those whose sections changed too.
        length: those that are only cut in another way.
    """

    structure: list[str] = field(default_factory=list)
    length: list[str] = field(default_factory=list)

    def compare(self, before: pa.Table, after: pa.Table, versions: Sequence[str]) -> None:
        """Take in the versions whose chunks changed."""
        old, new = _by_version(before), _by_version(after)
        for version in versions:
            if version not in old or old[version] == new.get(version):
                continue
            same = _sections(old[version]) == _sections(new.get(version, []))
            (self.length if same else self.structure).append(version)

    def counts(self) -> dict[str, object]:
        """How many versions drifted in which way, and the ways there were."""
        ways = {"structure": self.structure, "length": self.length}
        return {
            "structure_drift": len(self.structure),
            "length_drift": len(self.length),
            "drift": ", ".join(way for way, versions in ways.items() if versions) or "none",
        }


def _hash_of(ctx: StageContext, shard: str) -> str:
    """Over the chunk ids of a shard in their order."""
    stored = ctx.store.read("chunks", shard, ["chunk_id"], own=True)
    return sha256_text("\n".join(stored["chunk_id"].to_pylist()))


def _sections(chunks: Sequence[tuple[str, str, int]]) -> dict[str, int]:
    """section_id -> where its last chunk ends, which cutting it in another way does not move."""
    ends: dict[str, int] = {}
    for section, _, end in chunks:
        ends[section] = max(end, ends.get(section, 0))
    return ends


def _by_version(chunks: pa.Table) -> dict[str, list[tuple[str, str, int]]]:
    """version_id -> (section_id, chunk_id, where its last occurrence in the section ends)."""
    out: dict[str, list[tuple[str, str, int]]] = {}
    columns = (chunks[name].to_pylist() for name in _HASHED)
    for version, section, chunk, section_end, end, others in zip(*columns, strict=True):
        last = max([end, *(other["char_end"] for other in others)])
        out.setdefault(version, []).append((section, chunk, section_end + last - end))
    return out


def _histogram(sizes: list[int]) -> dict[str, int]:
    """Chunks computed in this run by length in characters: ``<=100`` … ``>3200``."""
    counts = dict.fromkeys([*(f"<={size}" for size in _SIZES), f">{_SIZES[-1]}"], 0)
    for size in sizes:
        bound = next((f"<={limit}" for limit in _SIZES if size <= limit), f">{_SIZES[-1]}")
        counts[bound] += 1
    return counts
