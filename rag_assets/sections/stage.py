"""``normalized`` -> ``sections``: where a document's sections begin and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.sections.base import Section, Sectioner
from rag_assets.sections.places import Places, pages, visible
from rag_assets.set_aside import set_aside
from rag_query.contracts.tables import SECTIONS
from rag_query.contracts.trace import EventKind
from rag_query.text.ids import section_id, sha256_text
from rag_query.tracing.context import count, event

_READ = ["version_id", "doc_id", "md_norm", "line_map", "anchors"]


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's sections up to date.

    ``details`` has ``section_count``, ``section_hash`` of the whole shard and that of the last
    run, and ``structure_drift``: how many versions that had sections before have others now.
    """
    profile = ctx.strategy.profile_id("sectioner")
    head = ctx.store.head("normalized", shard)
    made_from = head.inputs if head else {}
    wanted = {
        version: input_fingerprint(profile, made_from[version])
        for version in ctx.live_ids(shard)
        if version in made_from
    }
    sectioner: Sectioner = ctx.strategy.build("sectioner")
    drifted: list[str] = []
    normalized = ctx.store.versions("normalized", shard, _READ)
    held = ctx.store.versions("sections", shard, _HASHED, own=True)

    def compute(versions: Sequence[str]) -> pa.Table:
        rows = section_rows(normalized.of(versions), sectioner, profile)
        before = structure_hashes(held.of(versions))
        after = structure_hashes(rows)
        drifted.extend(v for v in versions if v in before and before[v] != after.get(v))
        return rows

    before = _hash_of(ctx, shard)
    sizes = ctx.text_bytes(shard)
    aside = partial(set_aside, ctx, shard, "Sections")
    result = run_incremental(
        ctx.store, "sections", shard, wanted, compute, sizes=sizes, set_aside=aside
    )
    details: dict[str, object] = {
        "section_count": result.rows,
        "section_hash": _hash_of(ctx, shard) if result.written else before,
        "section_hash_before": before,
        "structure_drift": len(drifted),
    }
    event(EventKind.SECTION_STATS, shard=shard, drifted_versions=drifted, **details)
    count(sections=result.rows)
    return replace(result, details=details)


def _hash_of(ctx: StageContext, shard: str) -> str:
    stored = ctx.store.read("sections", shard, _HASHED, own=True)
    return sha256_text("\n".join(structure_hashes(stored).values()))


_HASHED = ["version_id", "section_id", "text_sha256"]


def structure_hashes(sections: pa.Table) -> dict[str, str]:
    """version_id -> hash of its section ids and texts in order (DEV_SPEC 3.1.5, strategy 5)."""
    parts: dict[str, list[str]] = {}
    for version, section, text in zip(
        *(sections[name].to_pylist() for name in _HASHED), strict=True
    ):
        parts.setdefault(version, []).append(section + text)
    return {version: sha256_text("\n".join(part)) for version, part in parts.items()}


def section_rows(normalized: pa.Table, sectioner: Sectioner, profile_id: str) -> pa.Table:
    """The ``sections`` rows of some ``normalized`` rows (columns :data:`_READ`)."""
    columns: dict[str, list[Any]] = {name: [] for name in SECTIONS.names}
    for batch in normalized.to_batches():
        texts, places = batch["md_norm"], Places(batch)
        named = zip(batch["version_id"].to_pylist(), batch["doc_id"].to_pylist(), strict=True)
        for row, (version, doc) in enumerate(named):
            md = texts[row].as_py()
            found = sectioner.sections(md)
            _add_texts(columns, doc, md, found)
            columns["version_id"] += [version] * len(found)
            inner = [visible(md, section.start, section.end) for section in found]
            starts = [start for start, _ in inner]
            ends = [end for _, end in inner]
            lines = places.lines(row, md).lines(starts, ends)
            on_pages = pages(places.anchors(row).clip(starts, ends))
            for name, values in zip(_PLACES, (*lines, *on_pages), strict=True):
                columns[name] += values
    columns["sectioner_profile_id"] = [profile_id] * len(columns["section_id"])
    return pa.table(columns, schema=SECTIONS)


_PLACES = ("line_start", "line_end", "page_start", "page_end")


def _add_texts(columns: dict[str, list[Any]], doc: str, md: str, found: list[Section]) -> None:
    paths = [section.section_path for section in found]
    texts = [md[section.start : section.end] for section in found]
    seen: Counter[str] = Counter()
    ordinals = []
    for path in paths:
        ordinals.append(seen[path])
        seen[path] += 1
    columns["section_id"] += map(section_id, [doc] * len(found), paths, ordinals)
    columns["doc_id"] += [doc] * len(found)
    columns["section_index"] += range(len(found))
    columns["ordinal"] += ordinals
    columns["section_path"] += paths
    columns["heading_level"] += [section.level for section in found]
    columns["title"] += [section.title for section in found]
    columns["text"] += texts
    columns["text_sha256"] += map(sha256_text, texts)
    columns["char_start"] += [section.start for section in found]
    columns["char_end"] += [section.end for section in found]
