"""RetrievalPlan v0.1: what to retrieve, how, how much, and how noise is kept out.

The models only say what a plan is. ``retrieval/validation.py`` turns JSON into one, with
messages that name the field and the allowed values; ``retrieval/defaults.py`` fills in what is
left open, from the purpose and the strategy.

Unknown fields are kept, so that they can be named in ``explain.ignored_fields``. Fields marked
*extension* are this project's; all are optional, as v0.1 allows.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from rag_query.contracts.filters import Filters, SourceType
from rag_query.contracts.plan_part import Count, PlanPart, Real

PLAN_VERSION = "0.1"
MAX_QUERIES = 32
MAX_QUERY_CHARS = 20_000
MAX_TOP_K = 1000
MAX_CANDIDATE_K = 10_000

Purpose = Literal["qa", "continue_task", "debug", "summarize", "research", "other"]
Mode = Literal["exact", "semantic", "hybrid", "relational", "associative"]
FusionMethod = Literal["rrf", "weighted_sum", "none"]
Normalization = Literal["min_max", "theoretical_min_max"]
TieBreaker = Literal["recency", "source_priority", "none"]
SnippetPolicy = Literal["l2", "l1", "l0", "auto"]
Repeated = Literal["collapse", "keep"]


class Query(PlanPart):
    """One query.

    Attributes:
        text: 1 to 20,000 characters, not blank. In ``exact`` and ``hybrid`` mode ``"a phrase"``
            must occur as it stands, ``+term`` must occur and ``-term`` must not.
        mode: ``exact`` (BM25), ``semantic`` (embedding), ``hybrid`` (both, fused),
            ``relational``, ``associative``.
        weight: multiplies the query's share in fusion.
        filters: replace ``global_filters`` field by field for this query.
        hints: free; hints nobody acts on are named in ``explain.ignored_fields``.
    """

    text: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    mode: Mode = "hybrid"
    weight: Real = Field(1.0, ge=0, le=1000, allow_inf_nan=False)
    filters: Filters | None = None
    hints: dict[str, Any] = Field(default_factory=dict)

    @field_validator("text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not any(ch.isprintable() and not ch.isspace() for ch in value):
            raise ValueError("there is nothing to search for: only blanks or control characters")
        return value


_Quota = Annotated[Count | None, Field(ge=0, le=MAX_TOP_K)]


class PerModeK(PlanPart):
    """At most so many evidences whose strongest query has the mode."""

    exact: _Quota = None
    semantic: _Quota = None
    hybrid: _Quota = None
    relational: _Quota = None
    associative: _Quota = None


class Diversity(PlanPart):
    """At most so many evidences of one document, one source or one section.

    A *source* is the folder a document lies in (its URI without the last segment and the
    record), so that one site or one folder cannot crowd out the others.

    Attributes:
        mmr: *extension.* Maximal marginal relevance: 1 for relevance alone, lower for evidences
            unlike each other; left out, it does not run.
        overlaps: *extension.* Chunks of one version that share most of their span are one
            evidence; ``collapse`` by default.
        near_duplicates: *extension.* Passages that say the same words are one evidence, which
            names and counts the others; ``collapse`` by default.
    """

    by_document: Count | None = Field(None, ge=1, le=MAX_TOP_K)
    by_source: Count | None = Field(None, ge=1, le=MAX_TOP_K)
    by_section: Count | None = Field(None, ge=1, le=MAX_TOP_K)
    mmr: Real | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    overlaps: Repeated | None = None
    near_duplicates: Repeated | None = None


class Budget(PlanPart):
    """How much is returned.

    Attributes:
        top_k: evidences returned.
        per_mode_k: quotas by mode.
        candidate_k: candidates each leg of each query recalls; never fewer than ``top_k``.
        diversity: see :class:`Diversity`.
    """

    top_k: Count | None = Field(None, ge=1, le=MAX_TOP_K)
    per_mode_k: PerModeK = Field(default_factory=PerModeK)
    candidate_k: Count | None = Field(None, ge=1, le=MAX_CANDIDATE_K)
    diversity: Diversity = Field(default_factory=Diversity)


_Weight = Annotated[Real | None, Field(ge=0, le=1000, allow_inf_nan=False)]


class FusionWeights(PlanPart):
    """``exact`` and ``semantic`` weigh the legs (of hybrid queries too); the other three
    multiply every leg of queries of that mode. What relational and associative queries find by
    links and by added terms weighs a fixed share of ``exact``."""

    exact: _Weight = None
    semantic: _Weight = None
    hybrid: _Weight = None
    relational: _Weight = None
    associative: _Weight = None

    def of_mode(self, mode: Mode) -> float:
        """What multiplies every leg of a query of this mode, 0 and up; 1 where nothing does."""
        weight = {
            "hybrid": self.hybrid,
            "relational": self.relational,
            "associative": self.associative,
        }.get(mode)
        return 1.0 if weight is None else weight


class Fusion(PlanPart):
    """How the rankings of queries and legs become one.

    Attributes:
        method: ``rrf`` (sum of weight / (rrf_k + rank)), ``weighted_sum`` (weighted mean of
            normalised scores) or ``none`` (the first ranking, then what only the next one has).
        rrf_k: RRF's constant.
        weights: see :class:`FusionWeights`.
        normalization: *extension.* For ``weighted_sum``: by lowest and highest score of the
            ranking, or by the measure's theoretical minimum (0 for BM25, -1 for cosine).
    """

    method: FusionMethod | None = None
    rrf_k: Count | None = Field(None, ge=1, le=10_000)
    weights: FusionWeights = Field(default_factory=FusionWeights)
    normalization: Normalization | None = None


class Rerank(PlanPart):
    """Second look at the best candidates.

    Attributes:
        enabled: whether the strategy's reranker runs.
        model: the reranker asked for; another than the strategy's is ignored and said so.
        top_n: candidates it sees.
    """

    enabled: bool | None = None
    model: str | None = None
    top_n: Count | None = Field(None, ge=1, le=MAX_TOP_K)


class Ranking(PlanPart):
    """Fusion, reranking and what decides between equal scores.

    Attributes:
        tie_breaker: newer first, by ``source_priority``, or neither; the chunk id decides what
            is still equal.
        source_priority: source_type -> priority, higher first; 0 for types not named.
        prefer_recent: *extension.* Newer documents rank higher (DEV_SPEC 3.2.5.2); nothing is
            dropped. The formula is in ``retrieval/relevance.py``.
        prefer_official: *extension.* Documents tagged as official rank higher.
        prefer_has_image: *extension.* Chunks that show an image rank higher.
    """

    fusion: Fusion = Field(default_factory=Fusion)
    rerank: Rerank = Field(default_factory=Rerank)
    tie_breaker: TieBreaker = "none"
    source_priority: dict[SourceType, Annotated[float, Field(allow_inf_nan=False)]] = Field(
        default_factory=dict
    )
    prefer_recent: bool = False
    prefer_official: bool = False
    prefer_has_image: bool = False


class Output(PlanPart):
    """What is returned of each evidence.

    Attributes:
        include_snippets: false leaves ``snippet`` empty.
        snippet_policy: ``l0`` title path and the best sentence, ``l1`` the best sentences,
            ``l2`` the chunk from its beginning, ``auto`` the whole chunk when it fits, else l1.
        include_signals: false leaves only the score that ordered the list.
        include_provenance: false leaves only the mode.
        include_raw: adds the chunk's full text and index row under ``raw.debug_payload``.
        max_snippet_chars: no snippet is longer.
    """

    include_snippets: bool = True
    snippet_policy: SnippetPolicy = "auto"
    include_signals: bool = True
    include_provenance: bool = True
    include_raw: bool | None = None
    max_snippet_chars: Count | None = Field(None, ge=1, le=20_000)


class Debug(PlanPart):
    """For whoever reads the trace.

    Attributes:
        trace: false leaves no trace of this query.
        notes: free text, kept in the trace with the plan.
        caller: who asks, kept in the trace with the plan.
    """

    trace: bool = True
    notes: str | None = Field(None, max_length=10_000)
    caller: dict[str, Any] = Field(default_factory=dict)


class RetrievalPlan(PlanPart):
    """A validated plan. See the module's text for how it is made from JSON."""

    version: str = PLAN_VERSION
    request_id: str | None = Field(None, max_length=200)
    purpose: Purpose = "other"
    queries: list[Query] = Field(min_length=1, max_length=MAX_QUERIES)
    global_filters: Filters = Field(default_factory=Filters)
    budget: Budget = Field(default_factory=Budget)
    ranking: Ranking = Field(default_factory=Ranking)
    output: Output = Field(default_factory=Output)
    debug: Debug = Field(default_factory=Debug)

    def filters_of(self, index: int) -> Filters:
        """What query ``index`` is filtered by."""
        return self.global_filters.merged(self.queries[index].filters)
