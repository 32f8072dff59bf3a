"""EvidencePack v0.1: what was found, how it was scored, and where it comes from.

Fields marked *extension* are this project's; all are optional, as v0.1 allows. A field that is
not known is null, never invented.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_query.contracts.plan import (
    FusionMethod,
    LanguageCode,
    Mode,
    Normalization,
    SnippetPolicy,
    SourceType,
)

PACK_VERSION = "0.1"

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


class ModeStats(PackPart):
    """Distinct candidates found by queries of a mode, and how many came back."""

    candidates: int
    returned: int


class Stats(PackPart):
    """Counts and times.

    Attributes:
        candidates: distinct chunks any leg found.
        returned: evidences in the pack.
        took_ms: from the plan to the pack.
        by_mode: by the mode of the query.
        by_leg: *extension.* Distinct chunks each leg found.
        stage_ms: *extension.* Milliseconds by stage; the legs run side by side.
        dense_sparse_overlap: *extension.* Chunks both legs found (DEV_SPEC 3.2.7).
    """

    candidates: int = 0
    returned: int = 0
    took_ms: float = 0.0
    by_mode: dict[Mode, ModeStats] = Field(default_factory=dict)
    by_leg: dict[Leg, int] = Field(default_factory=dict)
    stage_ms: dict[str, float] = Field(default_factory=dict)
    dense_sparse_overlap: int | None = None


class FusionExplain(PackPart):
    """The fusion that ran."""

    method: FusionMethod
    rrf_k: int
    weights: dict[str, float]
    normalization: Normalization | None = None


class RerankExplain(PackPart):
    """Whether a reranker ordered the list.

    Attributes:
        enabled: a reranker was asked and answered.
        model: the provider's id.
        top_n: candidates it saw.
        failed: *extension.* It failed or ran out of time; the fused order stands.
    """

    enabled: bool
    model: str | None = None
    top_n: int | None = None
    failed: bool = False


class DiversityExplain(PackPart):
    """The limits, and whether one of them dropped a candidate.

    Attributes:
        mmr: *extension.* Lambda of maximal marginal relevance, when it ran.
        mmr_similarity: *extension.* What it compared: ``vectors``, or ``words`` without them.
        overlaps_collapsed: *extension.* Candidates that were one with an evidence.
        duplicates_collapsed: *extension.* Candidates that said what an evidence says.
    """

    by_document: int | None = None
    by_source: int | None = None
    by_section: int | None = None
    applied: bool = False
    mmr: float | None = None
    mmr_similarity: Literal["vectors", "words"] | None = None
    overlaps_collapsed: int = 0
    duplicates_collapsed: int = 0


class FilterStep(PackPart):
    """*Extension.* Where one condition or preference was executed (DEV_SPEC 3.2.5.5).

    Attributes:
        field: of the plan's filters; of a soft preference ``prefer_…``.
        query_index: the query it holds for; null for all of them.
        strength: a hard one excludes, a soft one orders.
        stage: before retrieval, after it, or when the list is ordered.
        missing: what a chunk without the field is: in, out, or in without a boost.
        executed_in: the legs; of a soft preference none.
        source: the plan, or the question's own words.
    """

    field: str
    query_index: int | None = None
    strength: Literal["hard", "soft"] = "hard"
    stage: Literal["pre", "post", "rerank"] = "pre"
    missing: Literal["include", "exclude", "no_boost"] = "exclude"
    executed_in: list[Leg]
    source: Literal["plan", "question"] = "plan"


class Dropped(PackPart):
    """*Extension.* Candidates a rule kept out of the list.

    Attributes:
        rule: ``by_document``, ``by_source``, ``by_section``, ``per_mode_k``, ``top_k``,
            ``overlap``, ``near_duplicate`` or ``text_condition``.
        count: how many.
        samples: the best of them, at most five chunk ids.
    """

    rule: str
    count: int
    samples: list[str]


class ExpansionTerm(PackPart):
    """*Extension.* What an associative query also searched.

    Attributes:
        term: as the hits have it, or a variant of the question.
        weight: beside 1 for a word of the question.
        hits: how many of the best hits have it.
        source: ``keyword`` of the hits, a word that sets their text apart (``relevance``), or a
            ``variant`` of the question by a language model.
    """

    term: str
    weight: float
    hits: int
    source: Literal["keyword", "relevance", "variant"] = "keyword"


class NamedEntity(PackPart):
    """*Extension.* A title or heading the question names, from where a relational query walks."""

    name: str
    kind: Literal["title", "heading"]
    chunk_id: str


class SynonymUse(PackPart):
    """*Extension.* What the library's file of synonyms added to the BM25 search.

    Attributes:
        written: the variant that stands in the question.
        added: what it stands for.
        weight: of the added words, beside 1 for a word of the question.
    """

    written: str
    added: list[str]
    weight: float


class ParsedCondition(PackPart):
    """*Extension.* A filter that the question's own words state.

    Attributes:
        field: of the plan's filters.
        value: as a plan would give it.
        words: that state it.
        applied: whether it held; see ``reason``.
        reason: why it did not.
    """

    field: str
    value: Any
    words: str
    applied: bool = True
    reason: str | None = None


class RewriteExplain(PackPart):
    """*Extension.* What a language model made of a question (DEV_SPEC 3.2.3.2, 3.2.8.1).

    Attributes:
        rewrite_used: whether its answer acted.
        rewrite_profile_id: model, prompt and parameters.
        rewrite_failed: it failed; the question ran as it was written.
        fallback_mode: ``query_plain`` when it failed.
        code: of the failure.
    """

    rewrite_used: bool
    rewrite_profile_id: str | None = None
    rewrite_failed: bool = False
    fallback_mode: Literal["query_plain"] | None = None
    code: str | None = None


class QueryExplain(PackPart):
    """*Extension.* How a query's text was understood (QueryIR, DEV_SPEC 3.2.3).

    Attributes:
        query_index: which query of the plan.
        mode: as asked.
        retrieval_mode_effective: ``hybrid``, ``dense_only``, ``sparse_only``; what really ran.
        normalized_query: the text after normalisation.
        language: of the text.
        intent: by rules.
        phrases: word groups that must stand together.
        required: terms that must occur.
        excluded: terms that must not occur.
        lexical_coverage: share of the query's different words that the library knows, rare ones
            counting more; a low one takes weight from the exact leg of a hybrid query.
        identifiers: tokens that name one thing and stand in a few chunks; where there are some,
            the semantic leg of a hybrid query has less weight.
        wildcards: words with ``*`` or ``~`` as they were written.
        dense_query_text: what was embedded, when it is not the plain text of the query.
        synonyms: what the library's file of synonyms added.
        parsed_filters: conditions the text states.
        parsed_preferences: soft preferences the text states.
        rewrite: what a language model made of it, when one was asked.
        entities: of a relational query: what it names.
        neighbours: of an associative query: whether the embedding was moved towards its hits.
        expansions: of an associative query: the terms added to it, strongest first.
        seeds: of a relational or associative query: the hits it set out from, best first.
    """

    query_index: int
    mode: Mode
    retrieval_mode_effective: Literal["hybrid", "dense_only", "sparse_only"]
    normalized_query: str
    language: LanguageCode
    intent: str
    phrases: list[str] = Field(default_factory=list)
    required: list[str] = Field(default_factory=list)
    excluded: list[str] = Field(default_factory=list)
    lexical_coverage: float | None = None
    identifiers: list[str] = Field(default_factory=list)
    wildcards: list[str] = Field(default_factory=list)
    dense_query_text: str | None = None
    synonyms: list[SynonymUse] = Field(default_factory=list)
    parsed_filters: list[ParsedCondition] = Field(default_factory=list)
    parsed_preferences: list[Preference] = Field(default_factory=list)
    rewrite: RewriteExplain | None = None
    entities: list[NamedEntity] | None = None
    neighbours: bool | None = None
    expansions: list[ExpansionTerm] | None = None
    seeds: list[str] | None = None


class Explain(PackPart):
    """Why the list is what it is.

    Attributes:
        fusion: what fused.
        rerank: what reranked.
        filters_applied: the conditions that held for every query, and for one query under
            ``queries[i]``.
        diversity: the limits.
        ignored_fields: fields of the plan that did nothing, with the reason.
        filter_execution_plan: *extension.* Where each condition ran.
        dropped: *extension.* What was dropped, by rule.
        queries: *extension.* How each query was understood and executed.
        dense_failed: *extension.* Code of the dense leg's failure (DEV_SPEC 3.2.8.2).
        sparse_failed: *extension.* Code of the sparse leg's failure.
        effective_rank_source: *extension.* ``rerank``, ``fusion``, or the only leg.
        snapshot: *extension.* Number of the snapshot that answered.
        strategy_config_id: *extension.* The strategy that answered.
        profile_ids: *extension.* Stage -> profile of what took part.
        trace_id: *extension.* The trace of this query; null when none was kept.
    """

    fusion: FusionExplain | None = None
    rerank: RerankExplain | None = None
    filters_applied: dict[str, Any] = Field(default_factory=dict)
    diversity: DiversityExplain | None = None
    ignored_fields: list[str] = Field(default_factory=list)
    filter_execution_plan: list[FilterStep] = Field(default_factory=list)
    dropped: list[Dropped] = Field(default_factory=list)
    queries: list[QueryExplain] = Field(default_factory=list)
    dense_failed: str | None = None
    sparse_failed: str | None = None
    effective_rank_source: Literal["rerank", "fusion"] | Leg | None = None
    snapshot: int | None = None
    strategy_config_id: str | None = None
    profile_ids: dict[str, str] = Field(default_factory=dict)
    trace_id: str | None = None


class EvidencePack(PackPart):
    """The answer to a plan. ``evidences`` is in final order and may be empty.

    Attributes:
        plan: the effective plan, defaults filled in; running it again on the same snapshot
            gives the same evidences.
    """

    version: str = PACK_VERSION
    plan: dict[str, Any] | None = None
    plan_id: str
    request_id: str | None = None
    generated_at: datetime
    evidences: list[EvidenceItem]
    stats: Stats = Field(default_factory=Stats)
    explain: Explain = Field(default_factory=Explain)
    warnings: list[str] = Field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The pack as JSON, without fields that are not known."""
        return self.model_dump(mode="json", exclude_none=True)
