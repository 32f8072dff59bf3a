"""Side generations: the published documents under another strategy, beside the library.

A side is a library in ``sides/<key>`` that begins with the library's own tables and indexes (hard
links, no copies), its embedding cache, its raw files and its models. Then every stage runs: each
recomputes only the versions whose input or profile differs, so a strategy with another chunker
parses nothing again. The key covers the stages of ingestion alone, so strategies that differ only
in how they search share one side. Nothing of a side is ever served.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_assets.chunks import stage as chunks
from rag_assets.context import StageContext
from rag_assets.embeddings import stage as embeddings
from rag_assets.enrichment import stage as enrichment
from rag_assets.incremental import StageResult
from rag_assets.indexes import bm25, vector
from rag_assets.links import stage as links
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.publication.publish import publish
from rag_assets.sections import stage as sections
from rag_query.generation.stages import STAGES as ANSWER_STAGES
from rag_query.library.files import write_atomic, write_json
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.library.sides import side_lock
from rag_query.library.snapshot import Snapshot
from rag_query.library.sources import load_sources, save_sources
from rag_query.library.tables import Head, TableStore
from rag_query.retrieval.stages import QUERY_STAGES
from rag_query.strategies.strategy import Stages, Strategy, parse_strategy
from rag_query.text.ids import profile_id

#: Stages of one shard, in the order data takes; the assets of the same names run them too.
SHARD_STAGES: dict[str, Callable[[StageContext, str], StageResult]] = {
    "parsed": loading.run,
    "media": media.run,
    "normalized": normalizing.run,
    "sections": sections.run,
    "chunks": chunks.run,
    "links": links.run,
    "enriched": enrichment.run,
    "embeddings": embeddings.run,
    "vector_index": vector.run,
}
#: The stage that takes all shards at once.
BM25 = "bm25_index"

#: Copied by hard links: files that nobody writes to again.
_LINKED = ("tables", "bm25", "lance")
#: Shared as they are: content-addressed, so that nothing in them changes.
_SHARED = ("raw", "media", "cache", "models")
#: Files that are rewritten in place or belong to a writer.
_COPIED = (".json", ".lock")


@dataclass(slots=True)
class Side:
    """A side generation that is up to date.

    Attributes:
        name: folder under ``sides/``.
        computed: stage -> versions computed for it now; 0 where all was shared.
    """

    name: str
    home: Home
    computed: dict[str, int] = field(default_factory=dict)


def ingestion_stages() -> list[str]:
    """Names of the stages that decide what is in the tables and indexes."""
    asked = {*QUERY_STAGES, *ANSWER_STAGES}
    return [name for name in Stages.model_fields if name not in asked]


def side_key(strategy: Strategy) -> str:
    """What a side is known by: the same for strategies that ingest alike."""
    profiles = {stage: strategy.profile_id(stage) for stage in ingestion_stages()}
    return profile_id(profiles)[:16]


def ingests_alike(strategy: Strategy, published: Snapshot) -> bool:
    """Whether a snapshot's tables and indexes are what the strategy would make."""
    made_with = parse_strategy(published.manifest.strategy)
    return side_key(strategy) == side_key(made_with)


def build_side(
    home: Home,
    published: Snapshot,
    strategy: Strategy,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
) -> Side:
    """Bring the side of a strategy up to date with a snapshot's documents.

    Args:
        on_stage: told the name of each stage as it begins.

    Raises:
        ExcerptaError: what the stages and :func:`publish` raise.
    """
    name = side_key(strategy)
    side = Side(name, Home(home.sides / name))
    with side_lock(home, name):
        if not side.home.settings.exists():
            _begin(home, side.home, strategy)
        os.utime(side.home.root)  # when it was last asked for; see prune_sides
        _take_documents(published, side.home)
        ctx = StageContext(side.home, load_settings(side.home), strategy)
        for stage, results in _run(ctx, on_stage):
            side.computed[stage] = sum(result.computed for result in results)
        publish(ctx)
    return side


def _run(
    ctx: StageContext, on_stage: Callable[[str], None]
) -> Iterator[tuple[str, Sequence[StageResult]]]:
    shards = ctx.settings.shard_names
    for name, stage in SHARD_STAGES.items():
        on_stage(name)
        yield name, [stage(ctx, shard) for shard in shards]
    on_stage(BM25)
    yield BM25, list(bm25.run(ctx, shards).values())


def _begin(home: Home, side: Home, strategy: Strategy) -> None:
    """The library as it stands, in another folder; ``library.json`` last, as it makes it one."""
    if side.root.exists():
        shutil.rmtree(side.root)  # begun and not finished
    side.root.mkdir(parents=True)
    for name in _LINKED:
        if (home.root / name).is_dir():
            shutil.copytree(home.root / name, side.root / name, copy_function=_link)
    for name in _SHARED:
        (home.root / name).mkdir(exist_ok=True)
        (side.root / name).symlink_to(home.root / name, target_is_directory=True)
    side.snapshots.mkdir()
    save_sources(side, load_sources(home))
    settings = load_settings(home).model_copy(update={"strategy": strategy.name})
    write_json(side.settings, settings.model_dump(mode="json"))


def _link(source: str, target: str) -> None:
    name = Path(source).name
    if name.startswith(".tmp-"):
        return
    if name.endswith(_COPIED) or f"{os.sep}_refs{os.sep}" in source:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


def _take_documents(published: Snapshot, side: Home) -> None:
    """Make the snapshot's documents the ones the stages work on. The library's own heads may be
    ahead of it, and a comparison must be over the same documents."""
    store = TableStore(side)
    for shard, file in published.manifest.tables.get("documents", {}).items():
        head = store.recorded("documents", shard)
        if head is not None and head.file == file:
            continue
        source, target = published.home.root / file.path, side.root / file.path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(source, target)
        path = side.tables / "documents" / shard / "head.json"
        write_atomic(path, Head(file=file, inputs={}).model_dump_json().encode())
