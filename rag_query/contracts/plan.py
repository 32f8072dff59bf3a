"""RetrievalPlan v0.1: what to retrieve, how, how much, and how noise is kept out.

The models only say what a plan is. ``retrieval/validation.py`` turns JSON into one, with
messages that name the field and the allowed values; ``retrieval/defaults.py`` fills in what is
left open, from the purpose and the strategy.

Unknown fields are kept, so that they can be named in ``explain.ignored_fields``. Fields marked
*extension* are this project's; all are optional, as v0.1 allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

PLAN_VERSION = "0.1"
MAX_QUERIES = 32
MAX_QUERY_CHARS = 20_000
MAX_TOP_K = 1000
MAX_CANDIDATE_K = 10_000
MAX_FILTER_VALUES = 10_000
#: Of a section path or the beginning of a source URI. What is longer takes too long to look for.
MAX_PREFIX_CHARS = 1_000
#: The greatest number a column of pages holds.
MAX_PAGE = 2**31 - 1

Purpose = Literal["qa", "continue_task", "debug", "summarize", "research", "other"]
Mode = Literal["exact", "semantic", "hybrid", "relational", "associative"]
SourceType = Literal["url", "file", "manual", "memory_snapshot", "other"]
LanguageCode = Literal["zh", "en", "other"]
FusionMethod = Literal["rrf", "weighted_sum", "none"]
Normalization = Literal["min_max", "theoretical_min_max"]
TieBreaker = Literal["recency", "source_priority", "none"]
SnippetPolicy = Literal["l2", "l1", "l0", "auto"]
Repeated = Literal["collapse", "keep"]

_DATE_ONLY = re.compile(r"\d{4}-\d\d-\d\d")


class PlanPart(BaseModel):
    """Base of every object of a plan. Unknown fields stay visible for :func:`unknown_fields`;
    a field that is null counts as left out."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: given for name, given in value.items() if given is not None}
        return value

    def to_json(self) -> dict[str, Any]:
        """The part as JSON, without fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def _a_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


#: JSON's ``true`` is no 1.
_Count = Annotated[int, BeforeValidator(_a_number)]
_Page = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(_a_number)]
_Real = Annotated[float, BeforeValidator(_a_number)]


def _as_list(value: Any) -> Any:
    """A single value is a list of one; an empty list filters nothing, like a missing field."""
    if value is None or isinstance(value, list | tuple):
        return value or None
    return [value]


def _primary_language(value: Any) -> Any:
    """``zh-CN`` and ``EN`` are accepted for ``zh`` and ``en``."""
    values = _as_list(value)
    if not isinstance(values, list | tuple):
        return values
    return [v.lower().split("-")[0] if isinstance(v, str) else v for v in values]


_Text = Annotated[str, Field(min_length=1, max_length=4096)]
_Many = Annotated[list[_Text], Field(max_length=MAX_FILTER_VALUES)]
_Texts = Annotated[_Many | None, BeforeValidator(_as_list)]
_Prefix = Annotated[str, Field(min_length=1, max_length=MAX_PREFIX_CHARS)]
_ManyPrefixes = Annotated[list[_Prefix], Field(max_length=MAX_FILTER_VALUES)]
_Prefixes = Annotated[_ManyPrefixes | None, BeforeValidator(_as_list)]


class TimeRange(PlanPart):
    """Documents first seen between two moments, both included; a side left out is open.

    Times without a zone are UTC. A bare date means its first moment in ``from`` and its last
    in ``to``.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: datetime | None = Field(None, alias="from")
    to: datetime | None = None

    @field_validator("to", mode="before")
    @classmethod
    def _end_of_day(cls, value: Any) -> Any:
        if isinstance(value, str) and _DATE_ONLY.fullmatch(value):
            return f"{value}T23:59:59.999999Z"
        return value

    @field_validator("from_", "to")
    @classmethod
    def _in_utc(cls, value: datetime | None) -> datetime | None:
        if value is None:
            return None
        try:
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
        except OverflowError as exc:
            raise ValueError("in UTC this moment is outside the years 1 to 9999") from exc

    @model_validator(mode="after")
    def _ordered(self) -> TimeRange:
        if self.from_ and self.to and self.from_ > self.to:
            raise ValueError("`from` is later than `to`")
        return self


class PageRange(PlanPart):
    """*Extension.* Chunks that touch pages ``from`` to ``to`` (1-based, inclusive)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: _Page = Field(1, alias="from")
    to: _Page | None = None

    @model_validator(mode="after")
    def _ordered(self) -> PageRange:
        if self.to is not None and self.from_ > self.to:
            raise ValueError("`from` is greater than `to`")
        return self


class Filters(PlanPart):
    """Hard conditions, all of which must hold; within one field any value suffices.

    An unknown field is refused: a condition that cannot be executed would give answers it
    forbids (DEV_SPEC 3.2.8.3).

    Attributes:
        document_ids: ``doc_…`` ids.
        tag_ids: tags of a document.
        topic_ids: topics of a document.
        source_type: kinds of source.
        source_uri_prefix: beginnings of a source URI.
        language: ``zh``, ``en`` or ``other``.
        time_range: when the document was first seen.
        version: *extension.* ``latest`` (the default), ``all``, or a list of ``ver_…`` ids.
        collection: *extension.* Names of collections.
        section_path: *extension.* Section paths ("A / B"); what lies below is included.
        block_type: *extension.* ``paragraph``, ``table``, ``code``, …
        has_image: *extension.* Whether the chunk shows an image.
        page_range: *extension.* Pages; chunks without pages never match.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    document_ids: _Texts = None
    tag_ids: _Texts = None
    topic_ids: _Texts = None
    source_type: Annotated[list[SourceType] | None, BeforeValidator(_as_list)] = None
    source_uri_prefix: _Prefixes = None
    language: Annotated[list[LanguageCode] | None, BeforeValidator(_primary_language)] = None
    time_range: TimeRange | None = None
    version: Literal["latest", "all"] | list[_Text] | None = None
    collection: _Texts = None
    section_path: _Prefixes = None
    block_type: _Texts = None
    has_image: bool | None = None
    page_range: PageRange | None = None

    @field_validator("version", mode="before")
    @classmethod
    def _version_list(cls, value: Any) -> Any:
        return (
            [value] if isinstance(value, str) and value not in ("latest", "all") else value or None
        )

    def merged(self, narrower: Filters | None) -> Filters:
        """These filters with those of one query: its fields replace, the others stand."""
        if narrower is None:
            return self
        return self.model_copy(update=dict(narrower.given()))

    def given(self) -> Iterator[tuple[str, Any]]:
        """(field, value) of every field that filters."""
        for name in type(self).model_fields:
            if (value := getattr(self, name)) is not None:
                yield name, value


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
    weight: _Real = Field(1.0, ge=0, le=1000, allow_inf_nan=False)
    filters: Filters | None = None
    hints: dict[str, Any] = Field(default_factory=dict)

    @field_validator("text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not any(ch.isprintable() and not ch.isspace() for ch in value):
            raise ValueError("there is nothing to search for: only blanks or control characters")
        return value


_Quota = Annotated[_Count | None, Field(ge=0, le=MAX_TOP_K)]


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

    by_document: _Count | None = Field(None, ge=1, le=MAX_TOP_K)
    by_source: _Count | None = Field(None, ge=1, le=MAX_TOP_K)
    by_section: _Count | None = Field(None, ge=1, le=MAX_TOP_K)
    mmr: _Real | None = Field(None, ge=0, le=1, allow_inf_nan=False)
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

    top_k: _Count | None = Field(None, ge=1, le=MAX_TOP_K)
    per_mode_k: PerModeK = Field(default_factory=PerModeK)
    candidate_k: _Count | None = Field(None, ge=1, le=MAX_CANDIDATE_K)
    diversity: Diversity = Field(default_factory=Diversity)


_Weight = Annotated[_Real | None, Field(ge=0, le=1000, allow_inf_nan=False)]


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
    rrf_k: _Count | None = Field(None, ge=1, le=10_000)
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
    top_n: _Count | None = Field(None, ge=1, le=MAX_TOP_K)


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
    max_snippet_chars: _Count | None = Field(None, ge=1, le=20_000)


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


def unknown_fields(part: PlanPart, where: str = "") -> Iterator[str]:
    """Dotted names of the fields of a plan this version does not know."""
    for name in part.model_extra or {}:
        yield f"{where}{name}"
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, PlanPart):
            yield from unknown_fields(value, f"{where}{name}.")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, PlanPart):
                    yield from unknown_fields(item, f"{where}{name}[{index}].")
