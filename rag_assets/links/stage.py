"""``normalized`` + ``chunks`` -> ``links`` and ``anchors``: which text leads where, and what links
into a document can name."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any

import pyarrow as pa

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult, input_fingerprint, run_incremental
from rag_assets.links import anchors
from rag_assets.links.base import FoundLink
from rag_assets.links.holders import Holders
from rag_assets.links.identities import identities, lead_to, led_astray
from rag_assets.links.markdown import MarkdownLinker
from rag_assets.links.pages import page_link_rows, page_links
from rag_assets.links.rows import LinkRows
from rag_assets.links.shared_terms import shared_term_rows
from rag_assets.set_aside import set_aside
from rag_query.contracts.tables import ANCHORS, LINKS
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

_DOCUMENT = ["version_id", "doc_id", "root", "rel_path", "source_uri"]
_TARGETS = ["version_id", "target_uri", "target_doc_id"]
_PLACES = ["version_id", "section_id", "chunk_id", "char_start", "char_end", "also_at"]
_HEADS = [
    "version_id", "section_id", "chunk_id", "chunk_index", "char_start", "char_end", "also_at",
]  # fmt: skip
_BOXES = ["version_id", "section_id", "chunk_id", "chunk_index", "chunk_text", "anchors"]


def run(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's links and anchors up to date; ``details`` counts links by kind."""
    named = _anchors(ctx, shard)
    work = _Linking(ctx, shard)
    result = run_incremental(
        ctx.store,
        "links",
        shard,
        work.wanted(),
        work.link,
        again=led_astray(ctx.store.read("links", shard, _TARGETS, own=True), work.stands),
        sizes=ctx.text_bytes(shard),
        set_aside=partial(set_aside, ctx, shard, "Links"),
    )
    kinds = Counter(ctx.store.read("links", shard, ["kind"])["kind"].to_pylist())
    details: dict[str, object] = {
        "link_count": result.rows,
        "anchor_count": named.rows,
        "kinds": dict(sorted(kinds.items())),
    }
    event(EventKind.LINK_STATS, shard=shard, **details)
    count(links=result.rows)
    return replace(result, details=details, failed=[*named.failed, *result.failed])


def _anchors(ctx: StageContext, shard: str) -> StageResult:
    """Bring the shard's anchors up to date, which no linker has a part in."""
    head = ctx.store.head("chunks", shard)
    made_from = head.inputs if head else {}
    wanted = {
        version: input_fingerprint(f"anchors.{anchors.VERSION}", made_from[version])
        for version in ctx.live_ids(shard)
        if version in made_from
    }
    heads = ctx.store.versions("chunks", shard, _HEADS)
    normalized = ctx.store.versions(
        "normalized", shard, ["version_id", "doc_id", "md_norm", "line_map"]
    )
    parsed = ctx.store.versions("parsed", shard, ["version_id", "parse_summary"])

    def compute(versions: Sequence[str]) -> pa.Table:
        summaries = {
            row["version_id"]: row["parse_summary"] or "" for row in parsed.of(versions).to_pylist()
        }
        found = {}
        for row in normalized.of(versions).to_pylist():
            if named := _targets(row["md_norm"], row["line_map"], summaries[row["version_id"]]):
                found[row["version_id"]] = row["doc_id"], named
        chunks = _by_version(heads.of(list(found)).to_pylist()) if found else {}
        rows: list[dict[str, Any]] = []
        for version, (doc, named) in found.items():
            held = sorted(chunks.get(version, []), key=lambda chunk: chunk["chunk_index"])
            rows += anchors.anchor_rows(named, held, version, doc)
        return pa.Table.from_pylist(rows, schema=ANCHORS)

    sizes = ctx.text_bytes(shard)
    aside = partial(set_aside, ctx, shard, "Anchors")
    return run_incremental(
        ctx.store, "anchors", shard, wanted, compute, sizes=sizes, set_aside=aside
    )


def _targets(md: str, line_map: list[int], parse_summary: str) -> list[anchors.Target]:
    """What can be named, with the ids that ``loader.html`` noted in its summary.

    Args:
        line_map: the line of the facts, from 1, of each line of ``md``.
    """
    if '_anchors":' not in parse_summary and '"anchors":' not in parse_summary:
        return anchors.targets(md)
    noted = json.loads(parse_summary)
    places: dict[str, int] = {}
    if lines := noted.get("line_anchors"):
        starts = [0, *accumulate(len(line) + 1 for line in md.split("\n"))]
        places = {name: starts[bisect_left(line_map, line)] for name, line in lines.items()}
    return anchors.targets(md, noted.get("anchors"), noted.get("term_anchors"), places)


class _Linking:
    """One run of the stage in one shard.

    Attributes:
        stands: see :func:`identities`.
    """

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._profile = ctx.strategy.profile_id("linker")
        self._linker: MarkdownLinker = ctx.strategy.build("linker")
        head = ctx.store.head("chunks", shard)
        self._made_from = head.inputs if head else {}
        live = ctx.live_versions(shard, _DOCUMENT).to_pylist()
        self._documents = {row["version_id"]: row for row in live}
        self.stands = identities(ctx)
        stored = ctx.store.versions
        texts = ["chunk_text"] if self._linker.shared_terms else []
        self._places = stored("chunks", shard, _PLACES + texts)
        self._boxes = stored("chunks", shard, _BOXES)
        self._normalized = stored("normalized", shard, ["version_id", "doc_id", "md_norm"])
        self._parsed = stored("parsed", shard, ["version_id", "parse_summary"])

    def wanted(self) -> dict[str, str]:
        """Fingerprints: the version's chunks and its address."""
        return {
            version: input_fingerprint(
                self._profile, self._made_from[version], document["source_uri"]
            )
            for version, document in self._documents.items()
            if version in self._made_from
        }

    def link(self, versions: Sequence[str]) -> pa.Table:
        """Rows of ``links`` of some versions."""
        rows = [*self._written(versions), *self._drawn(versions)]
        lead_to(rows, self.stands)
        return pa.Table.from_pylist(rows, schema=LINKS)

    def _written(self, versions: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Links in the text."""
        chunks = _by_version(self._places.of(versions).to_pylist())
        terms = self._linker.shared_terms
        for row in self._normalized.of(versions).to_pylist():
            version = row["version_id"]
            document = self._documents[version]
            found = self._linker.links(
                row["md_norm"],
                root=document["root"],
                rel_path=document["rel_path"],
                own_uri=document["source_uri"],
            )
            held = chunks.get(version, [])
            yield from link_rows(found, held, version, row["doc_id"])
            if terms:
                uri = document["source_uri"]
                yield from shared_term_rows(held, terms, version, row["doc_id"], uri)

    def _drawn(self, versions: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Links on the pages of a PDF."""
        links = {
            row["version_id"]: page_links(json.loads(row["parse_summary"]))
            for row in self._parsed.of(versions).to_pylist()
            if '"links":' in (row["parse_summary"] or "")
        }
        boxes = _by_version(self._boxes.of(list(links)).to_pylist()) if links else {}
        for version, found in links.items():
            held = sorted(boxes.get(version, []), key=lambda chunk: chunk["chunk_index"])
            document = self._documents[version]
            yield from page_link_rows(
                found[: self._linker.max_links],
                held,
                version,
                document["doc_id"],
                document["source_uri"],
            )


def link_rows(
    found: list[FoundLink], chunks: list[dict[str, Any]], version: str, doc: str
) -> list[dict[str, Any]]:
    """Rows of one version: links of one chunk to one target are one row, weighted by number.

    Args:
        chunks: of the version. A link belongs to the first chunk that holds its beginning, so
            overlap does not count it twice.
    """
    holders = Holders(chunks)
    rows = LinkRows(version, doc)
    for link in found:
        rows.add(
            holders.first(link.start),
            link.kind,
            link.text or None,
            target_uri=link.target_uri,
            target_doc_id=link.target_doc_id,
            target_anchor=link.target_anchor,
        )
    return rows.rows()


def _by_version(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        out.setdefault(row["version_id"], []).append(row)
    return out
