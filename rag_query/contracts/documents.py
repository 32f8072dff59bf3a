"""What a client is told of documents: lists, details, sections and chunks of one snapshot."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_query.text.pictures import words_of

DocumentStatus = Literal["active", "failed", "removed", "pending"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DocumentSummary(_Model):
    """One line of a list of documents; of its effective version where that matters."""

    doc_id: str
    version_id: str | None = Field(description="null when its bytes never could be read")
    version_no: int | None
    title: str
    name: str = Field(description="file name, or the record's id")
    external_id: str | None
    source_uri: str
    aliases: list[str] = Field(description="other URIs of the same content")
    source_type: str
    format: str | None
    mime: str | None
    collection: str
    topics: list[str]
    tags: list[str]
    language: str | None
    pages: int | None
    status: DocumentStatus
    code: str | None = Field(description="why it, or its newest version, failed")
    message: str | None
    versions: int
    chunks: int
    sections: int
    created_at: datetime
    updated_at: datetime | None
    removed_at: datetime | None


class CorpusListing(_Model):
    """A file whose lines are documents."""

    source_uri: str
    collection: str
    doc_ids: list[str] = Field(description="of its records, removed ones too")
    live: int = Field(description="records that are not removed")
    chunks: int


class DocumentPage(_Model):
    """One page of a list."""

    items: list[DocumentSummary]
    total: int = Field(description="documents that match, on all pages")
    next_cursor: str | None


class DocumentVersion(_Model):
    """One content a document had."""

    version_id: str
    version_no: int
    status: str = Field(description="active | superseded | removed | failed")
    parse_status: str | None = Field(description="ready | failed")
    code: str | None
    message: str | None
    pages: int | None
    file_sha256: str | None
    created_at: datetime | None


class OutlineEntry(BaseModel):
    """A heading or bookmark; what a loader adds beyond these fields is kept."""

    model_config = ConfigDict(extra="allow")

    level: int
    title: str
    page: int | None = None
    char_start: int | None = None


class DocumentDetail(DocumentSummary):
    """A document with everything but its text."""

    all_versions: list[DocumentVersion]
    outline: list[OutlineEntry]
    metadata: dict[str, Any] = Field(description="front matter, or the PDF's information")
    warnings: list[str]


class SectionListing(_Model):
    """A section; offsets are in the normalised Markdown, lines in the facts."""

    section_id: str
    section_index: int
    section_path: str
    heading_level: int
    title: str | None
    char_start: int
    char_end: int
    line_start: int | None
    line_end: int | None
    page_start: int | None
    page_end: int | None


class ChunkListing(_Model):
    """A chunk in the order of its document."""

    chunk_id: str
    section_id: str
    section_path: str
    chunk_index: int
    block_type: str
    chunk_text: str
    char_start: int
    char_end: int
    line_start: int | None
    line_end: int | None
    page_start: int | None
    page_end: int | None
    asset_ids: list[str]
    ocr_text: str | None = Field(None, description="read by OCR from its pages and images")

    @property
    def words(self) -> str:
        """Its text; what OCR read, of a chunk that is nothing but pictures."""
        return words_of(self.chunk_text, self.ocr_text)

    @property
    def is_read(self) -> bool:
        """Whether its words are those that OCR read."""
        return self.words is not self.chunk_text


class MediaListing(_Model):
    """A medium of published documents."""

    asset_id: str
    mime: str | None
    bytes: int | None
    alt: str | None
    title: str = Field(description="of a document that shows it")
