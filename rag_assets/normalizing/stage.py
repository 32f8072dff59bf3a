"""The ``normalized`` stage: facts and resolved media to the text that is cut."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.normalizing.provider import Facts, Normal, PreTransformer
from rag_assets.normalizing.rules import Link
from rag_assets.set_aside import set_aside
from rag_query.contracts.columns import ANCHOR
from rag_query.contracts.tables import NORMALIZED
from rag_query.contracts.trace import EventKind
from rag_query.text.edits import Offsets
from rag_query.text.ids import canonical_json, sha256_text
from rag_query.tracing.context import count, event

_NO_ANCHORS = pa.array([], ANCHOR)
_FACTS = ["version_id", "doc_id", "md", "furniture", "media_refs", "anchors"]
#: version_id -> ref_id -> asset_id
_Assets = dict[str, dict[str, str]]


def run(ctx: StageContext, shard: str) -> StageResult:
    """Normalise the versions whose facts, media or profile changed."""
    work = _Normalizing(ctx, shard)
    result = run_incremental(
        ctx.store,
        "normalized",
        shard,
        work.wanted(),
        work.normalize,
        sizes=ctx.text_bytes(shard),
        details=work.details,
        set_aside=partial(set_aside, ctx, shard, "Normalizing"),
    )
    work.report()
    return result


class _Normalizing:
    """One run of the stage in one shard."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._shard = shard
        self._profile = ctx.strategy.profile_id("transform_pre")
        self._assets = _assets(ctx, shard)
        self._parsed = ctx.store.versions("parsed", shard, _FACTS)
        self._stats: Counter[str] = Counter()

    def wanted(self) -> dict[str, str]:
        """Fingerprints of the live versions that were parsed: facts, furniture, assets."""
        columns = ["version_id", "status", "md_sha256", "parse_profile_id"]
        parsed = self._ctx.store.read("parsed", self._shard, columns)
        ready = {r["version_id"]: r for r in parsed.to_pylist() if r["status"] == "ready"}
        return {
            version: input_fingerprint(
                self._profile,
                ready[version]["md_sha256"],
                ready[version]["parse_profile_id"],
                canonical_json(self._assets.get(version, {})),
            )
            for version in self._ctx.live_ids(self._shard)
            if version in ready
        }

    def normalize(self, todo: Sequence[str]) -> pa.Table:
        """Rows of ``normalized``, in the order of ``todo``."""
        transformer: PreTransformer = self._ctx.strategy.build("transform_pre")
        parsed = self._parsed.of(todo)
        place = pc.index_in(pa.array(todo, pa.string()), value_set=parsed["version_id"])
        parsed = parsed.take(place)
        anchors = parsed.column("anchors").combine_chunks()
        rows: list[dict[str, Any]] = []
        moved: list[pa.StructArray] = []
        documents = parsed.select(_FACTS[:-1]).to_pylist()
        for number, row in enumerate(documents):
            own = anchors[number].values if anchors[number].is_valid else None
            facts = _facts(row, own, self._assets.get(row["version_id"], {}))
            normal = transformer.normalize(facts)
            self._stats.update(normal.stats)
            self._stats["documents"] += 1
            moved.append(_moved(own, normal))
            rows.append(
                {
                    "version_id": row["version_id"],
                    "doc_id": row["doc_id"],
                    "md_norm": normal.md_norm,
                    "md_norm_sha256": sha256_text(normal.md_norm),
                    "line_map": normal.line_map.astype(np.int32),
                    "stats": canonical_json(normal.stats),
                    "transform_profile_id": self._profile,
                }
            )
        return _table(rows, moved)

    def details(self) -> dict[str, object]:
        """Sums over the documents of this run, for the materialisation's metadata."""
        return dict(sorted(self._stats.items()))

    def report(self) -> None:
        """Emit the sums."""
        if self._stats:
            event(EventKind.TRANSFORM_STATS, step="pre", **self._stats)
            count(documents_normalized=self._stats["documents"])


def _assets(ctx: StageContext, shard: str) -> _Assets:
    media = ctx.store.read("media", shard, ["version_id", "ref_id", "asset_id"])
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in media.to_pylist():
        if row["asset_id"] is not None:
            found[row["version_id"]][row["ref_id"]] = row["asset_id"]
    return found


def _facts(row: dict[str, Any], anchors: pa.StructArray | None, assets: dict[str, str]) -> Facts:
    links = [
        Link(
            ref["char_start"],
            ref["char_end"],
            ref["source_type"],
            ref["origin_ref"],
            assets.get(ref["ref_id"]),
        )
        for ref in row["media_refs"]
        if ref["char_start"] is not None
    ]
    return Facts(
        md=row["md"],
        furniture=[(start, end, kind) for start, end, kind in json.loads(row["furniture"])],
        links=links,
        anchor_starts=_offsets(anchors, "char_start"),
        anchor_ends=_offsets(anchors, "char_end"),
    )


def _offsets(anchors: pa.StructArray | None, name: str) -> Offsets:
    if anchors is None or not len(anchors):
        return np.empty(0, np.int64)
    return np.asarray(anchors.field(name), np.int64)


def _moved(anchors: pa.StructArray | None, normal: Normal) -> pa.StructArray:
    """The anchors with offsets in ``md_norm``, without those whose text is gone."""
    if anchors is None or not len(anchors):
        return _NO_ANCHORS
    fields = [
        pa.array(normal.anchor_starts.astype(np.int32)),
        pa.array(normal.anchor_ends.astype(np.int32)),
    ]
    fields += [anchors.field(member.name) for member in list(ANCHOR)[2:]]
    array = pa.StructArray.from_arrays(fields, fields=list(ANCHOR))
    return array.filter(pa.array(normal.anchor_ends > normal.anchor_starts))


def _table(rows: list[dict[str, Any]], anchors: list[pa.StructArray]) -> pa.Table:
    lengths = [len(own) for own in anchors]
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    columns = {
        "anchors": pa.ListArray.from_arrays(offsets, pa.concat_arrays(anchors)),
    }
    for column in NORMALIZED:
        if column.name not in columns:
            columns[column.name] = pa.array([row[column.name] for row in rows], column.type)
    return pa.table({name: columns[name] for name in NORMALIZED.names}, schema=NORMALIZED)
