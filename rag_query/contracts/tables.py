"""Every stored table: names, Arrow schemas, keys, and what each column means.

This file never reads or writes anything. A stage reads the tables before it and writes its
own; nobody else may. Offsets are Unicode code points, half open. Lines are 1-based and
inclusive, of the facts (``parsed.md``). Pages are 1-based. Boxes are PDF points with the
origin at the top left of the unrotated-for-display page, ``x0 <= x1`` and ``y0 <= y1``. What is
unknown is null, never borrowed from a neighbour.
"""

from __future__ import annotations

import pyarrow as pa

_STR = pa.string()
_I32 = pa.int32()
_I64 = pa.int64()
_F32 = pa.float32()
_STRS = pa.list_(pa.string())
_TIME = pa.timestamp("us", tz="UTC")

#: One contiguous range of text and the place on a page its characters stand on.
ANCHOR = pa.struct(
    [
        pa.field("char_start", _I32, nullable=False),
        pa.field("char_end", _I32, nullable=False),
        pa.field("page", _I32, nullable=False),
        pa.field("x0", _F32),
        pa.field("y0", _F32),
        pa.field("x1", _F32),
        pa.field("y1", _F32),
    ]
)

#: An image (or other media) the loader saw: where its bytes come from and where it stands.
#: ``ref_id`` lives only within one parse (DEV_SPEC 3.1.3, constraint 3).
MEDIA_REF = pa.struct(
    [
        pa.field("ref_id", _STR, nullable=False),
        pa.field("source_type", _STR, nullable=False),  # markdown | pdf | html
        pa.field("origin_ref", _STR, nullable=False),  # "./a.png", "https://…", "pdf:xref=12:0"
        pa.field("alt", _STR),
        pa.field("char_start", _I32),  # of the reference in the facts
        pa.field("char_end", _I32),
        pa.field("order", _I32),  # within the page (PDF) or the document (Markdown)
        pa.field("page", _I32),
        pa.field("x0", _F32),
        pa.field("y0", _F32),
        pa.field("x1", _F32),
        pa.field("y1", _F32),
        pa.field("heading_path", _STR),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
    ]
)

#: A further place in the same version where a chunk's text stands again.
OCCURRENCE = pa.struct(
    [
        pa.field("char_start", _I32, nullable=False),
        pa.field("char_end", _I32, nullable=False),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
    ]
)

INVENTORY = pa.schema(
    [
        pa.field("source_uri", _STR, nullable=False),  # file://<root>/<path>[#<record>]
        pa.field("root", _STR, nullable=False),
        pa.field("rel_path", _STR, nullable=False),
        pa.field("fragment", _STR),  # the record's _id inside a .jsonl corpus
        pa.field("collection", _STR, nullable=False),
        pa.field("tags", _STRS, nullable=False),
        pa.field("format", _STR),  # markdown | pdf | html | text | record; null when not supported
        pa.field("mime", _STR),
        pa.field("source_type", _STR, nullable=False),  # RetrievalPlan's: file | url | manual
        pa.field("file_bytes", _I64),  # of the whole file, with mtime_ns the re-read test
        pa.field("mtime_ns", _I64),
        pa.field("raw_sha256", _STR),  # of the file in raw/ that holds it; names it there
        pa.field("raw_offset", _I64),  # where this document's bytes lie in it
        pa.field("raw_length", _I64),
        pa.field("file_sha256", _STR),  # of this document's bytes (DEV_SPEC 3.1.1)
        pa.field("shard", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("version_id", _STR),
        pa.field(
            "decision", _STR, nullable=False
        ),  # continue|new_version|skip|removed|failed|ignored
        pa.field("duplicate_of", _STR),  # doc_id that holds the same content (decision skip)
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("first_seen_at", _TIME, nullable=False),
        pa.field("version_seen_at", _TIME),
        pa.field("renamed_from", _STR),  # source_uri the document had before; it keeps its doc_id
    ]
)

DOCUMENTS = pa.schema(
    [
        pa.field("doc_id", _STR, nullable=False),
        pa.field("version_id", _STR),  # null when the bytes never could be read
        pa.field("version_no", _I32),  # 1, 2, … in order of arrival
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("status", _STR, nullable=False),  # active | superseded | removed | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("source_uri", _STR, nullable=False),
        pa.field("aliases", _STRS, nullable=False),  # other URIs of the same content
        pa.field("collection", _STR, nullable=False),
        pa.field("tags", _STRS, nullable=False),
        pa.field("topics", _STRS, nullable=False),
        pa.field("source_type", _STR, nullable=False),
        pa.field("format", _STR),
        pa.field("mime", _STR),
        pa.field("name", _STR, nullable=False),  # file name, or the record's id
        pa.field("external_id", _STR),
        pa.field("root", _STR, nullable=False),
        pa.field("rel_path", _STR, nullable=False),
        pa.field("file_sha256", _STR),
        pa.field("raw_sha256", _STR),
        pa.field("raw_offset", _I64),
        pa.field("raw_length", _I64),
        pa.field("created_at", _TIME, nullable=False),  # first seen
        pa.field("version_created_at", _TIME),
        pa.field("removed_at", _TIME),
        pa.field("title", _STR),  # of a removed one, whose ``parsed`` row is gone; and so:
        pa.field("language", _STR),
    ]
)

PARSED = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("status", _STR, nullable=False),  # ready | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("title", _STR),  # null without one of its own: its name of the day serves
        pa.field("language", _STR),  # zh | en | other (EvidencePack's values)
        pa.field("md", _STR),  # the facts
        pa.field("md_sha256", _STR),
        pa.field("pages", _I32),
        pa.field("page_labels", _STRS),
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # of the facts, in order
        pa.field("outline", _STR),  # JSON [{level, title, page, char_start}]
        pa.field("metadata", _STR),  # JSON: front matter, PDF information
        pa.field("tags", _STRS, nullable=False),  # from front matter
        pa.field("media_refs", pa.list_(MEDIA_REF), nullable=False),
        pa.field(
            "furniture", _STR
        ),  # JSON [[char_start, char_end, kind]]: headers, footers, page numbers
        pa.field("parse_summary", _STR),  # JSON {pages, text_chars, images, warnings, …}
        pa.field("warnings", _STRS, nullable=False),
        pa.field("loader_name", _STR, nullable=False),
        pa.field("loader_version", _STR, nullable=False),
        pa.field("parser_engine", _STR, nullable=False),
        pa.field("engine_version", _STR, nullable=False),
        pa.field("parse_profile_id", _STR, nullable=False),
    ]
)

MEDIA = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("ref_id", _STR, nullable=False),
        pa.field("origin_ref", _STR, nullable=False),
        pa.field("asset_id", _STR),  # sha256 of the bytes; null when they could not be had
        pa.field("status", _STR, nullable=False),  # ready | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("mime", _STR),
        pa.field("bytes", _I64),
        pa.field("width", _I32),
        pa.field("height", _I32),
        pa.field("alt", _STR),
        pa.field("order", _I32),
        pa.field("page", _I32),
        pa.field("x0", _F32),
        pa.field("y0", _F32),
        pa.field("x1", _F32),
        pa.field("y1", _F32),
        pa.field("heading_path", _STR),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
        pa.field("has_thumb", pa.bool_(), nullable=False),
    ]
)

#: One line of text read from a picture: ``text[char_start:char_end]`` of its ``ocr`` row.
OCR_LINE = pa.struct(
    [
        pa.field("char_start", _I32, nullable=False),
        pa.field("char_end", _I32, nullable=False),
        pa.field("confidence", _F32, nullable=False),  # 0 to 1
        pa.field("x0", _F32, nullable=False),  # of a page: as in ANCHOR; of an image: its pixels
        pa.field("y0", _F32, nullable=False),
        pa.field("x1", _F32, nullable=False),
        pa.field("y1", _F32, nullable=False),
    ]
)

#: Text read from pages and images: a sidecar, never part of the facts (DEV_SPEC 3.6.7).
OCR = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("unit", _STR, nullable=False),  # page:<number> | asset:<asset_id>
        pa.field("page", _I32),
        pa.field("asset_id", _STR),
        pa.field("status", _STR, nullable=False),  # ready | empty (no text) | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("image_sha256", _STR),  # of the pixels that were read
        pa.field("width", _I32),  # of them
        pa.field("height", _I32),
        pa.field("rotation", _I32),  # degrees its text is turned clockwise
        pa.field("text", _STR),  # the lines in reading order, joined by line feeds
        pa.field("lines", pa.list_(OCR_LINE), nullable=False),
        pa.field("confidence", _F32),  # mean over characters
        pa.field("engine", _STR),
        pa.field("engine_version", _STR),
        pa.field("ocr_provider_id", _STR, nullable=False),
        pa.field("ocr_profile_id", _STR, nullable=False),
    ]
)

#: What a model said of an image: a sidecar, never part of the facts (DEV_SPEC 3.6.6).
CAPTIONS = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("asset_id", _STR, nullable=False),
        pa.field("status", _STR, nullable=False),  # ready | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("retry", pa.bool_(), nullable=False),  # a failure the next run tries again
        pa.field("image_type", _STR, nullable=False),
        pa.field("summary", _STR, nullable=False),
        pa.field("caption", _STR, nullable=False),  # JSON by the profile's contract (3.6.6.4)
        pa.field("caption_provider_id", _STR, nullable=False),
        pa.field("model_id", _STR, nullable=False),
        pa.field("model_version", _STR),
        pa.field("caption_profile_id", _STR, nullable=False),  # caption.table_v1, …
        pa.field("context_scope", _STR, nullable=False),
        pa.field("context_hash", _STR, nullable=False),  # sha256 of the context that was given
        pa.field("cache_key", _STR, nullable=False),
        pa.field("captioner_profile_id", _STR, nullable=False),
    ]
)

#: What a model made of a chunk: a sidecar (DEV_SPEC 3.1.7.1, point 2). Short chunks have none.
SUMMARIES = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("chunk_id", _STR, nullable=False),
        pa.field("status", _STR, nullable=False),  # ready | failed
        pa.field("code", _STR),
        pa.field("message", _STR),
        pa.field("retry", pa.bool_(), nullable=False),  # a failure the next run tries again
        pa.field("summary", _STR),
        pa.field("llm_provider_id", _STR, nullable=False),
        pa.field("model_id", _STR, nullable=False),
        pa.field("model_version", _STR),
        pa.field("prompt_profile_id", _STR, nullable=False),
        pa.field("cache_key", _STR, nullable=False),
        pa.field("summarizer_profile_id", _STR, nullable=False),
    ]
)

NORMALIZED = pa.schema(
    [
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("md_norm", _STR, nullable=False),
        pa.field("md_norm_sha256", _STR, nullable=False),
        pa.field("line_map", pa.list_(_I32), nullable=False),  # facts line of each md_norm line
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # offsets in md_norm
        pa.field("stats", _STR, nullable=False),  # JSON {removed_chars, lines_stripped, …}
        pa.field("transform_profile_id", _STR, nullable=False),
    ]
)

SECTIONS = pa.schema(
    [
        pa.field("section_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("section_index", _I32, nullable=False),  # order in the document
        pa.field("ordinal", _I32, nullable=False),  # among equal section_path
        pa.field("section_path", _STR, nullable=False),  # "A / B"; "__preamble__"
        pa.field("heading_level", _I32, nullable=False),  # 0 without a heading
        pa.field("title", _STR),
        pa.field("text", _STR, nullable=False),  # == md_norm[char_start:char_end]
        pa.field("text_sha256", _STR, nullable=False),
        pa.field("char_start", _I32, nullable=False),
        pa.field("char_end", _I32, nullable=False),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
        pa.field("page_start", _I32),
        pa.field("page_end", _I32),
        pa.field("sectioner_profile_id", _STR, nullable=False),
    ]
)

CHUNKS = pa.schema(
    [
        pa.field("chunk_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("section_id", _STR, nullable=False),
        pa.field("section_path", _STR, nullable=False),
        pa.field("section_title", _STR),
        pa.field("chunk_index", _I32, nullable=False),  # order in the document; never in the id
        pa.field("block_type", _STR, nullable=False),
        pa.field("chunk_text", _STR, nullable=False),  # == section.text[section_start:section_end]
        pa.field("chunk_fingerprint", _STR, nullable=False),  # sha256(canonical(chunk_text))
        pa.field("section_start", _I32, nullable=False),
        pa.field("section_end", _I32, nullable=False),
        pa.field("char_start", _I32, nullable=False),  # in md_norm
        pa.field("char_end", _I32, nullable=False),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
        pa.field("page_start", _I32),
        pa.field("page_end", _I32),
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),  # offsets in chunk_text
        pa.field("asset_ids", _STRS, nullable=False),
        pa.field("header_row", _STR),  # of a table that had to be cut
        pa.field("also_at", pa.list_(OCCURRENCE), nullable=False),
        pa.field("chunk_build_profile_id", _STR, nullable=False),
    ]
)

LINKS = pa.schema(
    [
        pa.field("doc_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("section_id", _STR),
        pa.field("chunk_id", _STR),
        pa.field(
            "kind", _STR, nullable=False
        ),  # link | reference | wiki | external | section | term
        pa.field("text", _STR),
        pa.field("target_uri", _STR, nullable=False),
        pa.field("target_doc_id", _STR),  # doc_id(target_uri) for internal targets, existing or not
        pa.field("target_anchor", _STR),  # as in ANCHORS; of a term link a chunk_id
        pa.field("weight", _F32, nullable=False),
    ]
)

#: What a link into a document can name besides the document itself.
ANCHORS = pa.schema(
    [
        pa.field("doc_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("anchor", _STR, nullable=False),  # slug of a heading, or of an explicit id
        pa.field("chunk_id", _STR, nullable=False),  # where what it names begins
        pa.field("chunk_count", _I32, nullable=False),  # so many from there on, by chunk_index
    ]
)

ENRICHED = pa.schema(
    [
        pa.field("chunk_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("language", _STR, nullable=False),
        pa.field("retrieval_text", _STR, nullable=False),
        pa.field("keywords", _STRS, nullable=False),
        pa.field("ocr_text", _STR),  # read from its pages and images; lines as in ``ocr``
        pa.field("ocr_anchors", pa.list_(ANCHOR)),  # offsets in ocr_text
        pa.field("captions", _STRS, nullable=False),
        pa.field("summary", _STR),
        pa.field("embedding_text", _STR, nullable=False),  # canonical; what is embedded
        pa.field("content_hash", _STR, nullable=False),  # sha256(embedding_text)
        pa.field("text_norm_profile_id", _STR, nullable=False),
        pa.field("enrichment_profile_id", _STR, nullable=False),
    ]
)


def embeddings_schema(dimensions: int) -> pa.Schema:
    """Vectors of one embedding space; L2-normalised float32 of ``dimensions``.

    A chunk without a row is still to be embedded (``pending_embed`` in DEV_SPEC 3.1.6.4). No
    reader meets one: a snapshot is published when every chunk has its row.
    """
    return pa.schema(
        [
            pa.field("chunk_id", _STR, nullable=False),
            pa.field("version_id", _STR, nullable=False),
            pa.field("doc_id", _STR, nullable=False),
            pa.field("content_hash", _STR, nullable=False),
            pa.field("embedding_id", _STR, nullable=False),
            pa.field("embedder_id", _STR, nullable=False),
            pa.field("embedder_version", _STR, nullable=False),
            pa.field("text_norm_profile_id", _STR, nullable=False),
            pa.field("status", _STR, nullable=False),  # ready | failed_embed
            pa.field("code", _STR),
            pa.field("vector", pa.list_(_F32, dimensions)),  # null when failed_embed
        ]
    )


#: What both indexes hold of a chunk besides its text or vector: enough to filter before
#: retrieval (DEV_SPEC 3.1.6.4.1, 3.2.5). One row for each chunk_id; ``version_ids`` lists
#: every indexed version that contains it and ``is_latest`` says whether the newest does.
INDEX_ROW = pa.schema(
    [
        pa.field("chunk_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("section_id", _STR, nullable=False),
        pa.field("version_ids", _STRS, nullable=False),
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("collection", _STR, nullable=False),
        pa.field("tags", _STRS, nullable=False),
        pa.field("topics", _STRS, nullable=False),
        pa.field("source_type", _STR, nullable=False),
        pa.field("source_uri", _STR, nullable=False),
        pa.field("language", _STR, nullable=False),
        pa.field("created_at", _TIME, nullable=False),
        pa.field("section_path", _STR, nullable=False),
        pa.field("block_type", _STR, nullable=False),
        pa.field("has_image", pa.bool_(), nullable=False),
        pa.field("page_start", _I32),
        pa.field("page_end", _I32),
        pa.field("shard", _STR, nullable=False),
        pa.field("row_hash", _STR, nullable=False),  # of every column above and what is indexed
    ]
)

#: What a reader needs to show one chunk of one version: the chunk joined with its document.
#: Written at publication as uncompressed Arrow IPC, sorted by (chunk_id, version_no desc), so
#: that a reader maps it into memory and takes rows without decoding the rest.
SERVING = pa.schema(
    [
        pa.field("chunk_id", _STR, nullable=False),
        pa.field("version_id", _STR, nullable=False),
        pa.field("doc_id", _STR, nullable=False),
        pa.field("section_id", _STR, nullable=False),
        pa.field("is_latest", pa.bool_(), nullable=False),
        pa.field("version_no", _I32, nullable=False),
        pa.field("title", _STR, nullable=False),
        pa.field("source_uri", _STR, nullable=False),
        pa.field("source_type", _STR, nullable=False),
        pa.field("format", _STR),
        pa.field("collection", _STR, nullable=False),
        pa.field("tags", _STRS, nullable=False),
        pa.field("topics", _STRS, nullable=False),
        pa.field("external_id", _STR),
        pa.field("created_at", _TIME, nullable=False),
        pa.field("language", _STR, nullable=False),
        pa.field("section_path", _STR, nullable=False),
        pa.field("section_title", _STR),
        pa.field("chunk_index", _I32, nullable=False),
        pa.field("block_type", _STR, nullable=False),
        pa.field("chunk_text", _STR, nullable=False),
        pa.field("content_hash", _STR, nullable=False),
        pa.field("char_start", _I32, nullable=False),
        pa.field("char_end", _I32, nullable=False),
        pa.field("line_start", _I32),
        pa.field("line_end", _I32),
        pa.field("page_start", _I32),
        pa.field("page_end", _I32),
        pa.field("page_label", _STR),
        pa.field("anchors", pa.list_(ANCHOR), nullable=False),
        pa.field("asset_ids", _STRS, nullable=False),
        pa.field("keywords", _STRS, nullable=False),
        pa.field("header_row", _STR),
        pa.field("ocr_text", _STR),
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
