"""``normalized`` + ``sections`` + ``chunks`` -> ``links``: which text leads where."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.links.base import FoundLink
from rag_assets.links.identities import identities, identities_digest, lead_to
from rag_assets.links.markdown import MarkdownLinker
from rag_assets.links.pages import page_link_rows, page_links
from rag_assets.links.shared_terms import shared_term_rows
from rag_query.contracts.tables import LINKS
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

_PLACES = ["version_id", "section_id", "chunk_id", "char_start", "char_end", "also_at"]
_BOXES = ["version_id", "section_id", "chunk_id", "chunk_index", "chunk_text", "anchors"]


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's links up to date; ``details`` counts them by kind."""
    profile = ctx.strategy.profile_id("linker")
    head = ctx.store.head("chunks", shard)
    made_from = head.inputs if head else {}
    documents = {
        row["version_id"]: row
        for row in ctx.live_versions(shard)
        .select(["version_id", "doc_id", "root", "rel_path", "source_uri"])
        .to_pylist()
    }
    stands = identities(ctx)
    elsewhere = identities_digest(stands)
    wanted = {
        version: input_fingerprint(profile, made_from[version], document["source_uri"], *elsewhere)
        for version, document in documents.items()
        if version in made_from
    }
    linker: MarkdownLinker = ctx.strategy.build("linker")
    texts = ["chunk_text"] if linker.shared_terms else []
    stored = ctx.store.versions
    places = stored("chunks", shard, _PLACES + texts)
    boxed = stored("chunks", shard, _BOXES)
    normalized = stored("normalized", shard, ["version_id", "doc_id", "md_norm"])
    parsed = stored("parsed", shard, ["version_id", "parse_summary"])

    def compute(versions: Sequence[str]) -> pa.Table:
        chunks = _by_version(places.of(versions).to_pylist())
        out: list[dict[str, Any]] = []
        for row in normalized.of(versions).to_pylist():
            version = row["version_id"]
            document = documents[version]
            found = linker.links(
                row["md_norm"],
                root=document["root"],
                rel_path=document["rel_path"],
                own_uri=document["source_uri"],
            )
            held = chunks.get(version, [])
            out += link_rows(found, held, version, row["doc_id"])
            if linker.shared_terms:
                out += shared_term_rows(
                    held, linker.shared_terms, version, row["doc_id"], document["source_uri"]
                )
        drawn = {
            row["version_id"]: page_links(json.loads(row["parse_summary"]))
            for row in parsed.of(versions).to_pylist()
            if '"links":' in (row["parse_summary"] or "")
        }
        boxes = _by_version(boxed.of(list(drawn)).to_pylist()) if drawn else {}
        for version, links in drawn.items():
            held = sorted(boxes.get(version, []), key=lambda chunk: chunk["chunk_index"])
            document = documents[version]
            out += page_link_rows(
                links[: linker.max_links],
                held,
                version,
                document["doc_id"],
                document["source_uri"],
            )
        lead_to(out, stands)
        return pa.Table.from_pylist(out, schema=LINKS)

    sizes = ctx.text_bytes(shard)
    result = run_incremental(ctx.store, "links", shard, wanted, compute, sizes=sizes)
    kinds = Counter(ctx.store.read("links", shard, ["kind"])["kind"].to_pylist())
    details: dict[str, object] = {"link_count": result.rows, "kinds": dict(sorted(kinds.items()))}
    event(EventKind.LINK_STATS, shard=shard, **details)
    count(links=result.rows)
    return replace(result, details=details)


def link_rows(
    found: list[FoundLink], chunks: list[dict[str, Any]], version: str, doc: str
) -> list[dict[str, Any]]:
    """Rows of one version: links of one chunk to one target are one row, weighted by number.

    Args:
        chunks: of the version. A link belongs to the first chunk that holds its beginning, so
            overlap does not count it twice.
    """
    places = sorted(_places(chunks), key=lambda place: place[0])
    starts = [start for start, _, _ in places]
    rows: dict[tuple[str | None, str, str | None], dict[str, Any]] = {}
    for link in found:
        chunk = _holder(places, starts, link.start)
        chunk_id = chunk["chunk_id"] if chunk else None
        key = (chunk_id, link.target_uri, link.target_anchor)
        if key in rows:
            rows[key]["weight"] += 1.0
            continue
        rows[key] = {
            "doc_id": doc,
            "version_id": version,
            "section_id": chunk["section_id"] if chunk else None,
            "chunk_id": chunk_id,
            "kind": link.kind,
            "text": link.text or None,
            "target_uri": link.target_uri,
            "target_doc_id": link.target_doc_id,
            "target_anchor": link.target_anchor,
            "weight": 1.0,
        }
    return list(rows.values())


def _places(chunks: list[dict[str, Any]]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for chunk in chunks:
        yield chunk["char_start"], chunk["char_end"], chunk
        for again in chunk["also_at"]:
            yield again["char_start"], again["char_end"], chunk


def _holder(
    places: list[tuple[int, int, dict[str, Any]]], starts: list[int], place: int
) -> dict[str, Any] | None:
    index = bisect_right(starts, place) - 1
    if index > 0 and places[index - 1][1] > place:
        index -= 1
    if index >= 0 and place < places[index][1]:
        return places[index][2]
    return None


def _by_version(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        out.setdefault(row["version_id"], []).append(row)
    return out
