"""The ``embeddings`` stage: a vector for every chunk's embedding text (DEV_SPEC 3.1.6).

Equal texts are embedded once for the whole library. What fails is a row with status
``failed_embed``, and its version is tried again by the next run.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rag_assets.context import StageContext
from rag_assets.embeddings.cache import EmbeddingCache, embedding_id
from rag_assets.embeddings.parallel import map_in_parallel
from rag_assets.embeddings.space import space_of
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.part_failures import PartFailures
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.contracts.tables import embeddings_schema
from rag_query.contracts.trace import EventKind
from rag_query.library.lance import import_ahead
from rag_query.providers.embedding.isolating import Answer, CallCounts, calls_to
from rag_query.tracing.context import count, event

log = logging.getLogger(__name__)

#: Texts of one call to an embedder that has no size of request of its own.
CALL_TEXTS = 256
#: The cache is written after so many texts or seconds, so a killed run loses no more than that.
SLICE_TEXTS = 2048
SLICE_SECONDS = 15.0

_KEYS_AT_ONCE = 20_000
READY = "ready"
FAILED = "failed_embed"
_KEY_COLUMNS = ["version_id", "chunk_id", "content_hash"]
_READ = [*_KEY_COLUMNS, "doc_id", "embedding_text"]


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the embeddings of a shard up to date.

    Without changed content no model is loaded.

    Raises:
        ExcerptaError: the embedder is out of order as a whole (``MODEL_UNAVAILABLE``,
            ``EMBED_FAILED`` on call after call); what was embedded until then is in the cache.
        OSError: the cache cannot be read or written.
    """
    space = space_of(ctx)
    work = _Embedding(ctx, shard, space)
    result = run_incremental(
        ctx.store,
        "embeddings",
        shard,
        work.wanted,
        work.compute,
        sizes=ctx.text_bytes(shard),
        details=work.details,
        schema=embeddings_schema(space.dimensions),
    )
    if result.computed:
        work.report()
    return result


class _Embedding:
    """One run over one shard, with its counts."""

    def __init__(self, ctx: StageContext, shard: str, space: EmbeddingSpace) -> None:
        self._ctx = ctx
        self._shard = shard
        self._space = space
        self._enriched = ctx.store.versions("enriched", shard, _READ)
        self._hits = self._misses = self._failed = self._tokens = 0
        self._calls = CallCounts()
        # What a call answered is kept, whatever becomes of the next.
        self._call_texts = ctx.embedder.request_texts or CALL_TEXTS
        self._parallel = ctx.embedder.parallel
        self._price = ctx.embedder.price
        self._failures = PartFailures()
        self.wanted = self._wanted()

    def compute(self, todo: Sequence[str]) -> pa.Table:
        """Rows of the versions ``todo``, in the order of the enriched table."""
        rows = self._enriched.of(todo)
        encoded = rows["content_hash"].combine_chunks().dictionary_encode()
        hashes, of_row = encoded.dictionary, encoded.indices.to_numpy()
        first_rows = np.unique(of_row, return_index=True)[1]
        texts = rows["embedding_text"].take(pa.array(first_rows))
        vectors, failures = self._vectors(hashes, texts)
        table = self._rows(rows, hashes, of_row, vectors, failures)
        self._retry_failed_versions(table)
        return table

    def details(self) -> dict[str, object]:
        """The measures of DEV_SPEC 3.1.6.4.3."""
        looked_up = self._hits + self._misses
        return {
            "cache_hit": self._hits,
            "cache_miss": self._misses,
            "cache_hit_rate": round(self._hits / looked_up, 4) if looked_up else 0.0,
            "batch_size": self._call_texts,
            "failed_embed": self._failed,
            "estimated_tokens": self._tokens,
            **self._computed_in(),
            **self._estimated_cost(),
            **self._calls.summary(),
            **self._failures.details("failed_chunks"),
        }

    def _computed_in(self) -> dict[str, str]:
        """The precision of what was embedded here; cached vectors may be of any other."""
        precision = self._ctx.embedder.precision if self._misses else None
        return {"precision": precision} if precision else {}

    def _estimated_cost(self) -> dict[str, float]:
        """In the currency of the strategy's price; nothing without one."""
        if self._price is None:
            return {}
        return {"estimated_cost": self._tokens * self._price / 1e6}

    def _wanted(self) -> dict[str, str]:
        """version_id -> fingerprint of the space and of the version's chunks and contents."""
        keys = self._ctx.store.read("enriched", self._shard, _KEY_COLUMNS)
        digests: dict[str, hashlib._Hash] = {}
        for batch in keys.to_batches(max_chunksize=_KEYS_AT_ONCE):
            for version, chunk, content in zip(
                *(batch[c].to_pylist() for c in _KEY_COLUMNS), strict=True
            ):
                if version not in digests:
                    digests[version] = hashlib.sha256()
                digests[version].update(f"{chunk}\x1f{content}\n".encode())
        return {
            version: input_fingerprint(self._space.space_id, digests[version].hexdigest())
            for version in self._ctx.live_ids(self._shard)
            if version in digests
        }

    def _vectors(
        self, hashes: pa.Array, texts: pa.ChunkedArray
    ) -> tuple[NDArray[np.float32], dict[int, ExcerptaError]]:
        """Vectors of unique contents, and the failures by position."""
        cache = EmbeddingCache(self._ctx.home, self._space)
        found, vectors = cache.get(hashes)
        missing = np.flatnonzero(~found)
        self._hits += int(found.sum())
        self._misses += len(missing)
        if not len(missing):
            return vectors, {}
        import_ahead()
        failures = self._embed(hashes, texts, missing, vectors, cache)
        cache.compact()
        return vectors, failures

    def _embed(
        self,
        hashes: pa.Array,
        texts: pa.ChunkedArray,
        missing: NDArray[np.intp],
        vectors: NDArray[np.float32],
        cache: EmbeddingCache,
    ) -> dict[int, ExcerptaError]:
        """Fill in the vectors at ``missing``, and keep them in the cache slice by slice.

        Returns the failures by position.
        """
        failures: dict[int, ExcerptaError] = {}
        missing_texts = texts.take(pa.array(missing))
        self._tokens += _estimated_tokens(missing_texts)
        # Texts of similar length share a call, and inside it a batch.
        order = np.argsort(pc.utf8_length(missing_texts).to_numpy(), kind="stable")[::-1]
        batches = np.split(order, range(self._call_texts, len(order), self._call_texts))
        calls = calls_to(self._ctx.embedder, self._calls)
        unsaved: list[int] = []

        def call(chosen: NDArray[np.intp]) -> Answer:
            return calls(missing_texts.take(pa.array(chosen)).to_pylist())

        def save() -> None:
            contents = hashes.take(pa.array(unsaved, pa.int64())).to_pylist()
            cache.put(contents, vectors[unsaved])
            unsaved.clear()

        saved_at, done = time.monotonic(), 0
        try:
            for chosen, (found_here, failed_here) in map_in_parallel(call, batches, self._parallel):
                at = missing[chosen]
                vectors[at] = found_here
                done += len(chosen)
                failed = {p: f for p, f in zip(at.tolist(), failed_here, strict=True) if f}
                failures |= failed
                unsaved += [position for position in at.tolist() if position not in failed]
                if len(unsaved) >= SLICE_TEXTS or time.monotonic() - saved_at >= SLICE_SECONDS:
                    save()
                    saved_at = time.monotonic()
                    log.info("embedded %d of %d texts of %s", done, len(order), self._shard)
        finally:
            save()
        return failures

    def _rows(
        self,
        rows: pa.Table,
        hashes: pa.Array,
        of_row: NDArray[np.int32],
        vectors: NDArray[np.float32],
        failures: dict[int, ExcerptaError],
    ) -> pa.Table:
        space, n = self._space, rows.num_rows
        places = pa.array(of_row)
        ids = pa.array([embedding_id(space, h) for h in hashes.to_pylist()], pa.string())
        codes = [ErrorCode.EMBED_FAILED if i in failures else None for i in range(len(hashes))]
        code = pa.array(codes, pa.string()).take(places)
        failed = pc.is_valid(code)
        self._note_failures(rows.filter(failed), of_row[np.asarray(failed)], failures)
        vector = pa.FixedSizeListArray.from_arrays(
            pa.array(vectors[of_row].reshape(-1)), space.dimensions, mask=failed
        )
        return pa.table(
            {
                "chunk_id": rows["chunk_id"],
                "version_id": rows["version_id"],
                "doc_id": rows["doc_id"],
                "content_hash": rows["content_hash"],
                "embedding_id": ids.take(places),
                "embedder_id": pa.repeat(space.embedder_id, n),
                "embedder_version": pa.repeat(space.embedder_version, n),
                "text_norm_profile_id": pa.repeat(space.text_norm_profile_id, n),
                "status": pc.if_else(failed, FAILED, READY),
                "code": code,
                "vector": vector,
            }
        )

    def _note_failures(
        self, rows: pa.Table, of_row: NDArray[np.int32], failures: dict[int, ExcerptaError]
    ) -> None:
        self._failed += rows.num_rows
        names = rows.select(["doc_id", "chunk_id"]).to_pylist()
        for name, place in zip(names, of_row, strict=True):
            message = failures[int(place)].message
            self._failures.add(str(ErrorCode.EMBED_FAILED), **name, message=message)

    def _retry_failed_versions(self, table: pa.Table) -> None:
        """Record another fingerprint than the next run will want, so that it computes them."""
        failed = table.filter(pc.equal(table["status"], FAILED))["version_id"]
        for version in failed.unique().to_pylist():
            self.wanted[version] = f"{FAILED}:{self.wanted[version]}"

    def report(self) -> None:
        """Emit the measures of this run."""
        details = self.details()
        event(EventKind.EMBEDDING_BATCH, shard=self._shard, **details)
        count(
            cache_hit=self._hits,
            cache_miss=self._misses,
            embed_calls=self._calls.embed_calls,
            embed_failures=self._calls.embed_failures,
            embed_retries=self._calls.retries,
            estimated_tokens=self._tokens,
        )


def _estimated_tokens(texts: pa.ChunkedArray) -> int:
    """One token for each Han, kana or Hangul character, one for four others."""
    wide = pc.sum(pc.count_substring_regex(texts, r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"))
    characters = pc.sum(pc.utf8_length(texts)).as_py() or 0
    dense = wide.as_py() or 0
    return int(dense + (characters - dense) / 4)
