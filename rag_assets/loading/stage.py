"""The ``parsed`` stage: raw bytes to facts, one document at a time, in child processes.

A document that cannot be read is a row with status ``failed``; it is tried again when its bytes,
the loader's profile or the limits change, when the run is asked to, and by the next run where the
disk and not the document was at fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.advice import advised
from rag_assets.child_processes.jobs import Job, Outcome
from rag_assets.child_processes.pool import shared_pool
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.loading.base import LoadRequest
from rag_assets.loading.parse import TARGET, ParsedColumns, RawBytes
from rag_assets.part_failures import PartFailures
from rag_query.contracts.columns import ANCHOR
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import PARSED
from rag_query.contracts.trace import EventKind
from rag_query.providers.registry import REGISTRY
from rag_query.text.ids import canonical_json, profile_id
from rag_query.tracing.context import count, event

_COLUMNS = (
    "version_id",
    "doc_id",
    "format",
    "name",
    "file_sha256",
    "raw_sha256",
    "raw_offset",
    "raw_length",
)
#: The library's copy of the bytes is at fault; the next inventory makes it again.
_OF_THE_BYTES = (ErrorCode.FILE_CHANGED, ErrorCode.FILE_MISSING)
#: Failed documents listed in the details of a run.
_MAX_LISTED = 50


def run(ctx: StageContext, shard: str) -> StageResult:
    """Parse the shard's live versions that are new, or whose loader or limits changed."""
    work = _Parsing(ctx, shard)
    rows = ctx.live_versions(shard, _COLUMNS).to_pylist()
    documents = {str(row["version_id"]): row for row in rows}
    limits = ctx.settings.limits
    bounds = profile_id([limits.max_pages, limits.parse_timeout_s, limits.parse_memory_bytes])
    wanted = {
        version: input_fingerprint(
            work.profile(row["format"]),
            row["file_sha256"],
            PurePosixPath(row["name"]).suffix,
            bounds,
        )
        for version, row in documents.items()
    }

    def parse(todo: Sequence[str]) -> pa.Table:
        rows = work.parse([documents[version] for version in todo])
        leave_unsettled(wanted, ((version, "bytes") for version in work.may_pass))
        work.may_pass.clear()
        return rows

    result = run_incremental(
        ctx.store,
        "parsed",
        shard,
        wanted,
        parse,
        again=ctx.to_retry("parsed", shard),
        sizes=ctx.text_bytes(shard),
        details=work.details,
    )
    work.report()
    return result


class _Parsing:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._profiles: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()
        self._failed: list[dict[str, str]] = []
        self._warned = PartFailures()
        #: Versions that the next run may be able to read as they are.
        self.may_pass: set[str] = set()

    def profile(self, format_: str) -> str:
        """Profile of the loader the strategy names for a format."""
        if format_ not in self._profiles:
            self._profiles[format_] = self._ctx.strategy.profile_id(f"loader_{format_}")
        return self._profiles[format_]

    def parse(self, documents: Sequence[dict[str, Any]]) -> pa.Table:
        """Rows of ``parsed``, one for each document, in their order."""
        by_version = {document["version_id"]: document for document in documents}
        cells: dict[str, dict[str, Any]] = {}
        results: dict[str, ParsedColumns] = {}
        jobs = [self._job(document) for document in documents]
        # While other processes parse. New documents have texts to embed, as a rule.
        self._ctx.load_embedder()
        for job, outcome in shared_pool(self._ctx.settings.limits).run(jobs):
            cells[job.key] = self._cells(by_version[job.key], outcome)
            if outcome.error is None:
                results[job.key] = outcome.value
        order = list(by_version)
        return _table([cells[v] for v in order], [results.get(v) for v in order])

    def details(self) -> dict[str, object]:
        """For the materialisation's metadata: all rows of the shard by status and code, and what
        of them is of this run."""
        rows = self._ctx.store.read("parsed", self._shard, ["status", "code"])
        failed = rows.filter(pc.equal(rows["status"], "failed"))
        return {
            "ready": rows.num_rows - failed.num_rows,
            "failed": failed.num_rows,
            "failed_codes": dict(sorted(Counter(failed["code"].to_pylist()).items())),
            "newly_ready": self._counts["ready"],
            "newly_failed": self._counts["failed"],
            "failed_documents": self._failed[:_MAX_LISTED],
            **self._warned.details("loader_warnings"),
        }

    def report(self) -> None:
        """Emit the summary of what was parsed."""
        if self._counts:
            event(EventKind.PARSE_SUMMARY, **self._counts, failed_codes=dict(self._codes))
            count(documents_parsed=self._counts["ready"], documents_failed=self._counts["failed"])

    def _job(self, document: dict[str, Any]) -> Job:
        stage = self._ctx.strategy.stage(f"loader_{document['format']}")
        raw = RawBytes(
            str(self._ctx.home.raw_file(document["raw_sha256"])),
            document["raw_offset"] or 0,
            document["raw_length"] or 0,
        )
        request = LoadRequest(document["name"], self._ctx.settings.limits.max_pages)
        arguments = (stage.provider, canonical_json(stage.params), raw, request)
        return Job(document["version_id"], TARGET, arguments, raw.length)

    def _cells(self, document: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
        profile = self.profile(document["format"])
        fixed = {
            "version_id": document["version_id"],
            "doc_id": document["doc_id"],
            "parse_profile_id": profile,
        }
        if outcome.error is not None:
            self._note_failure(document, outcome.error)
            if outcome.error.transient or outcome.error.code in _OF_THE_BYTES:
                self.may_pass.add(document["version_id"])
            return fixed | self._failed_cells(document["format"], outcome.error)
        parsed: ParsedColumns = outcome.value
        self._counts["ready"] += 1
        self._counts["images"] += parsed.images
        self._counts["text_chars"] += parsed.text_chars
        self._counts["pages"] += parsed.cells["pages"] or 0
        self._counts["with_warnings"] += bool(parsed.cells["warnings"])
        for warning in parsed.cells["warnings"]:
            code = warning.partition(":")[0]
            self._warned.add(code, document=document["name"], warning=warning)
        return fixed | parsed.cells | {"status": "ready"}

    def _failed_cells(self, format_: str, error: ExcerptaError) -> dict[str, Any]:
        provider = self._ctx.strategy.stage(f"loader_{format_}").provider
        return {
            "status": "failed",
            "code": str(error.code),
            "message": advised(error.code, error.message, error.hint),
            "tags": [],
            "warnings": [],
            "loader_name": provider,
            "loader_version": REGISTRY.get(provider).version,
            "parser_engine": "",
            "engine_version": "",
        }

    def _note_failure(self, document: dict[str, Any], error: ExcerptaError) -> None:
        code = str(error.code)
        self._counts["failed"] += 1
        self._codes[code] += 1
        self._failed.append({"name": document["name"], "code": code, "message": error.message})
        event(
            EventKind.DOCUMENT_FAILED,
            doc_id=document["doc_id"],
            version_id=document["version_id"],
            name=document["name"],
            code=code,
            message=error.message,
        )


def _table(cells: list[dict[str, Any]], results: list[ParsedColumns | None]) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for column in PARSED:
        if column.name == "anchors":
            columns[column.name] = _anchors(results)
        elif column.name == "media_refs":
            refs = [[ref._asdict() for ref in r.media_refs] if r else [] for r in results]
            columns[column.name] = pa.array(refs, column.type)
        else:
            columns[column.name] = pa.array([row.get(column.name) for row in cells], column.type)
    return pa.table(columns, schema=PARSED)


def _anchors(results: list[ParsedColumns | None]) -> pa.Array:
    lengths = [len(result.anchors[0]) if result else 0 for result in results]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int32)
    members = []
    for number, member in enumerate(ANCHOR):
        dtype = np.int32 if number < 3 else np.float32
        parts = [np.frombuffer(r.anchors[number], dtype) for r in results if r and r.anchors[0]]
        joined = np.concatenate(parts) if parts else np.empty(0, dtype)
        members.append(pa.array(joined, member.type, from_pandas=True))
    return pa.ListArray.from_arrays(
        pa.array(offsets), pa.StructArray.from_arrays(members, fields=list(ANCHOR))
    )
