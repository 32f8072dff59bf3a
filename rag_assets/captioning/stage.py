"""``media`` + ``normalized`` -> the sidecar ``captions``: what images show (DEV_SPEC 3.6.6).

Part of the stage ``transform_post``. An image that cannot be described is a row with a code and
an empty description; the next run tries it again when that may help. An answer that does not fit
the profile an image was routed to is followed by one question with the generic profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from rag_assets.captioning.base import Captioner, CaptionPolicy, CaptionRequest
from rag_assets.captioning.context import local_context
from rag_assets.captioning.contract import fallback, stored
from rag_assets.captioning.prepare import TARGET, Prepared
from rag_assets.captioning.profiles import GENERIC, CaptionProfile, profile_of
from rag_assets.captioning.routing import route
from rag_assets.child_processes.jobs import Job
from rag_assets.child_processes.pool import shared_pool
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, leave_unsettled, run_incremental
from rag_assets.loading.pdf.file.references import lies_in_pdf
from rag_assets.part_failures import PartFailures
from rag_assets.service_health import ServiceHealth, may_pass
from rag_assets.sidecar_cache import SidecarCache
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.tables import CAPTIONS
from rag_query.contracts.trace import EventKind
from rag_query.library.media_type import NO_PIXELS
from rag_query.providers.llm.output import is_unfit, unfit_answer
from rag_query.text.ids import canonical_json, profile_id, sha256_text
from rag_query.tracing.context import count, event

TABLE = "captions"
_MEDIA = ["version_id", "doc_id", "asset_id", "mime", "width", "height", "alt", "origin_ref"]
_WEIGHT = 100_000
#: Images held in memory at once, as they are sent.
_AT_ONCE = 64
#: What a trace keeps of each caption (DEV_SPEC 3.6.6.6).
_TRACED = (
    "asset_id",
    "status",
    "code",
    "message",
    "image_type",
    "caption_provider_id",
    "model_id",
    "caption_profile_id",
    "context_scope",
    "context_hash",
)


def run(ctx: StageContext, shard: str) -> StageResult | None:
    """Bring the shard's ``captions`` up to date; None when nothing is described and nothing was."""
    captioner: Captioner = ctx.strategy.build("captioner")
    if not captioner.active and ctx.store.recorded(TABLE, shard) is None:
        return None
    work = _Captioning(ctx, shard, captioner)
    result = run_incremental(
        ctx.store,
        TABLE,
        shard,
        work.wanted(),
        work.describe,
        again=ctx.to_retry(TABLE, shard),
        sizes=ctx.text_bytes(shard),
        details=work.details,
    )
    work.report()
    return result


@dataclass(frozen=True, slots=True)
class _Image:
    """One image of a document version, to be described."""

    version_id: str
    doc_id: str
    asset_id: str
    said: str
    alt: str
    context: str


class _Captioning:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str, captioner: Captioner) -> None:
        self._ctx = ctx
        self._shard = shard
        self._captioner = captioner
        self._policy: CaptionPolicy = captioner.policy
        self._profile = ctx.strategy.profile_id("captioner")
        self._cache = SidecarCache(ctx.home.sidecar_cache / "captions" / self._profile[:16])
        self._health = ServiceHealth(self._policy.give_up_after)
        self._counts: Counter[str] = Counter()
        self._failures = PartFailures()
        self._limited = PartFailures()
        self._wanted: dict[str, str] = {}

    def wanted(self) -> dict[str, str]:
        """Fingerprints: the version's media, and its text where that is the context."""
        if not self._captioner.active:
            return {}
        media = self._inputs("media")
        texts = self._inputs("normalized") if self._policy.context_scope == "local" else {}
        self._wanted = {
            version: input_fingerprint(self._profile, media[version], texts.get(version))
            for version in self._ctx.live_ids(self._shard)
            if version in media
        }
        return self._wanted

    def describe(self, todo: Sequence[str]) -> pa.Table:
        """Rows of ``captions`` of some versions."""
        rows: list[dict[str, Any]] = []
        images = list(self._images(todo))
        with ThreadPoolExecutor(self._policy.parallel) as threads:
            for start in range(0, len(images), _AT_ONCE):
                group = images[start : start + _AT_ONCE]
                prepared = self._prepared({image.asset_id for image in group})
                answers = [
                    threads.submit(self._row, image, prepared[image.asset_id]) for image in group
                ]
                try:
                    for answer in answers:
                        rows.append(answer.result())
                        self._count_row(rows[-1])
                finally:
                    for answer in answers:
                        answer.cancel()
        failed = ((row["version_id"], row["asset_id"]) for row in rows if row["retry"])
        leave_unsettled(self._wanted, failed)
        return pa.Table.from_pylist(rows, schema=CAPTIONS)

    def report(self) -> None:
        """Count what was described."""
        count(caption_success=self._counts["ready"], caption_failed=self._counts["failed"])

    def details(self) -> dict[str, object]:
        """What of this run failed or was left out, for the materialisation's metadata."""
        failed = self._failures.details("failed_captions")
        return failed | self._limited.details("limited_captions")

    def _inputs(self, table: str) -> dict[str, str]:
        head = self._ctx.store.head(table, self._shard)
        return head.inputs if head else {}

    def _images(self, todo: Sequence[str]) -> Iterator[_Image]:
        texts: dict[str, str] = {}
        if self._policy.context_scope == "local":
            columns = ["version_id", "md_norm"]
            read = self._ctx.store.versions("normalized", self._shard, columns).of(todo)
            texts = {row["version_id"]: row["md_norm"] for row in read.to_pylist()}
        media = self._ctx.store.versions("media", self._shard, _MEDIA).of(todo)
        seen: dict[str, set[str]] = {}
        left_out: Counter[str] = Counter()
        for row in media.to_pylist():
            version, asset = row["version_id"], row["asset_id"]
            known = seen.setdefault(version, set())
            if asset in known or not _is_described(row, self._policy):
                continue
            if len(known) >= self._policy.max_images:
                left_out[version] += 1
                continue
            known.add(asset)
            near = local_context(texts.get(version, ""), asset, self._policy.context_chars)
            alt = (row["alt"] or "").strip()
            yield _Image(version, row["doc_id"], asset, f"{alt}\n{_name(row)}", alt, near)
        if left_out:
            self._tell_left_out(left_out)

    def _tell_left_out(self, left_out: Mapping[str, int]) -> None:
        """Images of a version after the first ``max_images`` (DEV_SPEC 3.6.7)."""
        names = self._ctx.live_versions(self._shard, ["version_id", "name"]).to_pylist()
        name_of = {row["version_id"]: row["name"] for row in names}
        for version, images in left_out.items():
            self._limited.add("CAPTION_LIMIT", images, document=name_of[version])
            event(EventKind.WARNING, code="CAPTION_LIMIT", version_id=version, left_out=images)

    def _prepared(self, asset_ids: Iterable[str]) -> dict[str, Prepared | ExcerptaError]:
        home = str(self._ctx.home.root)
        jobs = [
            Job(asset, TARGET, (home, asset, self._policy.max_side), _WEIGHT)
            for asset in sorted(asset_ids)
        ]
        return {
            job.key: outcome.error or outcome.value
            for job, outcome in shared_pool(self._ctx.settings.limits).run(jobs)
        }

    def _row(self, image: _Image, prepared: Prepared | ExcerptaError) -> dict[str, Any]:
        features = prepared.features if isinstance(prepared, Prepared) else None
        routed = profile_of(route(image.said, image.context, features))
        row: dict[str, Any] = {
            "version_id": image.version_id,
            "doc_id": image.doc_id,
            "asset_id": image.asset_id,
            "retry": False,
            "caption_provider_id": self._captioner.provider_id,
            "model_id": self._captioner.model,
            "context_scope": self._policy.context_scope,
            "context_hash": sha256_text(image.context),
            "captioner_profile_id": self._profile,
        }
        failed: dict[str, Any] = {}
        for profile in dict.fromkeys((routed, GENERIC)):
            key = profile_id(
                [self._profile, image.asset_id, profile.profile_id, sha256_text(image.context)]
            )
            row |= {"caption_profile_id": profile.profile_id, "cache_key": key}
            try:
                if isinstance(prepared, ExcerptaError):
                    raise prepared
                return row | _ready(
                    self._cached_caption(key) or self._asked(image, prepared, profile, key)
                )
            except ExcerptaError as error:
                failed = _failed(image, error)
                if not is_unfit(error):
                    break
        return row | failed

    def _cached_caption(self, key: str) -> Any:
        """What was said before, if anything.

        Raises ExcerptaError where it did not fit its contract: only who asks for another try
        pays for one.
        """
        held = self._cache.get(key)
        if held is None or "unfit" not in held:
            return held
        if self._ctx.retry_failed:
            return None
        raise unfit_answer(held["unfit"])

    def _asked(
        self, image: _Image, prepared: Prepared, profile: CaptionProfile, key: str
    ) -> dict[str, Any]:
        request = CaptionRequest(
            asset_id=image.asset_id,
            image=prepared.data,
            mime=prepared.mime,
            context_text=image.context,
            profile=profile,
            lang=self._policy.lang,
        )
        try:
            found = self._health.ask(lambda: self._captioner.caption(request))
        except ExcerptaError as error:
            if is_unfit(error):
                self._cache.put(key, {"unfit": error.message})
            raise
        held = {"caption": stored(found.caption), "model_version": found.model_version}
        self._cache.put(key, held)
        return held

    def _count_row(self, row: dict[str, Any]) -> None:
        self._counts[row["status"]] += 1
        if row["status"] == "failed":
            self._failures.add(row["code"], asset_id=row["asset_id"])
        event(EventKind.CAPTION_GENERATED, **{name: row.get(name) for name in _TRACED})


def _is_described(row: dict[str, Any], policy: CaptionPolicy) -> bool:
    if row["asset_id"] is None or row["mime"] in NO_PIXELS:
        return False
    return bool(
        row["width"] and row["height"] and min(row["width"], row["height"]) >= policy.min_image_side
    )


def _name(row: dict[str, Any]) -> str:
    """An image's file name, where its reference has one."""
    origin = row["origin_ref"]
    if lies_in_pdf(origin) or origin[:5].lower() == "data:":
        return ""
    return unquote(PurePosixPath(origin).name)


def _ready(held: dict[str, Any]) -> dict[str, Any]:
    caption = held["caption"]
    return {
        "status": "ready",
        "image_type": caption["image_type"],
        "summary": caption["summary"],
        "caption": canonical_json(caption),
        "model_version": held["model_version"],
    }


def _failed(image: _Image, error: ExcerptaError) -> dict[str, Any]:
    caption = fallback(image.alt, f"No caption could be made: {error.code}.")
    return {
        "status": "failed",
        "code": str(error.code),
        "message": error.message,
        "retry": may_pass(error) and not is_unfit(error),
        "image_type": caption["image_type"],
        "summary": caption["summary"],
        "caption": canonical_json(caption),
    }
