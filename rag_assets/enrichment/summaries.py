"""``chunks`` -> the sidecar ``summaries`` (DEV_SPEC 3.1.7.1). Part of ``transform_post``.

A chunk whose summary fails is a row with a code; the next run tries it again when that may help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa

from rag_assets.context import StageContext
from rag_assets.enrichment.summarizer import PROMPT_PROFILE, Summarizer
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.part_failures import PartFailures
from rag_assets.service_health import ServiceHealth, may_pass
from rag_assets.sidecar_cache import SidecarCache
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.tables import SUMMARIES
from rag_query.contracts.trace import EventKind
from rag_query.text.ids import profile_id
from rag_query.text.pictures import only_pictures
from rag_query.tracing.context import count, event

TABLE = "summaries"
_CHUNK = ["version_id", "doc_id", "chunk_id", "section_path", "chunk_text", "chunk_fingerprint"]


def run(ctx: StageContext, shard: str) -> StageResult | None:
    """Bring the shard's ``summaries`` up to date; None when there are none and were none."""
    summarizer: Summarizer = ctx.strategy.build("summarizer", llm=ctx.strategy.build("llm"))
    if not summarizer.active and ctx.store.recorded(TABLE, shard) is None:
        return None
    work = _Summarizing(ctx, shard, summarizer)
    sizes = ctx.text_bytes(shard)
    again = ctx.to_retry(TABLE, shard)
    result = run_incremental(
        ctx.store,
        TABLE,
        shard,
        work.wanted(),
        work.summarize,
        again=again,
        sizes=sizes,
        details=work.details,
    )
    work.report()
    return result


class _Summarizing:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str, summarizer: Summarizer) -> None:
        self._ctx = ctx
        self._shard = shard
        self._summarizer = summarizer
        self._policy = summarizer.policy
        stages = [ctx.strategy.profile_id(stage) for stage in ("summarizer", "llm")]
        self._profile = profile_id([PROMPT_PROFILE, *stages])
        folder = ctx.home.sidecar_cache / "summaries" / self._profile[:16]
        self._cache = SidecarCache(folder)
        self._chunks = ctx.store.versions("chunks", shard, _CHUNK)
        self._health = ServiceHealth(self._policy.give_up_after)
        self._counts: Counter[str] = Counter()
        self._wanted: dict[str, str] = {}
        self._failures = PartFailures()

    def wanted(self) -> dict[str, str]:
        """Fingerprints: the version's chunks."""
        if not self._summarizer.active:
            return {}
        head = self._ctx.store.head("chunks", self._shard)
        chunks = head.inputs if head else {}
        self._wanted = {
            version: input_fingerprint(self._profile, chunks[version])
            for version in self._ctx.live_ids(self._shard)
            if version in chunks
        }
        return self._wanted

    def summarize(self, todo: Sequence[str]) -> pa.Table:
        """Rows of ``summaries`` of some versions."""
        chunks = self._chunks.of(todo)
        wanted = [
            row
            for row in chunks.to_pylist()
            if len(row["chunk_text"]) >= max(self._policy.min_chars, 1)
            and not only_pictures(row["chunk_text"])
        ]
        with ThreadPoolExecutor(self._policy.parallel) as threads:
            answers = [threads.submit(self._row, chunk) for chunk in wanted]
            try:
                rows = [answer.result() for answer in answers]
            finally:
                threads.shutdown(wait=True, cancel_futures=True)
        for row in rows:
            self._counts[row["status"]] += 1
            if row["status"] == "failed":
                self._failures.add(row["code"], chunk_id=row["chunk_id"])
        failed = ((row["version_id"], row["chunk_id"]) for row in rows if row["retry"])
        leave_unsettled(self._wanted, failed)
        return pa.Table.from_pylist(rows, schema=SUMMARIES)

    def report(self) -> None:
        """Emit what was summarised."""
        if self._counts:
            event(
                EventKind.SUMMARY_GENERATED,
                **self._counts,
                failed_codes=dict(self._failures.codes),
                failed_chunks=self._failures.listed,
                llm_provider_id=self._summarizer.provider_id,
                model_id=self._summarizer.model,
                prompt_profile_id=PROMPT_PROFILE,
            )
            count(summary_success=self._counts["ready"], summary_failed=self._counts["failed"])

    def details(self) -> dict[str, object]:
        """Failures of this run, for the materialisation's metadata."""
        return self._failures.details("failed_summaries")

    def _row(self, chunk: dict[str, Any]) -> dict[str, Any]:
        key = profile_id([self._profile, chunk["section_path"], chunk["chunk_fingerprint"]])
        row = {name: chunk[name] for name in ("version_id", "doc_id", "chunk_id")} | {
            "retry": False,
            "llm_provider_id": self._ctx.strategy.stage("llm").provider,
            "model_id": self._summarizer.model,
            "prompt_profile_id": PROMPT_PROFILE,
            "cache_key": key,
            "summarizer_profile_id": self._profile,
        }
        try:
            held = self._cache.get(key) or self._asked(chunk, key)
        except ExcerptaError as error:
            return row | {
                "status": "failed",
                "code": str(error.code),
                "message": error.message,
                "retry": may_pass(error),
            }
        return row | {"status": "ready", **held}

    def _asked(self, chunk: dict[str, Any], key: str) -> dict[str, Any]:
        found = self._health.ask(
            lambda: self._summarizer.summarize(chunk["section_path"], chunk["chunk_text"])
        )
        held = {"summary": found.summary, "model_version": found.model_version}
        self._cache.put(key, held)
        return held
