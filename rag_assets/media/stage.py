"""The ``media`` stage: what the documents of a shard refer to, as content of the library.

Images are opened in child processes, for the same reasons documents are. An image that cannot be
had is a row with status ``failed``; the document keeps its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.loading.jobs import Job, Outcome
from rag_assets.loading.parse import RawBytes
from rag_assets.loading.pool import shared_pool
from rag_assets.media.base import DocumentMedia, Resolved
from rag_assets.media.fetch import TARGET
from rag_assets.media.origins import is_local, local_file
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import MEDIA
from rag_query.contracts.trace import EventKind
from rag_query.library.settings import load_sources
from rag_query.text.ids import canonical_json, profile_id
from rag_query.tracing.context import count, event

#: Columns of ``media`` that are the reference's own.
_OF_REFERENCE = (
    "alt order page x0 y0 x1 y1 heading_path line_start line_end".split()  # noqa: SIM905
)
#: And those of what it leads to.
_OF_CONTENT = "status code message asset_id mime bytes width height has_thumb".split()  # noqa: SIM905
#: Longer references (data URIs) are cut in ``media``; the facts hold them whole.
_MAX_ORIGIN = 300


def run(ctx: StageContext, shard: str) -> StageResult:
    """Resolve references of versions that are new, or whose image files changed."""
    work = _Resolving(ctx, shard)
    result = run_incremental(
        ctx.store,
        "media",
        shard,
        work.wanted(),
        work.resolve,
        again=ctx.to_retry("media", shard),
        details=work.details,
    )
    work.report()
    return result


class _Resolving:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._stage = ctx.strategy.stage("asset_normalize")
        self._roots = {root.name: root.path for root in load_sources(ctx.home).roots}
        self._documents = _ready_documents(ctx, shard)
        self._counts: Counter[str] = Counter()
        self._wanted: dict[str, str] = {}
        self._missing: list[tuple[str, str]] = []

    def wanted(self) -> dict[str, str]:
        """Fingerprints: the document, and size and time of the image files it names."""
        limits = self._ctx.settings.limits
        bounds = profile_id([limits.max_image_pixels, limits.max_file_bytes])
        profile = self._ctx.strategy.profile_id("asset_normalize")
        self._wanted = {
            version: input_fingerprint(
                profile,
                document["file_sha256"],
                document["md_sha256"],
                bounds,
                *self._files(document),
            )
            for version, document in self._documents.items()
        }
        return self._wanted

    def resolve(self, todo: Sequence[str]) -> pa.Table:
        """Rows of ``media`` of some versions."""
        documents = {v: self._documents[v] for v in todo if self._documents[v]["media_refs"]}
        held = self._held(documents)
        rows: dict[str, list[dict[str, Any]]] = {}
        jobs = [self._job(version, document) for version, document in documents.items()]
        for job, outcome in shared_pool(self._ctx.settings.limits).run(jobs):
            rows[job.key] = self._settled(self._rows(documents[job.key], outcome), held)
        leave_unsettled(self._wanted, self._missing)
        self._missing.clear()
        ordered = [row for version in documents for row in rows[version]]
        return pa.Table.from_pylist(ordered, schema=MEDIA)

    def _held(self, versions: Iterable[str]) -> dict[tuple[str, str, str], dict[str, Any]]:
        """Images the library has, by version and reference."""
        stored = self._ctx.store.versions("media", self._shard).of(list(versions))
        return {_key(row): row for row in stored.to_pylist() if row["status"] == "ready"}

    def _settled(
        self, rows: Iterable[dict[str, Any]], held: dict[tuple[str, str, str], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Rows of a version. A remote image that cannot be had now stays as it was; without one
        the next run tries again."""
        settled = []
        for row in rows:
            if row.get("code") != ErrorCode.REMOTE_UNAVAILABLE:
                settled.append(row)
            elif (before := held.get(_key(row))) is not None:
                settled.append(row | {name: before[name] for name in _OF_CONTENT})
            else:
                settled.append(row)
                self._missing.append((row["version_id"], row["ref_id"]))
        return settled

    def details(self) -> dict[str, object]:
        """Counts of this run, for the materialisation's metadata."""
        return {name: self._counts[name] for name in ("ready", "failed", "new", "reused")}

    def report(self) -> None:
        """Emit the manifest of what was resolved."""
        if self._counts:
            event(EventKind.ASSETS_MANIFEST, **self._counts)
            count(assets_ready=self._counts["ready"], assets_failed=self._counts["failed"])

    def _files(self, document: dict[str, Any]) -> Iterable[str]:
        for ref in document["media_refs"]:
            if ref["source_type"] != "pdf" and is_local(ref["origin_ref"]):
                try:
                    path = local_file(*self._place(document), ref["origin_ref"])
                    stat = path.stat()
                    yield f"{stat.st_size}:{stat.st_mtime_ns}"
                except (ExcerptaError, OSError):
                    yield "-"

    def _place(self, document: dict[str, Any]) -> tuple[str | None, str]:
        folder = PurePosixPath(document["rel_path"]).parent
        return self._roots.get(document["root"]), str(folder)

    def _job(self, version: str, document: dict[str, Any]) -> Job:
        limits = self._ctx.settings.limits
        root, folder = self._place(document)
        raw = RawBytes(
            str(self._ctx.home.raw_file(document["raw_sha256"])),
            document["raw_offset"] or 0,
            document["raw_length"] or 0,
        )
        task = DocumentMedia(
            home=str(self._ctx.home.root),
            raw=raw,
            root=root,
            folder=folder,
            references=[(ref["ref_id"], ref["origin_ref"]) for ref in document["media_refs"]],
            max_pixels=limits.max_image_pixels,
            max_bytes=limits.max_file_bytes,
        )
        arguments = (self._stage.provider, canonical_json(self._stage.params), task)
        return Job(version, TARGET, arguments, 50_000 * len(task.references))

    def _rows(self, document: dict[str, Any], outcome: Outcome) -> Iterable[dict[str, Any]]:
        if outcome.error is not None:
            results = [
                Resolved(ref["ref_id"], None, outcome.error) for ref in document["media_refs"]
            ]
        else:
            results = outcome.value
        for ref, resolved in zip(document["media_refs"], results, strict=True):
            row = {name: ref[name] for name in _OF_REFERENCE}
            row |= {
                "version_id": document["version_id"],
                "doc_id": document["doc_id"],
                "ref_id": ref["ref_id"],
                "origin_ref": _short(ref["origin_ref"]),
                "has_thumb": False,
            }
            if resolved.stored is not None:
                stored = resolved.stored
                self._counts["ready"] += 1
                self._counts["new" if stored.is_new else "reused"] += 1
                row |= {
                    "status": "ready",
                    "asset_id": stored.asset_id,
                    "mime": stored.mime,
                    "bytes": stored.size,
                    "width": stored.width,
                    "height": stored.height,
                    "has_thumb": stored.has_thumb,
                }
            elif resolved.error is not None:
                self._counts["failed"] += 1
                row |= {
                    "status": "failed",
                    "code": str(resolved.error.code),
                    "message": resolved.error.message,
                }
            yield row


def _ready_documents(ctx: StageContext, shard: str) -> dict[str, dict[str, Any]]:
    """Live versions that were parsed, with their media references."""
    parsed = ctx.store.read("parsed", shard, ["version_id", "status", "md_sha256", "media_refs"])
    parsed = parsed.filter(pc.equal(parsed["status"], "ready"))
    facts = {row["version_id"]: row for row in parsed.to_pylist()}
    versions = ctx.live_versions(shard)
    if not versions.num_rows:
        return {}
    columns = ["version_id", "doc_id", "root", "rel_path", "file_sha256"]
    columns += ["raw_sha256", "raw_offset", "raw_length"]
    return {
        row["version_id"]: row | facts[row["version_id"]]
        for row in versions.select(columns).to_pylist()
        if row["version_id"] in facts
    }


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["version_id"], row["ref_id"], row["origin_ref"]


def _short(origin: str) -> str:
    return origin if len(origin) <= _MAX_ORIGIN else origin[:_MAX_ORIGIN] + "…"
