"""What is about to be published: the newest heads, gathered at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from rag_assets.context import StageContext
from rag_assets.indexes.heads import Bm25Head, ShardState, VectorHead, bm25_head, vector_head
from rag_assets.indexes.rows import INPUTS, InputFiles, input_digest
from rag_assets.publication.serving import serve
from rag_query.contracts.snapshot import SnapshotManifest, TableFile
from rag_query.contracts.tables import TABLES
from rag_query.library.table_files import damaged_table, reading, whole
from rag_query.strategies.strategy import Stages


@dataclass(frozen=True, slots=True)
class Candidate:
    """Everything a manifest will name.

    Attributes:
        tables: table -> shard -> file.
        vector: state of all vector tables; :attr:`vector_table` is the one to publish.
        bm25: the newest generation, None when nothing was ever indexed.
        profile_ids: stage -> profile id.
    """

    shards: tuple[str, ...]
    tables: dict[str, dict[str, TableFile]]
    vector: VectorHead
    bm25: Bm25Head | None
    profile_ids: dict[str, str]

    @property
    def vector_tables(self) -> list[str]:
        """Tables that hold the newest vectors of some shard; one, unless a change of embedder is
        under way."""
        return sorted(set(self.vector.holder.values()))

    @property
    def vector_table(self) -> str | None:
        """The table to publish; None when there is none, or more than one."""
        names = self.vector_tables
        return names[0] if len(names) == 1 else None

    def inputs(self, shard: str) -> InputFiles:
        """Files the index rows of a shard are made from."""
        return {name: self.tables.get(name, {}).get(shard) for name in INPUTS}

    def states(self, shard: str) -> tuple[ShardState | None, ShardState | None]:
        """What the vector index and the BM25 index say they hold of a shard."""
        return self.vector.state(shard), self.bm25.shards.get(shard) if self.bm25 else None

    def outdated(self) -> dict[str, list[str]]:
        """index -> shards that it does not hold as the tables are now."""
        found: dict[str, list[str]] = {"vector": [], "bm25": []}
        for shard in self.shards:
            files = self.inputs(shard)
            if not any(files.values()):
                continue
            digest = input_digest(files)
            for index, state in zip(found, self.states(shard), strict=True):
                if state is None or state.inputs != digest:
                    found[index].append(shard)
        return found

    def same_content(self, manifest: SnapshotManifest) -> bool:
        """Whether a published manifest names just this; the inventory aside, which also tells
        what each run made of each file and so changes although no document does."""
        table = self.vector_table
        vector = (table, self.vector.tables[table].version) if table else None
        published = (manifest.vector.table, manifest.vector.version) if manifest.vector else None
        generation = f"bm25/{self.bm25.generation}" if self.bm25 else None
        return (
            len(self.vector_tables) <= 1
            and vector == published
            and generation == (manifest.bm25.path if manifest.bm25 else None)
            and _without_inventory(self.tables) == _without_inventory(manifest.tables)
            and self.profile_ids == manifest.profile_ids
        )


def _without_inventory(
    tables: dict[str, dict[str, TableFile]],
) -> dict[str, dict[str, TableFile]]:
    return {name: files for name, files in tables.items() if name != "inventory"}


def gather(ctx: StageContext) -> Candidate:
    """Collect the newest heads and bring the served table up to date with them.

    Raises ExcerptaError ``SNAPSHOT_DAMAGED`` when a file that a head names cannot be read.
    """
    tables = {name: ctx.store.heads(name) for name in TABLES if name != "serving"}
    for file in (file for files in tables.values() for file in files.values()):
        with reading(file.path):
            if not whole(ctx.store.path(file)):
                raise damaged_table(file.path)
    # The indexes move after the tables, so their heads are read after the tables'.
    vector, bm25 = vector_head(ctx.home), bm25_head(ctx.home)
    shards = tuple(ctx.settings.shard_names)
    tables["serving"] = {
        shard: serve(ctx.home, ctx.store, shard, {n: tables[n].get(shard) for n in INPUTS})
        for shard in shards
        if shard in tables["documents"]
    }
    profiles = {stage: ctx.strategy.profile_id(stage) for stage in Stages.model_fields}
    return Candidate(shards, tables, vector, bm25, profiles)
