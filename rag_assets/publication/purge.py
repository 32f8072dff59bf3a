"""Hard deletion: what was marked leaves every store, and with it every older snapshot.

The run that acts on the marks drops the rows stage by stage (``sources/documents.py`` and what
follows from it). Here both indexes are written anew before publication, and after it everything
goes that the new snapshot does not name: older snapshots, because they share files with each
other and hold what is to go, conversations and evaluated cases that quote it, traces of questions
that met it, libraries under other strategies, table files, raw bytes and media no other document
uses, cached vectors, index versions. Marks stay until all of that is done, so a
run killed at any instant leaves the published snapshot whole, and the next run finishes.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Collection

import pyarrow as pa

from rag_assets.context import StageContext
from rag_assets.embeddings.cache import keep_only
from rag_assets.indexes.base import Bm25Index, VectorIndex
from rag_assets.publication.gc import collect_all_but_current
from rag_query.contracts.trace import EventKind
from rag_query.evaluation.runs import forget_cases, traces_of_cases
from rag_query.generation.conversation.conversations import forget_about
from rag_query.library.deletions import mark_purged, marked
from rag_query.library.kept_snapshot import wait_for_writers
from rag_query.library.sides import prune_sides
from rag_query.library.sources import load_sources
from rag_query.text.ids import CHUNK_PREFIX, DOC_PREFIX, ID_DIGITS, TRACE_ID, VERSION_PREFIX
from rag_query.tracing.context import count, event
from rag_query.tracing.forgetting import forget_traces

_ID = re.compile(
    rf"\b(?:{DOC_PREFIX}|{VERSION_PREFIX}|{CHUNK_PREFIX})[0-9a-f]{{{ID_DIGITS}}}\b".encode()
)
_TRACE_ID = re.compile(rf"\b{TRACE_ID}\b".encode())
#: A URI as JSON holds it: what JSON would escape, a source URI percent-encodes.
_SOURCE_URI = re.compile(rb'"(file://[^"\\]+)"')


def prepare(ctx: StageContext) -> list[str]:
    """What is to be purged now; when there is any, no row of it is left in what is published next.

    Returns:
        The marked source URIs and version ids, or nothing while a shard still holds some of them:
        then this run was not one of all shards, and a later one goes on.
    """
    names = load_sources(ctx.home).purge
    if not names or _still_held(ctx, names):
        return []
    vectors: VectorIndex = ctx.strategy.build("vector_index")
    words: Bm25Index = ctx.strategy.build("bm25_index")
    vectors.rewrite(ctx)
    words.rewrite(ctx)
    return sorted(names)


def finish(ctx: StageContext, names: Collection[str]) -> int:
    """Remove whatever the snapshot just published does not name, and tell how many marks are done
    with.

    Raises:
        OSError: the disk refused; the next run tries again.
        ExcerptaError: ``BUSY`` when a turn of a conversation takes too long; likewise.
    """
    if not names:
        return 0
    # Before what quotes them, so that nothing that is being made of them is kept after all.
    collected = collect_all_but_current(ctx.home, ctx.settings)
    wait_for_writers(ctx.home)
    forgotten = forget_about(
        ctx.home, lambda p: p.parent_id in names or marked(names, p.source_uri)
    )
    prune_sides(ctx.home, before=math.inf)
    is_held = _is_held(ctx, names)
    # Before the cases, which say what traces they have.
    traces = forget_traces(ctx.home, _names_what_is_gone(ctx, names, is_held))
    cases = forget_cases(ctx.home, is_held)
    vectors = _forget_cached(ctx)
    mark_purged(ctx.home, names)
    event(
        EventKind.PURGE_RESULT,
        names=sorted(names),
        snapshots=collected.snapshots,
        files=collected.files,
        cached_vectors=vectors,
        conversations=len(forgotten),
        evaluated_cases=cases,
        traces=traces,
    )
    count(purged=len(names))
    return len(names)


def _is_held(ctx: StageContext, names: Collection[str]) -> Callable[[str], bool]:
    """Whether a document is held, and with every version it had."""
    if any(name.startswith(VERSION_PREFIX) for name in names):
        # Which document a version was of is no longer known.
        return lambda _: False
    held: set[str] = set()
    for shard in ctx.settings.shard_names:
        held.update(ctx.store.read("documents", shard, ["doc_id"])["doc_id"].to_pylist())
    return held.__contains__


def _names_what_is_gone(
    ctx: StageContext, names: Collection[str], is_held: Callable[[str], bool]
) -> Callable[[bytes], bool]:
    """Whether the trace of a question names a source that was purged, or a document, version or
    chunk that is no more, or belongs to a case that goes.

    Which ids a purged document had is no longer known, so what else has gone counts as well.
    """
    cases = {trace_id.encode() for trace_id in traces_of_cases(ctx.home, is_held)}
    held = {
        value.encode()
        for table, columns in (("documents", ["doc_id", "version_id"]), ("chunks", ["chunk_id"]))
        for shard in ctx.settings.shard_names
        for column in ctx.store.read(table, shard, columns).itercolumns()
        for value in column.to_pylist()
        if value is not None
    }

    def gone(line: bytes) -> bool:
        if any(named not in held for named in _ID.findall(line)):
            return True
        if not cases.isdisjoint(_TRACE_ID.findall(line)):
            return True
        uris = (uri.decode(errors="replace") for uri in _SOURCE_URI.findall(line))
        return any(marked(names, uri) for uri in uris)

    return gone


def _still_held(ctx: StageContext, names: Collection[str]) -> bool:
    for shard in ctx.settings.shard_names:
        rows = ctx.store.read("documents", shard, ["source_uri", "version_id"]).to_pylist()
        if any(r["version_id"] in names or marked(names, r["source_uri"]) for r in rows):
            return True
    return False


def _forget_cached(ctx: StageContext) -> int:
    """Drop vectors of contents no document has now. What was read from or said of pictures and
    chunks that some document still has was kept by the clean-up before, and may have been paid
    for; any other cache goes whole, as it holds only what can be computed again."""
    live = [
        ctx.store.read("enriched", shard, ["content_hash"])["content_hash"]
        for shard in ctx.settings.shard_names
    ]
    hashes = pa.chunked_array([c for column in live for c in column.chunks], pa.string()).unique()
    kept = (ctx.home.embedding_cache, ctx.home.sidecar_cache)
    for other in ctx.home.embedding_cache.parent.glob("*"):
        if other not in kept:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return keep_only(ctx.home, hashes)
