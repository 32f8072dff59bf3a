"""Evaluation: cases in, a report with its evidence out (DEV_SPEC 3.4.8).

``EvalCase`` is what a dataset holds, one JSON line each. Everything else is written by an
evaluation and read by the command line, the gates and the console.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rag_query.contracts.plan import Mode

EVALUATION_VERSION = "1.0"

#: Tag of cases made of the library's own text, whose questions quote it.
SYNTHETIC = "synthetic"

#: Metrics of which less is better; of every other, more is.
LESS_IS_BETTER = frozenset({"latency_ms", "input_tokens", "output_tokens", "cost"})

EvalMode = Literal["retrieval_only", "generation_only", "end_to_end"]


def gain(metric: str, change: float) -> float:
    """How much better a value of ``metric`` is that is greater by ``change``; below 0: worse."""
    return -change if metric in LESS_IS_BETTER else change


class EvalPart(BaseModel):
    """Base of every object of an evaluation."""

    model_config = ConfigDict(extra="forbid")


class DocScope(EvalPart):
    """Where the answer must come from: what lies outside counts against ``Coverage``.

    Attributes:
        documents: doc_id, URI, file name or external id.
        versions: version ids.
        collections: names.
    """

    documents: list[str] = Field(default_factory=list)
    versions: list[str] = Field(default_factory=list)
    collections: list[str] = Field(default_factory=list)


class EvalCase(EvalPart):
    """One question, and what is known of its right answer; all of that is optional.

    Attributes:
        case_id: unique in its dataset.
        query: the question.
        tags: to group by.
        doc_scope: see :class:`DocScope`.
        expected_answer: a right answer, for judges.
        expected_citations: documents (as in ``relevant``) or chunk ids a right answer cites.
        expected_chunk_ids: passages that answer; in a library cut into other chunks, what stands
            in the same place.
        relevant: *extension.* document (doc_id, URI, file name or external id) -> grade, 1 and up.
        answerable: *extension.* false when the library holds no answer and a refusal is right.
        context_chunk_ids: *extension.* the fixed context of ``generation_only``.
        filters: *extension.* ``global_filters`` of the plan.
        notes: for people.
    """

    case_id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    tags: list[str] = Field(default_factory=list)
    doc_scope: DocScope | None = None
    expected_answer: str | None = None
    expected_citations: list[str] = Field(default_factory=list)
    expected_chunk_ids: list[str] = Field(default_factory=list)
    relevant: dict[str, int] = Field(default_factory=dict)
    answerable: bool = True
    context_chunk_ids: list[str] = Field(default_factory=list)
    filters: dict[str, Any] = Field(default_factory=dict)
    notes: str | None = None

    @field_validator("query", "case_id")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value


class Dataset(EvalPart):
    """Cases with the name they are known by.

    Attributes:
        dataset_id: the name.
        version: sha256 over the cases, so that an edited dataset is another one.
        warnings: what was left out, and why.
    """

    dataset_id: str
    version: str
    provider_id: str
    cases: list[EvalCase]
    warnings: list[str] = Field(default_factory=list)


class Ranked(EvalPart):
    """One passage of a ranking.

    Attributes:
        source: the legs that found it, joined by ``+``.
    """

    chunk_id: str
    doc_id: str | None = None
    external_id: str | None = None
    score: float
    source: str


class Retrieved(EvalPart):
    """What one leg of one query found, best first."""

    source: str
    query_index: int
    candidates: list[Ranked]


class CitationRef(EvalPart):
    """What an answer points at.

    Attributes:
        returned: whether it is a passage the answer was made from.
    """

    chunk_id: str
    section_path: str | None = None
    page: int | None = None
    returned: bool


class CaseArtifacts(EvalPart):
    """The evidence behind a case's numbers (DEV_SPEC 3.4.8).

    Attributes:
        retrieved: candidates of every leg, before fusion.
        fused: after fusion.
        reranked: chunk ids after reranking; empty when nothing reranked.
        context: final passages, in order.
        answer_markdown: null when nothing was generated.
        refused: whether the answer declined; null when nothing was generated.
        sentences: sentences of the answer that assert something.
        sentences_cited: those of them with a citation.
        usage: tokens and cost, as the language model's provider reports them.
        fallbacks: payloads of the trace's fallback events.
        error: code and message, when the case could not be executed.
    """

    retrieved: list[Retrieved] = Field(default_factory=list)
    fused: list[Ranked] = Field(default_factory=list)
    reranked: list[str] = Field(default_factory=list)
    context: list[Ranked] = Field(default_factory=list)
    answer_markdown: str | None = None
    refused: bool | None = None
    citations: list[CitationRef] = Field(default_factory=list)
    sentences: int = 0
    sentences_cited: int = 0
    asset_ids: list[str] = Field(default_factory=list)
    latency_ms: float = 0.0
    stage_ms: dict[str, float] = Field(default_factory=dict)
    usage: dict[str, float] = Field(default_factory=dict)
    fallbacks: list[dict[str, Any]] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    trace_id: str | None = None
    error: dict[str, str] | None = None


class MetricResult(EvalPart):
    """One number of one case; ``reason`` is a judge's."""

    name: str
    value: float
    reason: str | None = None


class CaseResult(EvalPart):
    """A case, its evidence and its numbers.

    Attributes:
        expected: ids of what should have been found, best first.
        missed: those of them that were not.
        documents: doc_id -> source URI of the documents they are or stand in.
        unknown: expectations the library does not hold; they count as missed.
    """

    case_id: str
    query: str
    tags: list[str] = Field(default_factory=list)
    answerable: bool = True
    expected: list[str] = Field(default_factory=list)
    documents: dict[str, str] = Field(default_factory=dict)
    missed: list[str] = Field(default_factory=list)
    unknown: list[str] = Field(default_factory=list)
    metrics: list[MetricResult] = Field(default_factory=list)
    artifacts: CaseArtifacts

    @property
    def own_query(self) -> str | None:
        """The question, for what outlives the documents; None where it quotes one."""
        return None if SYNTHETIC in self.tags else self.query

    def value(self, name: str) -> float | None:
        """The metric called ``name``; None when the case has none."""
        return next((metric.value for metric in self.metrics if metric.name == name), None)

    def stable(self) -> dict[str, Any]:
        """The case without what differs between equal runs: times and trace ids."""
        made = self.model_dump(mode="json")
        for name in ("latency_ms", "stage_ms", "trace_id"):
            del made["artifacts"][name]
        made["metrics"] = [m for m in made["metrics"] if not m["name"].startswith("latency")]
        return made


class EvalProfile(EvalPart):
    """What an evaluation depends on; its hash is ``eval_profile_id``.

    Attributes:
        retrieval_mode: mode of the query of each plan.
        top_k: passages asked for.
    """

    dataset_id: str
    dataset_version: str
    strategy_config_id: str
    evaluator_id: str
    metric_set_id: str
    judge_profile_id: str | None
    mode: EvalMode
    retrieval_mode: Mode
    top_k: int


class JudgeAnchor(EvalPart):
    """Which judge scored (DEV_SPEC 3.4.8).

    Attributes:
        judge_prompt_id: sha256 of the prompt; null for rules.
    """

    judge_provider_id: str
    judge_model: str | None = None
    judge_prompt_id: str | None = None
    temperature: float | None = None


class EvalReport(EvalPart):
    """Result of one evaluation.

    Attributes:
        strategy: its name.
        snapshot: number of the snapshot asked.
        side: the generation made for the comparison; null when the library's own answered.
        metrics: name -> mean over the cases that have it, or a rate over all cases.
        counted: name -> cases that have it.
        latency_ms: ``mean p50 p95 p99 max``.
        seconds: wall time of the questions.
        fingerprint: sha256 over every case without times and trace ids; equal for equal runs.
        worst: case ids, worst first, by the first metric.
    """

    version: str = EVALUATION_VERSION
    eval_run_id: str
    eval_profile_id: str
    profile: EvalProfile
    strategy: str
    snapshot: int
    side: str | None = None
    candidate: bool = Field(False, description="the snapshot was not published yet")
    judge: JudgeAnchor | None = None
    started_at: datetime
    ended_at: datetime
    cases: int
    failed: int
    metrics: dict[str, float]
    counted: dict[str, int]
    latency_ms: dict[str, float]
    usage: dict[str, float] = Field(default_factory=dict)
    seconds: float
    fingerprint: str
    worst: list[str] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)


class MetricDifference(EvalPart):
    """One metric of two runs over the same cases.

    Attributes:
        difference: ``other - base``; both are means over the cases that have the metric in both.
        low: of the 95 % interval of the difference, by paired bootstrap.
        high: its upper end. Zero outside the interval is a difference that chance does not explain.
        wins: cases ``other`` does better; of a latency, those it answers sooner.
    """

    name: str
    base: float
    other: float
    difference: float
    low: float
    high: float
    cases: int
    wins: int
    losses: int
    ties: int

    @property
    def significant(self) -> bool:
        return self.low > 0 or self.high < 0

    @property
    def better(self) -> bool:
        """Whether ``other`` is better, and chance does not explain it."""
        return self.significant and gain(self.name, self.difference) > 0

    @property
    def worse(self) -> bool:
        """Whether ``other`` is worse, and chance does not explain it."""
        return self.significant and gain(self.name, self.difference) < 0


class CaseChange(EvalPart):
    """A case that two runs answer differently, with the traces that show why."""

    case_id: str
    query: str
    base: float
    other: float
    base_trace_id: str | None = None
    other_trace_id: str | None = None


class Comparison(EvalPart):
    """``other`` against ``base``.

    Attributes:
        by: the metric that decides wins and losses.
    """

    base_run_id: str
    other_run_id: str
    base: str
    other: str
    by: str
    differences: list[MetricDifference]
    wins: list[CaseChange]
    losses: list[CaseChange]
    warnings: list[str] = Field(default_factory=list)
