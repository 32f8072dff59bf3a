"""The ``media`` stage: what the documents of a shard refer to, as content of the library.

Images are opened in child processes, for the same reasons documents are, a few in one job. Where
a job runs out of time or memory or ends its child, its images are tried one by one, so that one
heavy image costs no other. An image that cannot be had is a row with status ``failed``; the
document keeps its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.child_processes.jobs import Job, Outcome
from rag_assets.child_processes.pool import shared_pool
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.loading.parse import RawBytes
from rag_assets.media.base import DocumentMedia, Resolved, Stored
from rag_assets.media.fetch import TARGET
from rag_assets.media.origins import is_local, local_file
from rag_assets.media.remote import is_remote
from rag_assets.media.root_images import RootImages
from rag_assets.part_failures import PartFailures
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.tables import MEDIA
from rag_query.contracts.trace import EventKind
from rag_query.library.sources import load_sources
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
#: What a trace shows of one.
_MAX_LISTED = 80
#: Images of one job.
_TOGETHER = 8
_WEIGHT = 50_000
#: Share of the time a job may last that fetching may take.
_REMOTE_SHARE = 0.8
#: Failures of a job that one of its images may have caused for the others.
_OF_ONE = frozenset({ErrorCode.PARSER_TIMEOUT, ErrorCode.PARSER_MEMORY, ErrorCode.PARSER_CRASHED})
#: What an origin leads to: content, or the reason why there is none.
_Found = Stored | ExcerptaError


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


@dataclass(frozen=True, slots=True)
class _Share:
    """References of a version that are resolved in one job; every origin once.

    Attributes:
        references: as in :class:`DocumentMedia`, and so ``remote_s``.
    """

    version: str
    references: tuple[tuple[str, str], ...]
    remote_s: float

    def singly(self) -> Iterator[_Share]:
        """Each reference by itself; together they take no longer than before."""
        each = self.remote_s / len(self.references)
        return (_Share(self.version, (reference,), each) for reference in self.references)


class _Resolving:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._stage = ctx.strategy.stage("asset_normalize")
        roots = load_sources(ctx.home).roots
        self._roots = {root.name: root.path for root in roots}
        self._images = {
            root.name: RootImages(Path(root.path), ctx.home.root) for root in roots if root.whole
        }
        self._documents = _ready_documents(ctx, shard)
        self._counts: Counter[str] = Counter()
        self._failures = PartFailures()
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
        held = self._stored_images(documents)
        found = self._resolved(documents)
        rows = [
            row
            for version, document in documents.items()
            for row in self._settled(self._rows(document, found[version]), held)
        ]
        leave_unsettled(self._wanted, self._missing)
        self._missing.clear()
        return pa.Table.from_pylist(rows, schema=MEDIA)

    def _resolved(self, documents: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, _Found]]:
        """By version, what each origin leads to."""
        found: dict[str, dict[str, _Found]] = {version: {} for version in documents}
        shares = [
            share
            for version, document in documents.items()
            for share in self._shares(version, document, found[version])
        ]
        apart: list[_Share] = []
        for share, outcome in self._run(shares):
            error = outcome.error
            if error is not None and error.code in _OF_ONE and len(share.references) > 1:
                apart.extend(share.singly())
            else:
                found[share.version].update(_by_origin(share, outcome))
        for share, outcome in self._run(apart):
            found[share.version].update(_by_origin(share, outcome))
        return found

    def _shares(
        self, version: str, document: dict[str, Any], found: dict[str, _Found]
    ) -> Iterator[_Share]:
        """What a document refers to, dealt to jobs; local files that are not there are settled
        here, into ``found``. All remote images are in the first, so that one budget holds them."""
        near: list[tuple[str, str]] = []
        remote: list[tuple[str, str]] = []
        seen: set[str] = set()
        for ref in document["media_refs"]:
            origin = ref["origin_ref"]
            if origin in seen:
                continue
            seen.add(origin)
            if is_remote(origin):
                remote.append((ref["ref_id"], origin))
            elif (error := self._not_there(document, origin)) is not None:
                found[origin] = error
            else:
                near.append((ref["ref_id"], origin))
        remote_s = _REMOTE_SHARE * self._ctx.settings.limits.parse_timeout_s
        start = max(0, _TOGETHER - len(remote))
        if first := (*remote, *near[:start]):
            yield _Share(version, first, remote_s)
        for at in range(start, len(near), _TOGETHER):
            yield _Share(version, tuple(near[at : at + _TOGETHER]), remote_s)

    def _not_there(self, document: dict[str, Any], origin: str) -> ExcerptaError | None:
        if not is_local(origin):
            return None
        try:
            local_file(*self._place(document), self._address(document, origin))
        except (ExcerptaError, OSError) as exc:
            return classify(exc)
        return None

    def _address(self, document: dict[str, Any], origin: str) -> str:
        """``origin``, or what it means from the root on when a Markdown document has no such image
        beside it."""
        images = self._images.get(document["root"])
        if document["format"] != "markdown" or images is None or not is_local(origin):
            return origin
        try:
            local_file(*self._place(document), origin)
        except ExcerptaError as exc:
            missing = exc.code is ErrorCode.ASSET_NOT_FOUND
            return (images.address(origin) if missing else None) or origin
        except OSError:
            return origin
        return origin

    def _run(self, shares: Sequence[_Share]) -> Iterator[tuple[_Share, Outcome]]:
        jobs = [self._job(str(number), share) for number, share in enumerate(shares)]
        for job, outcome in shared_pool(self._ctx.settings.limits).run(jobs):
            yield shares[int(job.key)], outcome

    def _stored_images(self, versions: Iterable[str]) -> dict[tuple[str, str, str], dict[str, Any]]:
        """Images the library has, by version and reference."""
        stored = self._ctx.store.versions("media", self._shard, own=True).of(list(versions))
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
        """Counts and failures of this run, for the materialisation's metadata."""
        names = ("ready", "failed", "not_fetched", "new", "reused")
        counts = {name: self._counts[name] for name in names}
        return counts | {"assets_total": self._total()} | self._failures.details("failed_images")

    def report(self) -> None:
        """Emit the manifest of what was resolved."""
        if self._counts:
            ready, failed = self._counts["ready"], self._counts["failed"]
            event(
                EventKind.ASSETS_MANIFEST,
                **self._counts,
                assets_total=self._total(),
                failed_assets=self._failures.listed,
            )
            count(assets_total=self._total(), assets_ready=ready, assets_failed=failed)

    def _total(self) -> int:
        return sum(self._counts[name] for name in ("ready", "failed", "not_fetched"))

    def _files(self, document: dict[str, Any]) -> Iterable[str]:
        for ref in document["media_refs"]:
            if ref["source_type"] != "pdf" and is_local(ref["origin_ref"]):
                try:
                    address = self._address(document, ref["origin_ref"])
                    path = local_file(*self._place(document), address)
                    stat = path.stat()
                    yield f"{stat.st_size}:{stat.st_mtime_ns}"
                except (ExcerptaError, OSError):
                    yield "-"

    def _place(self, document: dict[str, Any]) -> tuple[str | None, str]:
        folder = PurePosixPath(document["rel_path"]).parent
        return self._roots.get(document["root"]), str(folder)

    def _job(self, key: str, share: _Share) -> Job:
        limits = self._ctx.settings.limits
        document = self._documents[share.version]
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
            references=[(ref, self._address(document, at)) for ref, at in share.references],
            max_pixels=limits.max_image_pixels,
            max_bytes=limits.max_file_bytes,
            remote_s=share.remote_s,
        )
        arguments = (self._stage.provider, canonical_json(self._stage.params), task)
        return Job(key, TARGET, arguments, _WEIGHT * len(task.references))

    def _rows(
        self, document: dict[str, Any], found: Mapping[str, _Found]
    ) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        for ref in document["media_refs"]:
            origin = ref["origin_ref"]
            resolved = found[origin]
            row = {name: ref[name] for name in _OF_REFERENCE}
            row |= {
                "version_id": document["version_id"],
                "doc_id": document["doc_id"],
                "ref_id": ref["ref_id"],
                "origin_ref": _short(origin, _MAX_ORIGIN),
                "has_thumb": False,
            }
            if isinstance(resolved, Stored):
                stored = resolved
                self._counts["ready"] += 1
                first = stored.is_new and origin not in seen
                self._counts["new" if first else "reused"] += 1
                seen.add(origin)
                row |= {
                    "status": "ready",
                    "asset_id": stored.asset_id,
                    "mime": stored.mime,
                    "bytes": stored.size,
                    "width": stored.width,
                    "height": stored.height,
                    "has_thumb": stored.has_thumb,
                }
            else:
                self._count_missing(resolved.code, document["name"], origin)
                code = str(resolved.code)
                row |= {"status": "failed", "code": code, "message": resolved.message}
            yield row

    def _count_missing(self, code: ErrorCode, document: str, origin: str) -> None:
        # What the strategy does not ask for is nothing that went wrong.
        if code is ErrorCode.REMOTE_NOT_FETCHED:
            self._counts["not_fetched"] += 1
        else:
            self._counts["failed"] += 1
            reference = _short(origin, _MAX_LISTED)
            self._failures.add(str(code), document=document, reference=reference)


def _ready_documents(ctx: StageContext, shard: str) -> dict[str, dict[str, Any]]:
    """Live versions that were parsed, with their media references."""
    parsed = ctx.store.read("parsed", shard, ["version_id", "status", "md_sha256", "media_refs"])
    parsed = parsed.filter(pc.equal(parsed["status"], "ready"))
    facts = {row["version_id"]: row for row in parsed.to_pylist()}
    columns = ["version_id", "doc_id", "name", "format", "root", "rel_path", "file_sha256"]
    columns += ["raw_sha256", "raw_offset", "raw_length"]
    return {
        row["version_id"]: row | facts[row["version_id"]]
        for row in ctx.live_versions(shard, columns).to_pylist()
        if row["version_id"] in facts
    }


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["version_id"], row["ref_id"], row["origin_ref"]


def _by_origin(share: _Share, outcome: Outcome) -> dict[str, _Found]:
    """What the origins of a job lead to."""
    if outcome.error is not None:
        return {origin: outcome.error for _, origin in share.references}
    results: list[Resolved] = outcome.value
    found = {}
    for (_, origin), resolved in zip(share.references, results, strict=True):
        one = resolved.stored or resolved.error
        assert one is not None  # the contract of Resolved
        found[origin] = one
    return found


def _short(origin: str, length: int) -> str:
    return origin if len(origin) <= length else origin[:length] + "…"
