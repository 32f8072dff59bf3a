"""TraceEnvelope (DEV_SPEC 3.5.2): header, spans, events, aggregates.

``spans[].name`` and ``events[].kind`` are the routing keys of every viewer, so both are closed
sets here; what a provider adds beyond the common fields goes under ``ext.<provider_id>.*``.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TRACE_SCHEMA_VERSION = "1.0"


class SpanName(StrEnum):
    """Stable stage names."""

    # ingestion
    DEDUP = "stage.dedup"
    LOADER = "stage.loader"
    ASSET_NORMALIZE = "stage.asset_normalize"
    TRANSFORM_PRE = "stage.transform_pre"
    SECTIONER = "stage.sectioner"
    CHUNKER = "stage.chunker"
    LINKER = "stage.linker"
    TRANSFORM_POST = "stage.transform_post"
    EMBEDDING = "stage.embedding"
    UPSERT = "stage.upsert"
    PUBLISH = "stage.publish"
    # query
    QUERY_NORM = "stage.query_norm"
    RETRIEVE_DENSE = "stage.retrieve_dense"
    RETRIEVE_SPARSE = "stage.retrieve_sparse"
    RETRIEVE_LINKS = "stage.retrieve_links"
    RETRIEVE_EXPANSION = "stage.retrieve_expansion"
    RETRIEVE_NEIGHBOURS = "stage.retrieve_neighbours"
    FILTER = "stage.filter"
    FUSION = "stage.fusion"
    RERANK = "stage.rerank"
    CONTEXT_BUILD = "stage.context_build"
    PARENT_LOCK = "stage.parent_lock"
    EVIDENCE_SET = "stage.evidence_set"
    GENERATE = "stage.generate"
    VERIFY = "stage.verify"
    FORMAT_RESPONSE = "stage.format_response"


class EventKind(StrEnum):
    """Stable event kinds."""

    DEDUP_DECISION = "ingest.dedup_decision"
    PARSE_SUMMARY = "ingest.parse_summary"
    ASSETS_MANIFEST = "ingest.assets_manifest"
    TRANSFORM_STATS = "ingest.transform_stats"
    OCR_GENERATED = "ocr.generated"
    CAPTION_GENERATED = "caption.generated"
    SUMMARY_GENERATED = "summary.generated"
    SECTION_STATS = "ingest.section_stats"
    CHUNK_STATS = "ingest.chunk_stats"
    DRIFT_HASHES = "ingest.drift_hashes"
    LINK_STATS = "ingest.link_stats"
    EMBEDDING_BATCH = "ingest.embedding_batch"
    UPSERT_RESULT = "ingest.upsert_result"
    PUBLISH_RESULT = "ingest.publish_result"
    PURGE_RESULT = "ingest.purge_result"
    DOCUMENT_FAILED = "ingest.document_failed"
    QUERY_NORMALIZED = "query.normalized"
    RETRIEVAL_CANDIDATES = "retrieval.candidates"
    FILTER_PLAN = "filter.plan"
    FUSION_RANKED = "fusion.ranked"
    RERANK_RANKED = "rerank.ranked"
    CONTEXT_FINAL = "context.final"
    LOCK_DECIDED = "lock_decided"
    EVIDENCE_BUILT = "evidence_built"
    GENERATION_STARTED = "generation_started"
    GENERATION_COMPLETED = "generation_completed"
    GENERATION_SUMMARY = "generation.summary"
    RESPONSE_ENVELOPE = "response.envelope"
    FALLBACK = "fallback"
    ERROR = "error"
    WARNING = "warning"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ProviderRef(_Model):
    """Who did the work of a span."""

    provider_type: str
    provider_id: str
    profile_id: str | None = None


class Span(_Model):
    """One stage. ``start_ms`` and ``end_ms`` count from the trace's start."""

    span_id: str
    parent_span_id: str | None = None
    name: SpanName
    status: Literal["ok", "error"] = "ok"
    start_ms: float
    end_ms: float
    provider: ProviderRef | None = None
    attrs: dict[str, Any] = Field(default_factory=dict)


class Event(_Model):
    """One piece of evidence of what a stage did."""

    event_id: str
    ts_ms: float
    span_id: str | None
    kind: EventKind
    payload: dict[str, Any] = Field(default_factory=dict)


class Links(_Model):
    parent_trace_id: str | None = None
    job_id: str | None = None
    request_id: str | None = None


class Build(_Model):
    app_version: str
    git_sha: str | None = None


class Runtime(_Model):
    env: str
    host: str
    pid: int


class StageError(_Model):
    stage: str
    code: str
    message: str


class Aggregates(_Model):
    latency_ms: float = 0.0
    stage_latency_ms: dict[str, float] = Field(default_factory=dict)
    counters: dict[str, float] = Field(default_factory=dict)
    errors: list[StageError] = Field(default_factory=list)


class EvalMetric(_Model):
    name: str
    value: float


class Eval(_Model):
    eval_run_id: str | None = None
    case_id: str | None = None
    dataset_id: str | None = None
    metric_set_id: str | None = None
    judge_profile_id: str | None = None
    metrics: list[EvalMetric] = Field(default_factory=list)


class TraceEnvelope(_Model):
    """One run or one query. An ingestion run leaves one envelope a step, all with the run's
    ``trace_id``; :func:`rag_query.tracing.reader.merge` joins them."""

    schema_version: str = TRACE_SCHEMA_VERSION
    trace_id: str
    trace_type: Literal["ingestion", "query"]
    status: Literal["ok", "error"] = "ok"
    started_at: datetime
    ended_at: datetime
    strategy_config_id: str
    snapshot: int | None = None
    build: Build
    runtime: Runtime
    links: Links = Field(default_factory=Links)
    replay: dict[str, Any] = Field(
        default_factory=dict, description="what is needed to run it again: plan, profile ids"
    )
    providers: dict[str, str] = Field(
        default_factory=dict, description="provider snapshot: stage -> provider id"
    )
    spans: list[Span] = Field(default_factory=list)
    events: list[Event] = Field(default_factory=list)
    aggregates: Aggregates = Field(default_factory=Aggregates)
    eval: Eval | None = None
