"""``parsed`` + ``media`` -> the sidecar ``ocr``: text read from pages and images (DEV_SPEC 3.6.4).

Part of the stage ``transform_post``. Pictures are read in child processes, for the same reasons
documents are parsed there. A page or image that cannot be read is a row with a code; the document
keeps everything else. Where the engine was at fault (it was not there, or had no memory) the next
run tries it again; what was read before comes from the cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from rag_assets.child_processes.jobs import Job, Outcome
from rag_assets.child_processes.pool import ProcessPool
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.loading.parse import RawBytes
from rag_assets.ocr.base import OcrParams
from rag_assets.ocr.read import TARGET, ReadTask, UnitText
from rag_assets.ocr.units import Unit, units_of
from rag_assets.part_failures import PartFailures
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import OCR
from rag_query.contracts.trace import EventKind
from rag_query.providers.registry import REGISTRY
from rag_query.text.ids import canonical_json, profile_id
from rag_query.tracing.context import count, event

TABLE = "ocr"
_PARSED = ["version_id", "status", "md", "pages", "anchors", "media_refs", "parse_summary"]
_MEDIA = ["version_id", "asset_id", "mime", "width", "height", "page"]
_RAW = ["version_id", "doc_id", "name", "raw_sha256", "raw_offset", "raw_length"]
#: Raised when other pages or images of a document are read; what was read of them stays cached.
SELECTION_VERSION = "2"
#: So large that child processes are given one page or image at a time.
_WEIGHT = 200_000


def run(ctx: StageContext, shard: str) -> StageResult | None:
    """Bring the shard's ``ocr`` rows up to date; None when nothing is read and nothing was."""
    work = _Reading(ctx, shard)
    if work.policy.read == "off" and ctx.store.recorded(TABLE, shard) is None:
        return None
    result = run_incremental(
        ctx.store,
        TABLE,
        shard,
        work.wanted(),
        work.read,
        again=ctx.to_retry(TABLE, shard),
        sizes=ctx.text_bytes(shard),
        details=work.details,
    )
    work.report()
    return result


class _Reading:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._stage = ctx.strategy.stage("ocr")
        policy = REGISTRY.params(self._stage.provider, self._stage.params)
        assert isinstance(policy, OcrParams)
        self.policy = policy
        self._profile = ctx.strategy.profile_id("ocr")
        self._counts: Counter[str] = Counter()
        self._failures = PartFailures()
        self._limited = PartFailures()
        self._wanted: dict[str, str] = {}
        self._parsed = ctx.store.versions("parsed", shard, _PARSED)
        self._media = ctx.store.versions("media", shard, _MEDIA)
        self._may_pass: list[tuple[str, str]] = []

    def wanted(self) -> dict[str, str]:
        """Fingerprints: what the version's facts and media were made from."""
        if self.policy.read == "off":
            return {}
        heads = [self._ctx.store.head(table, self._shard) for table in ("parsed", "media")]
        parsed, media = ({} if head is None else head.inputs for head in heads)
        self._wanted = {
            version: input_fingerprint(
                SELECTION_VERSION, self._profile, parsed[version], media.get(version)
            )
            for version in self._ctx.live_ids(self._shard)
            if version in parsed
        }
        return self._wanted

    def read(self, todo: Sequence[str]) -> pa.Table:
        """Rows of ``ocr`` of some versions, in their order."""
        # Says at once, and not once a page, that the engine is not there.
        self._ctx.strategy.build("ocr")
        units = list(self._units(todo))
        rows: dict[str, dict[str, Any]] = {}
        limits = self._ctx.settings.limits
        jobs = [self._job(number, raw, unit) for number, (raw, unit) in enumerate(units)]
        pool = ProcessPool(self.policy.workers, self.policy.timeout_s, limits.parse_memory_bytes)
        try:
            for job, outcome in pool.run(jobs):
                raw, unit = units[int(job.key)]
                rows[job.key] = self._row(raw, unit, outcome)
        finally:
            # A child holds the models; what comes next needs the memory.
            pool.close()
        leave_unsettled(self._wanted, self._may_pass)
        self._may_pass.clear()
        ordered = [rows[job.key] for job in jobs]
        return pa.Table.from_pylist(ordered, schema=OCR)

    def report(self) -> None:
        """Emit what was read."""
        if self._counts:
            event(EventKind.OCR_GENERATED, **self._counts, failed_units=self._failures.listed)
            count(ocr_success=self._counts["ready"], ocr_failed=self._counts["failed"])

    def details(self) -> dict[str, object]:
        """What of this run failed or was left out, for the materialisation's metadata."""
        return self._failures.details("failed_ocr") | self._limited.details("limited_ocr")

    def _units(self, todo: Sequence[str]) -> Iterator[tuple[dict[str, Any], Unit]]:
        parsed = self._parsed.of(todo)
        media: dict[str, list[dict[str, Any]]] = {}
        for row in self._media.of(todo).to_pylist():
            if row["asset_id"] is not None:
                media.setdefault(row["version_id"], []).append(row)
        raws = self._ctx.live_versions(self._shard, _RAW).to_pylist()
        raw_of = {row["version_id"]: row for row in raws}
        anchors = parsed.column("anchors").combine_chunks()
        rows = parsed.drop_columns(["anchors"]).to_pylist()
        for number, row in enumerate(rows):
            if row["status"] != "ready":
                continue
            own = anchors[number].values if anchors[number].is_valid else None
            version = row["version_id"]
            chosen = units_of(row, own, media.get(version, ()), self.policy)
            if left_out := chosen.left_out:
                self._limited.add("OCR_LIMIT", left_out, document=raw_of[version]["name"])
                event(EventKind.WARNING, code="OCR_LIMIT", version_id=version, left_out=left_out)
            for unit in chosen.units:
                yield raw_of[version], unit

    def _job(self, number: int, raw: dict[str, Any], unit: Unit) -> Job:
        task = ReadTask(
            home=str(self._ctx.home.root),
            raw=RawBytes(
                str(self._ctx.home.raw_file(raw["raw_sha256"])),
                raw["raw_offset"] or 0,
                raw["raw_length"] or 0,
            ),
            unit=unit,
            engine_profile_id=engine_profile_id(self._stage.provider, self.policy),
        )
        arguments = (self._stage.provider, canonical_json(self._stage.params), task)
        return Job(str(number), TARGET, arguments, _WEIGHT)

    def _row(self, raw: dict[str, Any], unit: Unit, outcome: Outcome) -> dict[str, Any]:
        row: dict[str, Any] = {
            "version_id": raw["version_id"],
            "doc_id": raw["doc_id"],
            "unit": unit.key,
            "page": unit.page,
            "asset_id": unit.asset_id,
            "lines": [],
            "ocr_provider_id": self._stage.provider,
            "ocr_profile_id": self._profile,
        }
        if outcome.error is not None:
            self._counts["failed"] += 1
            code = str(outcome.error.code)
            version = raw["version_id"]
            self._failures.add(code, version_id=version, unit=unit.key)
            if _may_pass(outcome.error):
                self._may_pass.append((version, unit.key))
            return row | {"status": "failed", "code": code, "message": outcome.error.message}
        read: UnitText = outcome.value
        status = "ready" if read.lines else "empty"
        self._counts[status] += 1
        self._counts["cached"] += read.cached
        return row | _cells(read) | {"status": status}


def _may_pass(error: ExcerptaError) -> bool:
    """Whether the same picture may be read later: once the engine is there, or has more room."""
    return error.transient or error.code in (ErrorCode.MODEL_UNAVAILABLE, ErrorCode.PARSER_MEMORY)


def engine_profile_id(provider_id: str, policy: OcrParams) -> str:
    """Names what decides a reading of given pixels; what is read and how large is not part."""
    version = REGISTRY.get(provider_id).version
    shared = OcrParams.model_fields.keys() - {"min_confidence"}
    return profile_id([provider_id, version, policy.model_dump(mode="json", exclude=set(shared))])


def _cells(read: UnitText) -> dict[str, Any]:
    lines, at = [], 0
    for line in read.lines:
        lines.append(
            {
                "char_start": at,
                "char_end": at + len(line.text),
                "confidence": line.confidence,
                "x0": line.x0,
                "y0": line.y0,
                "x1": line.x1,
                "y1": line.y1,
            }
        )
        at += len(line.text) + 1
    length = sum(len(line.text) for line in read.lines)
    weighted = sum(len(line.text) * line.confidence for line in read.lines)
    return {
        "image_sha256": read.image_sha256,
        "width": read.width,
        "height": read.height,
        "rotation": read.rotation,
        "text": "\n".join(line.text for line in read.lines),
        "lines": lines,
        "confidence": weighted / length if length else None,
        "engine": read.engine,
        "engine_version": read.engine_version,
    }
