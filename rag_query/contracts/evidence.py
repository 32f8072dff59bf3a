"""EvidencePack v0.1, ``evidences``: what was found, how it was scored, where it comes from.

Fields marked *extension* are this project's; all are optional, as v0.1 allows. A field that is
not known is null, never invented.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_query.contracts.filters import LanguageCode, SourceType
from rag_query.contracts.plan import Mode, SnippetPolicy

#: What searched: ``sparse`` is BM25, ``dense`` the embedding. What follows their best hits:
#: ``links`` walks from them (relational), ``expansion`` is BM25 with terms of theirs and
#: ``neighbours`` the embedding moved towards them (associative).
Leg = Literal["sparse", "dense", "links", "expansion", "neighbours"]


class PackPart(BaseModel):
    """Base of every object of a pack."""

    model_config = ConfigDict(extra="forbid")


#: Soft preferences: they order, and drop nothing.
Preference = Literal["recent", "official", "has_image"]


class Boost(PackPart):
    """*Extension.* What a soft preference added to an evidence (``retrieval/relevance.py``).

    Attributes:
        name: of the preference.
        feature: 0 to 1; 0 where what it looks at is not known.
        weight: of the preference.
        added: ``weight * feature``.
    """

    name: Preference
    feature: float
    weight: float
    added: float


class LinkStep(PackPart):
    """*Extension.* One step of the walk that led from a hit to an evidence.

    Attributes:
        from_chunk: where the step begins; of the first step, a hit of the query.
        kind: of the link: ``link``, ``reference``, ``wiki``, ``section``, ``term``.
        direction: ``out`` along the link, ``in`` against it: the chunk reached holds the link.
        text: the link's words.
        to_chunk: where it leads.
    """

    from_chunk: str
    kind: str
    direction: Literal["out", "in"]
    text: str | None = None
    to_chunk: str


class LegSignal(PackPart):
    """*Extension.* What one leg of one query said of an evidence, and what fusion made of it.

    Attributes:
        query_index: which query of the plan.
        leg: what searched.
        score: as the index gave it: BM25 (0 and up) or cosine (-1 to 1); of ``links`` what decay
            left of the hit's strength, 0 to 1.
        rank: 1 for the best.
        normalized: the score after normalisation (``weighted_sum`` only).
        weight: of this leg of this query.
        contribution: what it added to the fused score.
        path: of ``links``: the steps from a hit to this evidence.
    """

    query_index: int
    leg: Leg
    score: float
    rank: int
    normalized: float | None = None
    weight: float
    contribution: float
    path: list[LinkStep] | None = None


class Signals(PackPart):
    """Every score an evidence got; null where it was not found or not asked.

    Attributes:
        vector_score: best cosine over the queries, -1 to 1.
        vector_rank: best rank in a dense leg, from 1.
        fts_score: best BM25 score over the queries.
        fts_rank: best rank in a sparse leg, from 1.
        rrf_score: reciprocal rank fusion of all legs, whichever fusion ordered the list.
        rerank_score: as the reranker gave it.
        tag_score: share of the asked tags it has, when tags were asked for.
        topic_score: share of the asked topics it has, when topics were asked for.
        recency_score: 0 for the oldest to 1 for the newest candidate, when recency breaks ties.
        fused_score: *extension.* The score of the effective fusion.
        final_score: *extension.* What ordered the list when soft preferences took part: the
            relevance, 0 to 1, and every boost.
        boosts: *extension.* One entry for each soft preference that took part.
        legs: *extension.* One entry for each leg of each query that found it.
    """

    vector_score: float | None = None
    vector_rank: int | None = None
    fts_score: float | None = None
    fts_rank: int | None = None
    rrf_score: float | None = None
    rerank_score: float | None = None
    tag_score: float | None = None
    topic_score: float | None = None
    recency_score: float | None = None
    fused_score: float | None = None
    final_score: float | None = None
    boosts: list[Boost] = Field(default_factory=list)
    legs: list[LegSignal] = Field(default_factory=list)


class Provenance(PackPart):
    """Which query found it; the strongest one where several did."""

    mode: Mode
    query_text: str | None = None
    query_index: int | None = None
    retrieved_at: datetime | None = None


class Box(PackPart):
    """*Extension.* A rectangle on a page, in PDF points from the top left, ``x0 <= x1``."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class EvidenceMetadata(PackPart):
    """Where in the document it stands. Offsets are code points of the normalised Markdown.

    Attributes:
        chunk_index: place of the chunk in its document, from 0.
        offset_start: first character.
        offset_end: one past the last.
        from_ocr: *extension.* The snippet was read from a picture of the page by OCR; pages and
            boxes are those of the lines shown.
        page: page the snippet's first words stand on, 1-based; without a snippet the chunk's.
        section_title: nearest heading.
        page_end: *extension.* Page of the last words of the snippet, or of the chunk.
        page_label: *extension.* The page's printed number; null when the snippet begins on a later
            page than the chunk.
        boxes: *extension.* Where on the pages the snippet stands; without a snippet the chunk.
        section_path: *extension.* Headings from the top, joined by " / ".
        block_type: *extension.* Paragraph, table, code, …
        version_id: *extension.* The document version the text is from.
        version_no: *extension.* 1 for the first version.
        is_latest: *extension.* Whether that version is the newest.
        line_start: *extension.* First line of the parsed text, 1-based.
        line_end: *extension.* Last line, inclusive.
        asset_ids: *extension.* Images of the chunk, for ``asset://…``.
        collection: *extension.*
        tags: *extension.*
        topics: *extension.*
        keywords: *extension.*
        external_id: *extension.* The record's own id in its corpus.
        created_at: *extension.* When the document was first seen.
        matches: *extension.* Where in ``snippet`` the query's words stand, as [start, end) in
            code points.
        duplicates: *extension.* Ids of candidates that say the same and were collapsed into this
            evidence, best first, at most twenty.
        duplicate_count: *extension.* How many they were.
    """

    chunk_index: int | None = None
    offset_start: int | None = None
    offset_end: int | None = None
    from_ocr: bool | None = None
    page: int | None = None
    section_title: str | None = None
    page_end: int | None = None
    page_label: str | None = None
    boxes: list[Box] = Field(default_factory=list)
    section_path: str | None = None
    block_type: str | None = None
    version_id: str | None = None
    version_no: int | None = None
    is_latest: bool | None = None
    line_start: int | None = None
    line_end: int | None = None
    asset_ids: list[str] = Field(default_factory=list)
    collection: str | None = None
    tags: list[str] = Field(default_factory=list)
    topics: list[str] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)
    external_id: str | None = None
    created_at: datetime | None = None
    matches: list[tuple[int, int]] = Field(default_factory=list)
    duplicates: list[str] = Field(default_factory=list)
    duplicate_count: int = 0


class Raw(PackPart):
    """What the evidence was made from.

    Attributes:
        content_ref: the layer the snippet was taken from: ``chunk:l0``, ``chunk:l1``, ``chunk:l2``;
            ``ocr:…`` for text read from pictures.
        content_hash: ``sha256:`` and the hash of the canonical text that was embedded.
        debug_payload: the chunk's whole text and its row, with ``output.include_raw``.
    """

    content_ref: str | None = None
    content_hash: str | None = None
    debug_payload: dict[str, Any] | None = None


class EvidenceItem(PackPart):
    """One passage.

    Attributes:
        id: the chunk's id, the same as long as its text stands in its section; followed by
            ``@`` and the version's id when the passage is of an older version.
        provenances: *extension.* Every query that found it, strongest first.
    """

    id: str
    kind: Literal["resource_section", "resource_doc", "memory_chunk", "other"] = "resource_section"
    document_id: str | None = None
    section_id: str | None = None
    title: str | None = None
    source_uri: str
    source_type: SourceType | None = None
    snippet: str
    snippet_policy: SnippetPolicy | None = None
    language: LanguageCode | None = None
    signals: Signals
    provenance: Provenance
    provenances: list[Provenance] = Field(default_factory=list)
    metadata: EvidenceMetadata = Field(default_factory=EvidenceMetadata)
    raw: Raw = Field(default_factory=Raw)

    @property
    def chunk_id(self) -> str:
        return self.id.partition("@")[0]
