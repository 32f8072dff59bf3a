"""Rows of every table for small documents, as the stages before the indexes would write them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from rag_assets.context import LIVE, StageContext
from rag_assets.links.anchors import anchor_rows, targets
from rag_assets.links.markdown import MarkdownLinker
from rag_assets.links.stage import link_rows
from rag_query.contracts.tables import TABLES, embeddings_schema
from rag_query.library.tables import TableStore
from rag_query.text.canonical import DEFAULT_PROFILE, canonical, content_hash
from rag_query.text.ids import chunk_id, section_id, sha256_text
from tests.small_documents import (
    UNEMBEDDABLE,
    Piece,
    Section,
    SmallDoc,
    pieces_of,
    recipe_types,
    sections_of,
)

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class ShardRows:
    """Rows of one shard, gathered for all tables and written at the end."""

    def __init__(self, ctx: StageContext, shard: str) -> None:
        self._ctx = ctx
        self._store = TableStore(ctx.home)
        self._shard = shard
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}

    def write(self, members: list[SmallDoc]) -> None:
        documents = self._document_rows(members)
        texts = self._known_texts() | {m.version_id: m for m in members}
        for row in documents:
            if row["status"] in LIVE:
                self._version(row, texts[row["version_id"]])
        self._rows["documents"] = documents
        embedder = self._ctx.embedder
        schemas = TABLES | {"embeddings": embeddings_schema(embedder.card.dimensions)}
        # Documents last: what a killed build leaves must not name versions whose text is unknown.
        for name, schema in sorted(schemas.items(), key=lambda item: item[0] == "documents"):
            if name not in ("inventory", "serving"):
                rows = pa.Table.from_pylist(self._rows[name], schema)
                self._store.write(name, self._shard, rows)

    def _known_texts(self) -> dict[str, SmallDoc]:
        """Documents of versions parsed before, so that superseded ones keep their chunks."""
        before = self._store.read("parsed", self._shard).to_pylist()
        documents = {
            d["version_id"]: d for d in self._store.read("documents", self._shard).to_pylist()
        }
        return {
            p["version_id"]: replace(
                _as_small(documents[p["version_id"]]),
                text=p["md"] or "",
                title=p["title"],
                language=p["language"] or "en",
                front_matter_tags=tuple(p["tags"]),
                paged=bool(p["pages"]),
                fails=p["code"],
            )
            for p in before
            if p["version_id"] in documents
        }

    def _document_rows(self, members: list[SmallDoc]) -> list[dict[str, Any]]:
        before: dict[str, list[dict[str, Any]]] = {}
        for row in self._store.read("documents", self._shard).to_pylist():
            before.setdefault(row["doc_id"], []).append(row)
        for member in members:
            versions = before.setdefault(member.doc_id, [])
            standing = [v for v in versions if v["version_id"] == member.version_id]
            for version in versions:
                version.update(is_latest=False, status="superseded", removed_at=None)
            current = _document_row(member, len(versions) + 1)
            if standing:
                current |= {k: standing[0][k] for k in ("version_no", "version_created_at")}
                versions.remove(standing[0])
            versions.append(current)
        kept = {member.doc_id for member in members}
        for doc, versions in before.items():
            if doc not in kept:
                for version in versions:
                    version.update(status="removed", is_latest=False, removed_at=EPOCH)
        rows = [row for versions in before.values() for row in versions]
        return sorted(rows, key=lambda r: (r["doc_id"], r["version_no"]))

    def _version(self, row: dict[str, Any], document: SmallDoc) -> None:
        ids = {"doc_id": row["doc_id"], "version_id": row["version_id"]}
        sections = sections_of(document.text)
        headings = [s.title for s in sections if s.title]
        failed = document.fails is not None
        self._rows["parsed"].append(
            ids
            | {
                "status": "failed" if failed else "ready",
                "code": document.fails,
                "message": "It could not be parsed." if failed else None,
                "title": document.title or (headings[0] if headings else None),
                "language": document.language,
                "md": document.text,
                "md_sha256": sha256_text(document.text),
                "pages": len(sections) if document.paged else None,
                "page_labels": [f"p{i + 1}" for i in range(len(sections))]
                if document.paged
                else None,
                "outline": json.dumps(
                    [{"level": s.level, "title": s.title} for s in sections if s.title]
                ),
                "anchors": [],
                "tags": list(document.front_matter_tags),
                "media_refs": [],
                "warnings": [],
                "loader_name": "loader.test",
                "loader_version": "1",
                "parser_engine": "test",
                "engine_version": "1",
                "parse_profile_id": "0" * 64,
            }
        )
        if failed:
            return
        self._rows["normalized"].append(
            ids
            | {
                "md_norm": document.text,
                "md_norm_sha256": sha256_text(document.text),
                "line_map": list(range(1, document.text.count("\n") + 2)),
                "anchors": [],
                "stats": "{}",
                "transform_profile_id": "0" * 64,
            }
        )
        for ref, asset in enumerate(document.asset_ids):
            self._rows["media"].append(
                ids
                | {
                    "ref_id": f"ref{ref}",
                    "origin_ref": f"./{asset[:8] if asset else 'lost'}.png",
                    "asset_id": asset,
                    "status": "ready" if asset else "failed",
                    "mime": "image/png" if asset else None,
                    "has_thumb": False,
                }
            )
        self._sections_and_chunks(ids, document, sections)
        self._links(ids, document)

    def _links(self, ids: dict[str, Any], document: SmallDoc) -> None:
        linker: MarkdownLinker = self._ctx.strategy.build("linker")
        found = linker.links(
            document.text,
            root=document.collection,
            rel_path=document.name,
            own_uri=document.source_uri,
        )
        version = ids["version_id"]
        chunks = [row for row in self._rows["chunks"] if row["version_id"] == version]
        self._rows["links"] += link_rows(found, chunks, version, ids["doc_id"])
        named = targets(document.text)
        self._rows["anchors"] += anchor_rows(named, chunks, version, ids["doc_id"])

    def _sections_and_chunks(
        self, ids: dict[str, Any], document: SmallDoc, sections: list[Section]
    ) -> None:
        ordinals: dict[str, int] = {}
        seen: set[str] = set()
        index = 0
        domains = recipe_types(sections)
        for number, section in enumerate(sections):
            ordinal = ordinals.get(section.path, 0)
            ordinals[section.path] = ordinal + 1
            sid = section_id(ids["doc_id"], section.path, ordinal)
            text = document.text[section.start : section.end]
            place = _place(document, section.start, section.end, number)
            self._rows["sections"].append(
                ids
                | place
                | {
                    "section_id": sid,
                    "section_index": number,
                    "ordinal": ordinal,
                    "section_path": section.path,
                    "heading_level": section.level,
                    "title": section.title,
                    "text": text,
                    "text_sha256": sha256_text(text),
                    "char_start": section.start,
                    "char_end": section.end,
                    "sectioner_profile_id": "0" * 64,
                }
            )
            for piece in pieces_of(text, domains[number]):
                cid = chunk_id(sid, content_hash(text[piece.start : piece.end]))
                if cid in seen:
                    continue
                seen.add(cid)
                keys = {"chunk_id": cid, "section_id": sid, "chunk_index": index}
                self._chunk(ids | keys, document, section, piece)
                index += 1

    def _chunk(
        self, ids: dict[str, Any], document: SmallDoc, section: Section, piece: Piece
    ) -> None:
        index, number = ids["chunk_index"], section.number
        start, end = section.start + piece.start, section.start + piece.end
        text = document.text[start:end]
        place = _place(document, start, end, number)
        anchors = (
            [{"char_start": 0, "char_end": len(text), "page": number + 1,
              "x0": 72.0, "y0": 72.0 + index, "x1": 500.0, "y1": 84.0 + index}]
            if document.paged
            else []
        )  # fmt: skip
        self._rows["chunks"].append(
            ids
            | place
            | {
                "section_path": section.path,
                "section_title": section.title,
                "block_type": piece.block_type,
                "chunk_text": text,
                "chunk_fingerprint": content_hash(text),
                "section_start": piece.start,
                "section_end": piece.end,
                "char_start": start,
                "char_end": end,
                "anchors": anchors,
                "asset_ids": [*filter(None, document.asset_ids)] if index == 0 else [],
                "also_at": [],
                "chunk_build_profile_id": "0" * 64,
            }
        )
        embedding_text = canonical(text)
        card = self._ctx.embedder.card
        failed = UNEMBEDDABLE in text
        self._rows["enriched"].append(
            ids
            | {
                "language": document.language,
                "retrieval_text": text,
                "keywords": list(document.keywords),
                "captions": [],
                "embedding_text": embedding_text,
                "content_hash": sha256_text(embedding_text),
                "text_norm_profile_id": DEFAULT_PROFILE.id,
                "enrichment_profile_id": "0" * 64,
            }
        )
        vector = None if failed else self._ctx.embedder.embed_passages([embedding_text])[0].tolist()
        self._rows["embeddings"].append(
            ids
            | {
                "content_hash": sha256_text(embedding_text),
                "embedding_id": sha256_text(card.space.space_id + embedding_text),
                "embedder_id": card.embedder_id,
                "embedder_version": card.embedder_version,
                "text_norm_profile_id": DEFAULT_PROFILE.id,
                "status": "failed_embed" if failed else "ready",
                "code": "EMBED_FAILED" if failed else None,
                "vector": vector,
            }
        )


def _document_row(document: SmallDoc, version_no: int) -> dict[str, Any]:
    sha = sha256_text(document.text)
    created = EPOCH + timedelta(days=document.days)
    return {
        "doc_id": document.doc_id,
        "version_id": document.version_id,
        "version_no": version_no,
        "is_latest": True,
        "status": "active",
        "code": None,
        "message": None,
        "source_uri": document.source_uri,
        "aliases": list(document.aliases),
        "collection": document.collection,
        "tags": list(document.tags),
        "topics": list(document.topics),
        "source_type": document.source_type,
        "format": "markdown",
        "mime": "text/markdown",
        "name": document.external_id or document.name.rsplit("/", 1)[-1],
        "external_id": document.external_id,
        "root": document.collection,
        "rel_path": document.name,
        "file_sha256": sha,
        "raw_sha256": sha,
        "raw_offset": 0,
        "raw_length": len(document.text.encode()),
        "created_at": created,
        "version_created_at": created + timedelta(hours=version_no),
        "removed_at": None,
    }


def _as_small(row: dict[str, Any]) -> SmallDoc:
    return SmallDoc(
        name=row["rel_path"],
        text="",
        collection=row["collection"],
        tags=tuple(row["tags"]),
        topics=tuple(row["topics"]),
        external_id=row["external_id"],
        source_type=row["source_type"],
    )


def _place(document: SmallDoc, start: int, end: int, section: int) -> dict[str, Any]:
    page = section + 1 if document.paged else None
    return {
        "line_start": document.text.count("\n", 0, start) + 1,
        "line_end": document.text.count("\n", 0, max(start, end - 1)) + 1,
        "page_start": page,
        "page_end": page,
    }
