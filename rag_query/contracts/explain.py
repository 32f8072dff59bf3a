"""EvidencePack v0.1, ``explain``: how the questions were understood, and what was done to the list.

Extensions and fields that are not known are as in :mod:`rag_query.contracts.evidence`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rag_query.contracts.evidence import Leg, PackPart, Preference
from rag_query.contracts.filters import LanguageCode
from rag_query.contracts.plan import FusionMethod, Mode, Normalization


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
