"""One plan on one snapshot, stage after stage (DESIGN 5)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from rag_query.cancellation import checkpoint
from rag_query.contracts.evidence import (
    DiversityExplain,
    EvidenceItem,
    EvidencePack,
    Explain,
    RerankExplain,
)
from rag_query.contracts.plan import RetrievalPlan
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.library.served import ServedChunk
from rag_query.library.snapshot import Snapshot
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval import explanation
from rag_query.retrieval.diversity import Placed, select, source_of
from rag_query.retrieval.exact import analyzer
from rag_query.retrieval.filters import FILTER_VERSION, Conditions, compile_filters
from rag_query.retrieval.fusion import SCORE_DIGITS, Fused
from rag_query.retrieval.pack import Candidate, build_evidence
from rag_query.retrieval.preprocess import QueryIR
from rag_query.retrieval.recall import Embed, Recall, Recalled
from rag_query.retrieval.rerank import Reranked, rerank
from rag_query.retrieval.stages import QueryStages
from rag_query.text.ids import profile_id
from rag_query.text.pictures import words_of
from rag_query.tracing.context import count, current, event, span

#: Columns of the served table that ties and limits look at.
_LOOKED_AT = ("chunk_id", "doc_id", "section_id", "source_uri", "source_type", "created_at")
_FILTER_PROFILE_ID = profile_id({"matrix": FILTER_VERSION})


@dataclass
class Execution:
    """State of one run; :meth:`run` may be called once.

    Attributes:
        plan: effective (``defaults.effective_plan``).
        embed: texts to query vectors.
        pool: runs the sparse leg beside the dense one.
        plan_json: the plan as the pack shows it.
        warnings: grows as the stages report.
    """

    snapshot: Snapshot
    stages: QueryStages
    plan: RetrievalPlan
    embed: Embed
    pool: Executor
    plan_json: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    _stage_ms: dict[str, float] = field(default_factory=dict)
    _explain: Explain = field(default_factory=Explain)

    def run(self) -> EvidencePack:
        """Raises ExcerptaError when no leg could search."""
        began = time.perf_counter()
        queries = self._normalize()
        conditions = self._filter()
        recall = Recall(self.snapshot, self.stages, self.plan, self.embed)
        recalled = recall.run(queries, conditions, self.pool)
        self.warnings += recalled.warnings
        self._stage_ms |= recalled.stage_ms
        candidates, reranked = self._rerank(self._fuse(recalled), queries)
        kept = self._select(candidates, recalled)
        evidences = self._build(kept, queries)
        self._explain_run(recalled, queries, reranked)
        returned = [candidate.fused.chunk_id for candidate in kept]
        stats = explanation.statistics(self.plan, recalled, returned, self._stage_ms)
        if not stats.candidates:
            part = self.snapshot.manifest.bm25
            empty = part is None or part.rows == 0
            self.warnings.append(explanation.why_nothing(self._explain.filters_applied, empty))
        stats.took_ms = round((time.perf_counter() - began) * 1000, 3)
        return EvidencePack(
            plan=self.plan_json,
            plan_id=str(uuid.uuid4()),
            request_id=self.plan.request_id,
            generated_at=datetime.now(UTC),
            evidences=evidences,
            stats=stats,
            explain=self._explain,
            warnings=self.warnings,
        )

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        checkpoint()
        began = time.perf_counter()
        try:
            yield
        finally:
            self._stage_ms[stage] = (time.perf_counter() - began) * 1000

    def _normalize(self) -> list[QueryIR]:
        provider = self.stages.refs["query_norm"]
        with self._timed("query_norm"), span(SpanName.QUERY_NORM, provider) as opened:
            queries = [self.stages.normalizer.normalize(q.text, q.mode) for q in self.plan.queries]
            opened.set(query_hash=queries[0].query_hash, rewrite_used=False)
            for index, query in enumerate(queries):
                event(
                    EventKind.QUERY_NORMALIZED,
                    query_index=index,
                    query_norm=query.normalized_query[:500],
                    language=query.language,
                    intent=query.intent,
                    required=list(query.required),
                    excluded=list(query.excluded),
                )
        return queries

    def _filter(self) -> list[Conditions]:
        with self._timed("filter"), span(SpanName.FILTER) as opened:
            conditions = [
                compile_filters(self.plan.filters_of(i)) for i in range(len(self.plan.queries))
            ]
            steps = explanation.filter_steps(self.plan, conditions)
            self._explain.filter_execution_plan = steps
            self._explain.filters_applied = explanation.filters_applied(self.plan)
            opened.set(filter_profile_id=_FILTER_PROFILE_ID, conditions=len(steps))
            event(EventKind.FILTER_PLAN, steps=[step.model_dump() for step in steps])
        return conditions

    def _fuse(self, recalled: Recalled) -> list[Candidate]:
        how = self.plan.ranking.fusion
        provider = self.stages.refs["fusion"]
        with self._timed("fusion"), span(SpanName.FUSION, provider) as opened:
            fused = self.stages.fuser.fuse(recalled.rankings, how)
            candidates = self._break_ties(self._looked_at(fused, recalled))
            opened.set(fusion_id=how.method, k_out=len(fused))
            event(
                EventKind.FUSION_RANKED,
                ranked=lambda: [
                    {
                        "chunk_id": f.chunk_id,
                        "score": f.score,
                        "source": "+".join(dict.fromkeys(hit.leg for hit in f.hits)),
                    }
                    for f in fused
                ],
            )
        return candidates

    def _looked_at(self, fused: Sequence[Fused], recalled: Recalled) -> list[Candidate]:
        """As many of the best as later stages need; the rest is below the cut already."""
        budget, ranking = self.plan.budget, self.plan.ranking
        limits = [
            *budget.diversity.model_dump(exclude_none=True),
            *budget.per_mode_k.model_dump(exclude_none=True),
        ]
        wanted = max(budget.top_k or 0, self._rerank_top_n())
        if limits or ranking.tie_breaker != "none":
            wanted = len(fused)
        recalled.dropped.add("top_k", (f.chunk_id for f in fused[wanted:]))
        rows = self.snapshot.served.rows(
            [f.chunk_id for f in fused[:wanted]], columns=_LOOKED_AT
        ).to_pylist()
        known = {row.pop("chunk_id"): row for row in rows}
        # Publication lets no chunk be searched that is not served.
        return [Candidate(f, **known[f.chunk_id]) for f in fused[:wanted]]

    def _break_ties(self, candidates: list[Candidate]) -> list[Candidate]:
        ranking = self.plan.ranking
        if ranking.tie_breaker == "none" or ranking.fusion.method == "none" or not candidates:
            return candidates
        if ranking.tie_breaker == "recency":
            candidates = _with_recency(candidates)
            preferred = {c.fused.chunk_id: c.recency or 0.0 for c in candidates}
        else:
            priority: dict[str, float] = {str(k): v for k, v in ranking.source_priority.items()}
            preferred = {c.fused.chunk_id: priority.get(c.source_type, 0.0) for c in candidates}

        def key(candidate: Candidate) -> tuple[float, float, str]:
            fused = candidate.fused
            return -round(fused.score, SCORE_DIGITS), -preferred[fused.chunk_id], fused.chunk_id

        return sorted(candidates, key=key)

    def _rerank(
        self, candidates: list[Candidate], queries: Sequence[QueryIR]
    ) -> tuple[list[Candidate], Reranked]:
        provider = self.stages.refs["rerank"]
        top = candidates[: self._rerank_top_n()]
        before = [c.fused.chunk_id for c in top]
        with self._timed("rerank"), span(SpanName.RERANK, provider) as opened:
            texts = self.snapshot.served.rows(before, columns=["chunk_text", "ocr_text"])
            result = rerank(
                self.stages.reranker,
                queries[0].original_query,
                [
                    Passage(c.fused.chunk_id, words_of(**text), c.fused.score)
                    for c, text in zip(top, texts.to_pylist(), strict=True)
                ],
                self.stages.context.rerank_time_limit_s,
            )
            opened.set(
                reranker_id=provider.provider_id,
                k_out=len(result.order),
                rerank_failed=result.failure is not None,
            )
            event(EventKind.RERANK_RANKED, before=before, after=[before[i] for i in result.order])
            if result.failure is not None:
                self.warnings.append(
                    f"rerank_failed: {result.failure.message} The fused order stands."
                )
                event(EventKind.FALLBACK, rerank_failed=True, effective_rank_source="fusion")
        scores = result.scores
        reranked = [
            replace(top[i], rerank_score=scores.get(top[i].fused.chunk_id)) for i in result.order
        ]
        return reranked + candidates[len(top) :], result

    def _rerank_top_n(self) -> int:
        """Candidates the reranker sees; 0 when nothing is to be reranked."""
        wanted = self.plan.ranking.rerank
        return (wanted.top_n or 0) if wanted.enabled and self.stages.reranker.active else 0

    def _select(self, candidates: list[Candidate], recalled: Recalled) -> list[Candidate]:
        with self._timed("diversity"):
            placed = [
                Placed(
                    c.fused.chunk_id,
                    self.plan.queries[c.fused.best_query()].mode,
                    c.doc_id,
                    source_of(c.source_uri),
                    c.section_id,
                )
                for c in candidates
            ]
            kept = select(placed, self.plan.budget, recalled.dropped)
        return [candidates[index] for index in kept]

    def _build(self, kept: list[Candidate], queries: Sequence[QueryIR]) -> list[EvidenceItem]:
        provider = self.stages.refs["context_build"]
        output = self.plan.output
        with self._timed("context_build"), span(SpanName.CONTEXT_BUILD, provider) as opened:
            now = datetime.now(UTC)
            terms = [frozenset(analyzer().tokens(q.sparse_query_expr)) for q in queries]
            evidences = [
                build_evidence(candidate, row, self.plan, terms, now)
                for candidate, row in zip(kept, self._shown(kept), strict=True)
            ]
            opened.set(
                context_k=len(evidences), max_tokens=None, max_chars=output.max_snippet_chars
            )
            event(
                EventKind.CONTEXT_FINAL,
                chunk_ids=[e.id for e in evidences],
                citations=[
                    {"source_uri": e.source_uri, "page": e.metadata.page} for e in evidences
                ],
            )
        count(
            selected_chunks=len(evidences),
            citations_count=len({e.source_uri for e in evidences}),
            assets_referenced=len({a for e in evidences for a in e.metadata.asset_ids}),
        )
        return evidences

    def _shown(self, kept: Sequence[Candidate]) -> list[ServedChunk]:
        """Each chunk in the newest version its strongest query allows."""
        served = self.snapshot.served
        wanted: dict[str, str | None] = {}
        for candidate in kept:
            chunk = candidate.fused.chunk_id
            version = self.plan.filters_of(candidate.fused.best_query()).version
            asked = version if isinstance(version, list) else []
            held = served.versions(chunk) if asked else []
            wanted[chunk] = next((v for v in held if v in asked), None)
        rows: dict[str, ServedChunk] = {}
        for shown in dict.fromkeys(wanted.values()):
            chunks = [chunk for chunk, version in wanted.items() if version == shown]
            rows.update({row.chunk_id: row for row in served.get(chunks, shown)})
        return [rows[candidate.fused.chunk_id] for candidate in kept]

    def _explain_run(
        self, recalled: Recalled, queries: Sequence[QueryIR], reranked: Reranked
    ) -> None:
        explain, wanted = self._explain, self.plan.ranking.rerank
        provider = self.stages.refs["rerank"].provider_id
        if wanted.model not in (None, provider):
            self.warnings.append(
                f"rerank model {wanted.model!r} ignored: this library's strategy has {provider}"
            )
        trace = current()
        explain.trace_id = trace.trace_id if trace else None
        explain.snapshot = self.snapshot.number
        explain.strategy_config_id = self.stages.strategy.config_id
        explain.profile_ids = {**self.stages.profile_ids, "filter": _FILTER_PROFILE_ID}
        explain.ignored_fields = explanation.ignored_fields(self.plan)
        explain.fusion = explanation.fusion_explained(self.plan)
        explain.queries = explanation.queries_explained(self.plan, queries, recalled)
        explain.rerank = RerankExplain(
            enabled=bool(reranked.scores),
            model=provider,
            top_n=wanted.top_n,
            failed=reranked.failure is not None,
        )
        explain.dropped = recalled.dropped.report()
        limits = self.plan.budget.diversity
        explain.diversity = DiversityExplain(
            by_document=limits.by_document,
            by_source=limits.by_source,
            by_section=limits.by_section,
            applied=any(drop.rule.startswith("by_") for drop in explain.dropped),
        )
        for leg, failure in recalled.failures.items():
            setattr(explain, f"{leg}_failed", str(failure.code))
        if reranked.scores:
            explain.effective_rank_source = "rerank"
        elif len(recalled.rankings) > 1:
            explain.effective_rank_source = "fusion"
        elif recalled.rankings:
            explain.effective_rank_source = recalled.rankings[0].leg


def _with_recency(candidates: Sequence[Candidate]) -> list[Candidate]:
    times = [candidate.created_at.timestamp() for candidate in candidates]
    oldest, width = min(times), max(times) - min(times)
    return [
        replace(candidate, recency=(moment - oldest) / width if width else 1.0)
        for candidate, moment in zip(candidates, times, strict=True)
    ]
