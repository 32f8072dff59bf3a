"""One plan on one snapshot, stage after stage (DESIGN 5)."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from rag_query.cancellation import checkpoint
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.evidence import EvidenceItem, Preference
from rag_query.contracts.explain import Explain, RerankExplain
from rag_query.contracts.pack import EvidencePack
from rag_query.contracts.plan import RetrievalPlan
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.library.served import ServedChunk
from rag_query.library.snapshot import Snapshot
from rag_query.providers.reranking.base import Passage
from rag_query.retrieval import contradiction, explanation
from rag_query.retrieval.choice import Choice
from rag_query.retrieval.filters import FILTER_VERSION, Conditions, compile_filters
from rag_query.retrieval.first_legs import Embed, RecallRequest
from rag_query.retrieval.fusion import Fused
from rag_query.retrieval.pack import Candidate, build_evidence
from rag_query.retrieval.preprocess import QueryIR
from rag_query.retrieval.recall import Recall
from rag_query.retrieval.recalled import Recalled
from rag_query.retrieval.rerank import Reranked, rerank
from rag_query.retrieval.stages import QueryStages
from rag_query.retrieval.understanding import Understanding
from rag_query.retrieval.validation import parse_filters
from rag_query.text.analysis import analyzer
from rag_query.text.ids import profile_id
from rag_query.text.matching import content_words
from rag_query.text.pictures import words_of
from rag_query.tracing.context import count, current, event, span

log = logging.getLogger(__name__)

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
    _synonyms_profile_id: str = ""
    _conditions: list[Conditions] = field(default_factory=list)

    def run(self) -> EvidencePack:
        """Raises ExcerptaError when no leg could search."""
        began = time.perf_counter()
        queries = self._normalize()
        recalled, queries = self._recall(queries)
        self.warnings += recalled.warnings
        self._stage_ms |= recalled.stage_ms
        choice = Choice(self.snapshot, self.plan, self._preferences(queries), recalled.dropped)
        fused = self._fuse(recalled)
        first = choice.first(fused, self._rerank_top_n())
        candidates, reranked = self._rerank(choice.candidates(fused[:first]), queries)
        with self._timed("diversity"):
            kept = choice.choose(candidates, fused[first:])
        self.warnings += choice.warnings
        evidences = self._build(kept, queries)
        self._explain_run(recalled, queries, reranked)
        self._explain.diversity = choice.explained()
        returned = [candidate.fused.chunk_id for candidate in kept]
        stats = explanation.statistics(self.plan, recalled, returned, self._stage_ms)
        self.warnings += self._unknown_values()
        if not stats.candidates:
            self.warnings.append(self._why_nothing())
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

    def _unknown_values(self) -> list[str]:
        """What is said of values of the plan's filters that nothing has."""
        every = [self.plan.filters_of(index) for index in range(len(self.plan.queries))]
        if not any(any(filters.given()) for filters in every):
            return []  # An index that no leg searched is not opened for it.
        try:
            searcher = self.snapshot.searcher
            if searcher is None:
                return []
            return contradiction.unknown_values(searcher, self.snapshot.catalog, every)
        except (ExcerptaError, ValueError, OSError) as exc:
            # A note beside the answer: what failed is told where the answer itself needs it.
            log.warning("values of filters could not be looked for: %s", exc)
            return []

    def _why_nothing(self) -> str:
        part = self.snapshot.manifest.bm25
        empty = part is None or part.rows == 0
        applied, found = self._explain.filters_applied, None
        try:
            searcher = self.snapshot.searcher
            if searcher is not None and not empty:
                reasons = [contradiction.reason(searcher, each) for each in self._conditions]
                found = next(filter(None, reasons), None)
        except (ExcerptaError, ValueError, OSError):
            # The index that would know is what failed; that is reported already.
            found = None
        return explanation.why_nothing(applied, empty, found)

    def _normalize(self) -> list[QueryIR]:
        provider = self.stages.refs["query_norm"]
        with self._timed("query_norm"), span(SpanName.QUERY_NORM, provider) as opened:
            understanding = Understanding(self.snapshot, self.stages.normalizer, self.plan)
            queries = understanding.queries()
            self.warnings += understanding.warnings
            self._synonyms_profile_id = understanding.synonyms_profile_id
            rewrites = [query.rewrite for query in queries if query.rewrite]
            opened.set(
                query_hash=queries[0].query_hash,
                rewrite_used=any(rewrite.rewrite_used for rewrite in rewrites),
            )
            for rewrite in rewrites:
                if rewrite.rewrite_failed:
                    event(EventKind.FALLBACK, rewrite_failed=True, fallback_mode="query_plain")
            for index, query in enumerate(queries):
                event(
                    EventKind.QUERY_NORMALIZED,
                    query_index=index,
                    query_norm=query.normalized_query[:500],
                    language=query.language,
                    intent=query.intent,
                    required=list(query.required),
                    excluded=list(query.excluded),
                    filters=query.filters,
                    synonyms=[use.model_dump() for use in query.synonyms],
                )
        return queries

    def _recall(self, queries: list[QueryIR]) -> tuple[Recalled, list[QueryIR]]:
        """What the legs find; conditions that only a question stated never empty its answer."""
        for _ in range(2):
            conditions = self._filter(queries)
            request = RecallRequest(
                self.snapshot,
                self.stages,
                self.plan,
                self.embed,
                queries,
                conditions,
                k=self.plan.budget.candidate_k or self.stages.fuser.params.candidate_k,
            )
            recalled = Recall(request).run(self.pool)
            found = {ranking.query_index for ranking in recalled.rankings if ranking.chunk_ids}
            empty = [i for i, query in enumerate(queries) if query.filters and i not in found]
            if not empty:
                break
            for index in empty:
                stated = ", ".join(queries[index].filters)
                self.warnings.append(
                    f"queries[{index}]: what its text says of {stated} leaves nothing, and was "
                    "not applied"
                )
                queries[index] = queries[index].without_conditions("nothing satisfies it")
        return recalled, queries

    def _filter(self, queries: Sequence[QueryIR]) -> list[Conditions]:
        with self._timed("filter"), span(SpanName.FILTER) as opened:
            conditions = [
                compile_filters(self.plan.filters_of(i).merged(parse_filters(query.filters)))
                for i, query in enumerate(queries)
            ]
            self._conditions = conditions
            steps = explanation.filter_steps(self.plan, conditions, queries)
            steps += explanation.preference_steps(self._preferences(queries))
            self._explain.filter_execution_plan = steps
            self._explain.filters_applied = explanation.filters_applied(self.plan, queries)
            opened.set(filter_profile_id=_FILTER_PROFILE_ID, conditions=len(steps))
            event(EventKind.FILTER_PLAN, steps=[step.model_dump() for step in steps])
        return conditions

    def _preferences(self, queries: Sequence[QueryIR]) -> set[Preference]:
        """Soft preferences of the plan; what a query asks for holds for the whole list."""
        ranking = self.plan.ranking
        asked: dict[Preference, bool] = {
            "recent": ranking.prefer_recent,
            "official": ranking.prefer_official,
            "has_image": ranking.prefer_has_image,
        }
        preferences = {name for name, wanted in asked.items() if wanted}
        return preferences.union(*(query.preferences for query in queries))

    def _fuse(self, recalled: Recalled) -> list[Fused]:
        how = self.plan.ranking.fusion
        provider = self.stages.refs["fusion"]
        with self._timed("fusion"), span(SpanName.FUSION, provider) as opened:
            fused = self.stages.fuser.fuse(recalled.rankings, how)
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
        return fused

    def _rerank(
        self, candidates: list[Candidate], queries: Sequence[QueryIR]
    ) -> tuple[list[Candidate], Reranked]:
        provider = self.stages.refs["rerank"]
        top = candidates[: self._rerank_top_n()]
        before = [c.fused.chunk_id for c in top]
        with self._timed("rerank"), span(SpanName.RERANK, provider) as opened:
            result = rerank(
                self.stages.reranker,
                queries[0].original_query,
                self._passages(top),
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

    def _passages(self, candidates: Sequence[Candidate]) -> list[Passage]:
        """The candidates as a reranker sees them."""
        chunks = [c.fused.chunk_id for c in candidates]
        columns = ("chunk_text", "ocr_text", "title", "section_path")
        rows = self.snapshot.served.cells(chunks, columns)
        return [
            Passage(
                c.fused.chunk_id,
                words_of(chunk_text, ocr_text),
                c.fused.score,
                title=title or "",
                headings=section_path,
                contributions=c.fused.contributions(),
            )
            for c, (chunk_text, ocr_text, title, section_path) in zip(candidates, rows, strict=True)
        ]

    def _rerank_top_n(self) -> int:
        """Candidates the reranker sees; 0 when nothing is to be reranked."""
        wanted = self.plan.ranking.rerank
        return (wanted.top_n or 0) if wanted.enabled and self.stages.reranker.active else 0

    def _build(self, kept: list[Candidate], queries: Sequence[QueryIR]) -> list[EvidenceItem]:
        provider = self.stages.refs["context_build"]
        output = self.plan.output
        with self._timed("context_build"), span(SpanName.CONTEXT_BUILD, provider) as opened:
            now = datetime.now(UTC)
            terms = [content_words(analyzer().tokens(q.sparse_query_expr)) for q in queries]
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
            version = self.plan.filters_of(candidate.queries(self.plan)[0]).version
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
        if self._synonyms_profile_id:
            explain.profile_ids["synonyms"] = self._synonyms_profile_id
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
        codes = {leg: str(failure.code) for leg, failure in recalled.failures.items()}
        explain.sparse_failed, explain.dense_failed = codes.get("sparse"), codes.get("dense")
        if reranked.scores:
            explain.effective_rank_source = "rerank"
        elif len(recalled.rankings) > 1:
            explain.effective_rank_source = "fusion"
        elif recalled.rankings:
            explain.effective_rank_source = recalled.rankings[0].leg
