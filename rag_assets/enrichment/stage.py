"""``chunks`` + ``parsed`` + ``media`` + ``ocr`` -> ``enriched``: what is indexed and embedded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.captioning import stage as captioning
from rag_assets.context import StageContext
from rag_assets.enrichment import summaries
from rag_assets.enrichment.picture_texts import PictureTexts
from rag_assets.enrichment.provider import ChunkToEnrich, EnrichPost
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.ocr import stage as ocr
from rag_assets.set_aside import set_aside
from rag_query.contracts.tables import ENRICHED
from rag_query.contracts.trace import EventKind
from rag_query.text import analysis, canonical
from rag_query.text.section_paths import SEPARATOR
from rag_query.tracing.context import count, event

_CHUNK = ["version_id", "doc_id", "chunk_id", "chunk_text", "section_path", "asset_ids"]
_CHUNK += ["page_start", "page_end", "anchors"]
_READ = {
    "chunks": _CHUNK,
    "parsed": ["version_id", "title", "language"],
    "media": ["version_id", "asset_id", "alt", "page", "x0", "y0", "x1", "y1"],
    "ocr": ["version_id", "status", "page", "asset_id", "text", "lines"],
    "captions": ["version_id", "asset_id", "status", "caption"],
    "summaries": ["version_id", "chunk_id", "status", "summary"],
}


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's enriched rows up to date; ``details`` counts chunks by language."""
    sidecars = {
        "ocr": ocr.run(ctx, shard),
        "captions": captioning.run(ctx, shard),
        "summaries": summaries.run(ctx, shard),
    }
    profile = ctx.strategy.profile_id("transform_post")
    names = _names_of_untitled(ctx, shard)
    enricher: EnrichPost = ctx.strategy.build("transform_post")
    stored = {table: ctx.store.versions(table, shard, columns) for table, columns in _READ.items()}

    def compute(versions: Sequence[str]) -> pa.Table:
        tables = {table: rows.of(versions) for table, rows in stored.items()}
        return enriched_rows(tables, enricher, profile, names)

    result = run_incremental(
        ctx.store,
        "enriched",
        shard,
        _wanted(ctx, shard, profile, names),
        compute,
        sizes=ctx.text_bytes(shard),
        set_aside=partial(set_aside, ctx, shard, "Enrichment"),
    )
    languages = Counter(ctx.store.read("enriched", shard, ["language"])["language"].to_pylist())
    details: dict[str, object] = {
        "enriched": result.rows,
        "languages": dict(sorted(languages.items())),
    }
    for table, made in sidecars.items():
        if made is not None:
            details |= _states(ctx, table, shard) | made.details
    event(EventKind.TRANSFORM_STATS, shard=shard, phase="post", **details)
    count(enriched=result.rows)
    return replace(result, details=details)


def _wanted(
    ctx: StageContext, shard: str, profile: str, names: Mapping[str, str]
) -> dict[str, str]:
    """Fingerprints of the live versions that have chunks: of all that is read of them."""
    made_from = {
        table: head.inputs if (head := ctx.store.head(table, shard)) else {} for table in _READ
    }
    # The same for every version, and not free to compute.
    texts = canonical.DEFAULT_PROFILE.id, analysis.DEFAULT_PROFILE.id
    return {
        version: input_fingerprint(
            profile,
            *texts,
            *(made_from[table].get(version) for table in _READ),
            names.get(version),
        )
        for version in ctx.live_ids(shard)
        if version in made_from["chunks"]
    }


def enriched_rows(
    tables: Mapping[str, pa.Table],
    enricher: EnrichPost,
    profile_id: str,
    names: Mapping[str, str],
) -> pa.Table:
    """The ``enriched`` rows of some versions.

    Args:
        tables: with the columns :data:`_READ`.
        names: version_id -> what stands for the title of a document without one.
    """
    documents = {row["version_id"]: row for row in tables["parsed"].to_pylist()}
    captions = _captions(tables["media"], tables["captions"], enricher)
    summed = {
        (row["version_id"], row["chunk_id"]): row["summary"]
        for row in tables["summaries"].to_pylist()
        if row["status"] == "ready"
    }
    pictures = PictureTexts(tables, enricher.ocr_max_chars)
    by_version: dict[str, list[dict[str, Any]]] = {}
    for row in tables["chunks"].drop_columns(["anchors"]).to_pylist():
        by_version.setdefault(row["version_id"], []).append(row)
    columns: dict[str, list[Any]] = {name: [] for name in ENRICHED.names}
    for version, rows in by_version.items():
        document = documents.get(version, {})
        texts = pictures.of(version, rows)
        found = enricher.enrich(
            [
                _to_enrich(row, captions, read.text, summed.get((version, row["chunk_id"]), ""))
                for row, read in zip(rows, texts, strict=True)
            ],
            title=document.get("title") or names.get(version),
            language=document.get("language"),
        )
        for name in ("chunk_id", "version_id", "doc_id"):
            columns[name] += [row[name] for row in rows]
        for name in _COMPUTED:
            columns[name] += [getattr(one, name) for one in found]
        columns["summary"] += [summed.get((version, row["chunk_id"])) for row in rows]
        columns["ocr_text"] += [read.text or None for read in texts]
        columns["ocr_anchors"] += [read.anchors for read in texts]
    rows_now = len(columns["chunk_id"])
    columns["text_norm_profile_id"] = [canonical.DEFAULT_PROFILE.id] * rows_now
    columns["enrichment_profile_id"] = [profile_id] * rows_now
    return pa.table(columns, schema=ENRICHED)


_COMPUTED = (
    "language",
    "retrieval_text",
    "keywords",
    "captions",
    "embedding_text",
    "content_hash",
)


def _to_enrich(
    row: Mapping[str, Any],
    captions: Mapping[tuple[str, str], Sequence[str]],
    read: str,
    summary: str,
) -> ChunkToEnrich:
    """A row of ``chunks`` with what is known of it.

    Args:
        captions: see :func:`_captions`.
        read: the text of its pictures.
    """
    return ChunkToEnrich(
        row["chunk_text"],
        tuple(row["section_path"].split(SEPARATOR)),
        tuple(
            (asset, text)
            for asset in row["asset_ids"]
            for text in captions.get((row["version_id"], asset), ())
        ),
        read,
        summary,
    )


def _names_of_untitled(ctx: StageContext, shard: str) -> dict[str, str]:
    """version_id -> name of documents that have no title of their own."""
    parsed = ctx.store.read("parsed", shard, ["version_id", "title"])
    untitled = parsed.filter(pc.is_null(parsed["title"]))["version_id"]
    versions = ctx.live_versions(shard, ["version_id", "name"])
    named = versions.filter(pc.is_in(versions["version_id"], value_set=untitled.combine_chunks()))
    return dict(zip(named["version_id"].to_pylist(), named["name"].to_pylist(), strict=True))


def _captions(
    media: pa.Table, described: pa.Table, enricher: EnrichPost
) -> dict[tuple[str, str], list[str]]:
    """(version_id, asset_id) -> what is known of the picture: its alternative text, its caption."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in media.to_pylist():
        if row["asset_id"] and (alt := (row["alt"] or "").strip()):
            texts = found.setdefault((row["version_id"], row["asset_id"]), [])
            if alt not in texts:
                texts.append(alt)
    for row in described.to_pylist():
        if row["status"] == "ready":
            text = enricher.caption_text(json.loads(row["caption"]))
            found.setdefault((row["version_id"], row["asset_id"]), []).append(text)
    return found


def _states(ctx: StageContext, table: str, shard: str) -> dict[str, object]:
    """Rows of a sidecar by status."""
    states = Counter(ctx.store.read(table, shard, ["status"])["status"].to_pylist())
    return {f"{table}_{state}": number for state, number in sorted(states.items())}
