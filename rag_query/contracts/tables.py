"""Every stored table: names, Arrow schemas, keys, and what each column means.

This file never reads or writes anything. A stage reads the tables before it and writes its
own; nobody else may. Offsets are Unicode code points, half open; ``columns.py`` says how lines,
pages and boxes are counted. What is unknown is null, never borrowed from a neighbour.
"""

from __future__ import annotations

import pyarrow as pa

from rag_query.contracts.columns import (
    ANCHOR,
    BOX,
    F32,
    FAULT,
    I32,
    I64,
    LINES,
    MEDIA_REF,
    OCCURRENCE,
    OCR_LINE,
    PAGES,
    RANGE,
    STR,
    STRS,
    TIME,
    VERSION,
)

INVENTORY = pa.schema(
    [
        pa.field("source_uri", STR, nullable=False),  # file://<root>/<path>[#<record>]
        pa.field("root", STR, nullable=False),
        pa.field("rel_path", STR, nullable=False),
        pa.field("fragment", STR),  # the record's _id inside a .jsonl corpus
        pa.field("collection", STR, nullable=False),
        pa.field("tags", STRS, nullable=False),
        pa.field("format", STR),  # markdown | pdf | html | text | record; null when not supported
        pa.field("mime", STR),
        pa.field("source_type", STR, nullable=False),  # RetrievalPlan's: file | url | manual
        pa.field("file_bytes", I64),  # of the whole file, with mtime_ns the re-read test
        pa.field("mtime_ns", I64),
        pa.field("raw_sha256", STR),  # of the file in raw/ that holds it; names it there
        pa.field("raw_offset", I64),  # where this document's bytes lie in it
        pa.field("raw_length", I64),
        pa.field("file_sha256", STR),  # of this document's bytes (DEV_SPEC 3.1.1)
        pa.field("shard", STR, nullable=False),
        pa.field("doc_id", STR, nullable=False),
        pa.field("version_id", STR),
        # continue|new_version|skip|removed|failed|ignored
        pa.field("decision", STR, nullable=False),
        pa.field("duplicate_of", STR),  # doc_id that holds the same content (decision skip)
        *FAULT,
        pa.field("first_seen_at", TIME, nullable=False),
        pa.field("version_seen_at", TIME),
        pa.field("renamed_from", STR),  # source_uri the document had before; it keeps its doc_id
    ]
)

DOCUMENTS = pa.schema(
    [
        pa.field("doc_id", STR, nullable=False),
        pa.field("version_id", STR),  # null when the bytes never could be read
        pa.field("version_no", I32),  # 1, 2, … in order of arrival
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("status", STR, nullable=False),  # active | superseded | removed | failed
        *FAULT,
        pa.field("source_uri", STR, nullable=False),
        pa.field("aliases", STRS, nullable=False),  # other URIs of the same content
        pa.field("collection", STR, nullable=False),
        pa.field("tags", STRS, nullable=False),
        pa.field("topics", STRS, nullable=False),
        pa.field("source_type", STR, nullable=False),
        pa.field("format", STR),
        pa.field("mime", STR),
        pa.field("name", STR, nullable=False),  # file name, or the record's id
        pa.field("external_id", STR),
        pa.field("root", STR, nullable=False),
        pa.field("rel_path", STR, nullable=False),
        pa.field("file_sha256", STR),
        pa.field("raw_sha256", STR),
        pa.field("raw_offset", I64),
        pa.field("raw_length", I64),
        pa.field("created_at", TIME, nullable=False),  # first seen
        pa.field("version_created_at", TIME),
        pa.field("removed_at", TIME),
        pa.field("title", STR),  # of a removed one, whose ``parsed`` row is gone; and so:
        pa.field("language", STR),
    ]
)

PARSED = pa.schema(
    [
        *VERSION,
        pa.field("status", STR, nullable=False),  # ready | failed
        *FAULT,
        pa.field("title", STR),  # null without one of its own: its name of the day serves
        pa.field("language", STR),  # zh | en | other (EvidencePack's values)
        pa.field("md", STR),  # the facts
        pa.field("md_sha256", STR),
        pa.field("pages", I32),
        pa.field("page_labels", STRS),
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # of the facts, in order
        pa.field("outline", STR),  # JSON [{level, title, page, char_start}]
        pa.field("metadata", STR),  # JSON: front matter, PDF information
        pa.field("tags", STRS, nullable=False),  # from front matter
        pa.field("media_refs", pa.list_(MEDIA_REF), nullable=False),
        # JSON [[char_start, char_end, kind]]: headers, footers, page numbers
        pa.field("furniture", STR),
        pa.field("parse_summary", STR),  # JSON {pages, text_chars, images, warnings, …}
        pa.field("warnings", STRS, nullable=False),
        pa.field("loader_name", STR, nullable=False),
        pa.field("loader_version", STR, nullable=False),
        pa.field("parser_engine", STR, nullable=False),
        pa.field("engine_version", STR, nullable=False),
        pa.field("parse_profile_id", STR, nullable=False),
    ]
)

MEDIA = pa.schema(
    [
        *VERSION,
        pa.field("ref_id", STR, nullable=False),
        pa.field("origin_ref", STR, nullable=False),
        pa.field("asset_id", STR),  # sha256 of the bytes; null when they could not be had
        pa.field("status", STR, nullable=False),  # ready | failed
        *FAULT,
        pa.field("mime", STR),
        pa.field("bytes", I64),
        pa.field("width", I32),
        pa.field("height", I32),
        pa.field("alt", STR),
        pa.field("order", I32),
        pa.field("page", I32),
        *BOX,
        pa.field("heading_path", STR),
        *LINES,
        pa.field("has_thumb", pa.bool_(), nullable=False),
    ]
)

#: Text read from pages and images: a sidecar, never part of the facts (DEV_SPEC 3.6.7).
OCR = pa.schema(
    [
        *VERSION,
        pa.field("unit", STR, nullable=False),  # page:<number> | asset:<asset_id>
        pa.field("page", I32),
        pa.field("asset_id", STR),
        pa.field("status", STR, nullable=False),  # ready | empty (no text) | failed
        *FAULT,
        pa.field("image_sha256", STR),  # of the pixels that were read
        pa.field("width", I32),  # of them
        pa.field("height", I32),
        pa.field("rotation", I32),  # degrees its text is turned clockwise
        pa.field("text", STR),  # the lines in reading order, joined by line feeds
        pa.field("lines", pa.list_(OCR_LINE), nullable=False),
        pa.field("confidence", F32),  # mean over characters
        pa.field("engine", STR),
        pa.field("engine_version", STR),
        pa.field("ocr_provider_id", STR, nullable=False),
        pa.field("ocr_profile_id", STR, nullable=False),
    ]
)

#: What a model said of an image: a sidecar, never part of the facts (DEV_SPEC 3.6.6).
CAPTIONS = pa.schema(
    [
        *VERSION,
        pa.field("asset_id", STR, nullable=False),
        pa.field("status", STR, nullable=False),  # ready | failed
        *FAULT,
        pa.field("retry", pa.bool_(), nullable=False),  # a failure the next run tries again
        pa.field("image_type", STR, nullable=False),
        pa.field("summary", STR, nullable=False),
        pa.field("caption", STR, nullable=False),  # JSON by the profile's contract (3.6.6.4)
        pa.field("caption_provider_id", STR, nullable=False),
        pa.field("model_id", STR, nullable=False),
        pa.field("model_version", STR),
        pa.field("caption_profile_id", STR, nullable=False),  # caption.table_v1, …
        pa.field("context_scope", STR, nullable=False),
        pa.field("context_hash", STR, nullable=False),  # sha256 of the context that was given
        pa.field("cache_key", STR, nullable=False),
        pa.field("captioner_profile_id", STR, nullable=False),
    ]
)

#: What a model made of a chunk: a sidecar (DEV_SPEC 3.1.7.1, point 2). Short chunks have none.
SUMMARIES = pa.schema(
    [
        *VERSION,
        pa.field("chunk_id", STR, nullable=False),
        pa.field("status", STR, nullable=False),  # ready | failed
        *FAULT,
        pa.field("retry", pa.bool_(), nullable=False),  # a failure the next run tries again
        pa.field("summary", STR),
        pa.field("llm_provider_id", STR, nullable=False),
        pa.field("model_id", STR, nullable=False),
        pa.field("model_version", STR),
        pa.field("prompt_profile_id", STR, nullable=False),
        pa.field("cache_key", STR, nullable=False),
        pa.field("summarizer_profile_id", STR, nullable=False),
    ]
)

NORMALIZED = pa.schema(
    [
        *VERSION,
        pa.field("md_norm", STR, nullable=False),
        pa.field("md_norm_sha256", STR, nullable=False),
        pa.field("line_map", pa.list_(I32), nullable=False),  # facts line of each md_norm line
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # offsets in md_norm
        pa.field("stats", STR, nullable=False),  # JSON {removed_chars, lines_stripped, …}
        pa.field("transform_profile_id", STR, nullable=False),
    ]
)

SECTIONS = pa.schema(
    [
        pa.field("section_id", STR, nullable=False),
        *VERSION,
        pa.field("section_index", I32, nullable=False),  # order in the document
        pa.field("ordinal", I32, nullable=False),  # among equal section_path
        pa.field("section_path", STR, nullable=False),  # "A / B"; "__preamble__"
        pa.field("heading_level", I32, nullable=False),  # 0 without a heading
        pa.field("title", STR),
        pa.field("text", STR, nullable=False),  # == md_norm[char_start:char_end]
        pa.field("text_sha256", STR, nullable=False),
        *RANGE,
        *LINES,
        *PAGES,
        pa.field("sectioner_profile_id", STR, nullable=False),
    ]
)

CHUNKS = pa.schema(
    [
        pa.field("chunk_id", STR, nullable=False),
        *VERSION,
        pa.field("section_id", STR, nullable=False),
        pa.field("section_path", STR, nullable=False),
        pa.field("section_title", STR),
        pa.field("chunk_index", I32, nullable=False),  # order in the document; never in the id
        pa.field("block_type", STR, nullable=False),
        pa.field("chunk_text", STR, nullable=False),  # == section.text[section_start:section_end]
        pa.field("chunk_fingerprint", STR, nullable=False),  # sha256(canonical(chunk_text))
        pa.field("section_start", I32, nullable=False),
        pa.field("section_end", I32, nullable=False),
        pa.field("char_start", I32, nullable=False),  # in md_norm
        pa.field("char_end", I32, nullable=False),
        *LINES,
        *PAGES,
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # offsets in chunk_text
        pa.field("asset_ids", STRS, nullable=False),
        pa.field("header_row", STR),  # of a table that had to be cut
        pa.field("also_at", pa.list_(OCCURRENCE), nullable=False),
        pa.field("chunk_build_profile_id", STR, nullable=False),
    ]
)

LINKS = pa.schema(
    [
        pa.field("doc_id", STR, nullable=False),
        pa.field("version_id", STR, nullable=False),
        pa.field("section_id", STR),
        pa.field("chunk_id", STR),
        # link | reference | wiki | external | section | term
        pa.field("kind", STR, nullable=False),
        pa.field("text", STR),
        pa.field("target_uri", STR, nullable=False),
        pa.field("target_doc_id", STR),  # doc_id(target_uri) for internal targets, existing or not
        pa.field("target_anchor", STR),  # as in ANCHORS; of a term link a chunk_id
        pa.field("weight", F32, nullable=False),
    ]
)

#: What a link into a document can name besides the document itself.
ANCHORS = pa.schema(
    [
        pa.field("doc_id", STR, nullable=False),
        pa.field("version_id", STR, nullable=False),
        pa.field("anchor", STR, nullable=False),  # slug of a heading, or of an explicit id
        pa.field("chunk_id", STR, nullable=False),  # where what it names begins
        pa.field("chunk_count", I32, nullable=False),  # so many from there on, by chunk_index
    ]
)

ENRICHED = pa.schema(
    [
        pa.field("chunk_id", STR, nullable=False),
        *VERSION,
        pa.field("language", STR, nullable=False),
        pa.field("retrieval_text", STR, nullable=False),
        pa.field("keywords", STRS, nullable=False),
        pa.field("ocr_text", STR),  # read from its pages and images; lines as in ``ocr``
        pa.field("ocr_anchors", pa.list_(ANCHOR)),  # offsets in ocr_text
        pa.field("captions", STRS, nullable=False),
        pa.field("summary", STR),
        pa.field("embedding_text", STR, nullable=False),  # canonical; what is embedded
        pa.field("content_hash", STR, nullable=False),  # sha256(embedding_text)
        pa.field("text_norm_profile_id", STR, nullable=False),
        pa.field("enrichment_profile_id", STR, nullable=False),
    ]
)


def embeddings_schema(dimensions: int) -> pa.Schema:
    """Vectors of one embedding space; L2-normalised float32 of ``dimensions``.

    A chunk without a row is still to be embedded (``pending_embed`` in DEV_SPEC 3.1.6.4). No
    reader meets one: a snapshot is published when every chunk has its row.
    """
    return pa.schema(
        [
            pa.field("chunk_id", STR, nullable=False),
            *VERSION,
            pa.field("content_hash", STR, nullable=False),
            pa.field("embedding_id", STR, nullable=False),
            pa.field("embedder_id", STR, nullable=False),
            pa.field("embedder_version", STR, nullable=False),
            pa.field("text_norm_profile_id", STR, nullable=False),
            pa.field("status", STR, nullable=False),  # ready | failed_embed
            pa.field("code", STR),
            pa.field("vector", pa.list_(F32, dimensions)),  # null when failed_embed
        ]
    )


#: What both indexes hold of a chunk besides its text or vector: enough to filter before
#: retrieval (DEV_SPEC 3.1.6.4.1, 3.2.5). One row for each chunk_id; ``version_ids`` lists
#: every indexed version that contains it and ``is_latest`` says whether the newest does.
INDEX_ROW = pa.schema(
    [
        pa.field("chunk_id", STR, nullable=False),
        pa.field("doc_id", STR, nullable=False),
        pa.field("section_id", STR, nullable=False),
        pa.field("version_ids", STRS, nullable=False),
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("collection", STR, nullable=False),
        pa.field("tags", STRS, nullable=False),
        pa.field("topics", STRS, nullable=False),
        pa.field("source_type", STR, nullable=False),
        pa.field("source_uri", STR, nullable=False),
        pa.field("language", STR, nullable=False),
        pa.field("created_at", TIME, nullable=False),
        pa.field("section_path", STR, nullable=False),
        pa.field("block_type", STR, nullable=False),
        pa.field("has_image", pa.bool_(), nullable=False),
        *PAGES,
        pa.field("shard", STR, nullable=False),
        pa.field("row_hash", STR, nullable=False),  # of every column above and what is indexed
    ]
)

#: What a reader needs to show one chunk of one version: the chunk joined with its document.
#: Written at publication as uncompressed Arrow IPC, sorted by (chunk_id, version_no desc), so
#: that a reader maps it into memory and takes rows without decoding the rest.
SERVING = pa.schema(
    [
        pa.field("chunk_id", STR, nullable=False),
        *VERSION,
        pa.field("section_id", STR, nullable=False),
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("version_no", I32, nullable=False),
        pa.field("title", STR, nullable=False),
        pa.field("source_uri", STR, nullable=False),
        pa.field("source_type", STR, nullable=False),
        pa.field("format", STR),
        pa.field("collection", STR, nullable=False),
        pa.field("tags", STRS, nullable=False),
        pa.field("topics", STRS, nullable=False),
        pa.field("external_id", STR),
        pa.field("created_at", TIME, nullable=False),
        pa.field("language", STR, nullable=False),
        pa.field("section_path", STR, nullable=False),
        pa.field("section_title", STR),
        pa.field("chunk_index", I32, nullable=False),
        pa.field("block_type", STR, nullable=False),
        pa.field("chunk_text", STR, nullable=False),
        pa.field("content_hash", STR, nullable=False),
        *RANGE,
        *LINES,
        *PAGES,
        pa.field("page_label", STR),
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),
        pa.field("asset_ids", STRS, nullable=False),
        pa.field("keywords", STRS, nullable=False),
        pa.field("header_row", STR),
        pa.field("ocr_text", STR),
        pa.field("ocr_anchors", pa.list_(ANCHOR)),  # offsets in ocr_text
    ]
)


#: Folders under ``tables/``, as a snapshot names them; the model decides the width of embeddings.
TABLES: dict[str, pa.Schema | None] = {
    "inventory": INVENTORY,
    "documents": DOCUMENTS,
    "parsed": PARSED,
    "media": MEDIA,
    "ocr": OCR,
    "captions": CAPTIONS,
    "normalized": NORMALIZED,
    "sections": SECTIONS,
    "chunks": CHUNKS,
    "summaries": SUMMARIES,
    "links": LINKS,
    "anchors": ANCHORS,
    "enriched": ENRICHED,
    "embeddings": None,
    "serving": SERVING,
}

#: The shard name of a table that is not sharded.
ALL = "all"
