"""One case through the product's own pipeline, with the evidence it leaves (DEV_SPEC 3.4.8).

Nothing here searches: the retriever runs the plan as for any reader, and what it did is read from
the trace it leaves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.evaluation import CaseArtifacts, EvalCase, Ranked, Retrieved
from rag_query.contracts.pack import EvidencePack
from rag_query.contracts.plan import PLAN_VERSION, RetrievalPlan
from rag_query.contracts.trace import EventKind, TraceEnvelope
from rag_query.evaluation.answers import AnswerSource, MadeAnswer
from rag_query.evaluation.judgements import Judgement
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval.pipeline import Retriever
from rag_query.retrieval.validation import parse_plan

#: Candidates kept of each list; what lies below decides nothing an evaluation asks.
KEPT = 50


class TraceCatcher:
    """A sink that keeps the traces of an evaluation until their metrics are known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._caught: dict[str, TraceEnvelope] = {}

    def write(self, envelope: TraceEnvelope) -> None:
        """Keep one."""
        with self._lock:
            self._caught[envelope.trace_id] = envelope

    def take(self, trace_id: str | None) -> list[TraceEnvelope]:
        """Hand one over, and those that began within it."""
        with self._lock:
            found = [
                trace
                for trace in self._caught.values()
                if trace_id and trace_id in (trace.trace_id, trace.links.parent_trace_id)
            ]
            for trace in found:
                del self._caught[trace.trace_id]
        return sorted(found, key=lambda trace: trace.trace_id != trace_id)


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A case that was executed, or failed.

    Attributes:
        collections: chunk id -> collection of the final passages, for ``doc_scope``.
        versions: chunk id -> version id of them.
        traces: of the query and of the answer, with those within them.
        passages: texts a judge may look at; ``statement`` is what it judges.
    """

    artifacts: CaseArtifacts
    collections: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    traces: tuple[TraceEnvelope, ...] = ()
    passages: tuple[str, ...] = ()
    statement: str = ""


@dataclass(frozen=True, slots=True)
class CaseRunner:
    """Executes cases on one snapshot.

    Attributes:
        catcher: among the retriever's sinks.
        answers: None for ``retrieval_only``.
        fixed_context: the passages are the case's ``context_chunk_ids`` (``generation_only``).
    """

    retriever: Retriever
    snapshot: Snapshot
    catcher: TraceCatcher
    retrieval_mode: str
    top_k: int
    answers: AnswerSource | None = None
    fixed_context: bool = False

    def run(self, judgement: Judgement) -> CaseRun:
        """Never raises for what is the case's own fault: that is a result with an error."""
        began = time.perf_counter()
        try:
            pack = self.retriever.run(self._plan(judgement), snapshot=self.snapshot)
            made = None
            if self.answers is not None:
                document = self._document(judgement.case) if self.fixed_context else None
                made = self.answers.answer(judgement.case.query, document)
        except Exception as exc:
            error = classify(exc)
            if error.code is ErrorCode.INTERNAL:
                raise
            failed = CaseArtifacts(
                latency_ms=_ms(began), error={"code": str(error.code), "message": error.message}
            )
            return CaseRun(failed)
        return self._evidence(pack, made, _ms(began))

    def _plan(self, judgement: Judgement) -> RetrievalPlan:
        case = judgement.case
        filters: dict[str, Any] = dict(case.filters)
        if self.fixed_context:
            filters["document_ids"] = [self._document(case)]
        diversity = {"by_document": 1} if judgement.by_document else {}
        return parse_plan(
            {
                "version": PLAN_VERSION,
                "queries": [{"text": case.query, "mode": self.retrieval_mode}],
                "global_filters": filters,
                "budget": {"top_k": self.top_k, "diversity": diversity},
                "output": {"include_snippets": False},
            }
        )

    def _document(self, case: EvalCase) -> str:
        """The document a fixed context is of: answers are made from one document."""
        chunks = case.context_chunk_ids or case.expected_chunk_ids
        held = self.snapshot.served.get(chunks)
        if held:
            return held[0].doc_id
        if case.relevant and not chunks:
            return self.snapshot.catalog.resolve_document(next(iter(case.relevant)), part=False)
        raise ExcerptaError(
            ErrorCode.INVALID_DATASET,
            f"Case {case.case_id!r} names no context that the library holds.",
            hint="generation_only needs context_chunk_ids, expected_chunk_ids or relevant.",
        )

    def _evidence(self, pack: EvidencePack, made: MadeAnswer | None, ms: float) -> CaseRun:
        traces = self.catcher.take(pack.explain.trace_id)
        trace = traces[0] if traces else None
        fused, retrieved, reranked, fallbacks = _from_trace(trace)
        context = [
            Ranked(
                chunk_id=e.chunk_id,
                doc_id=e.document_id,
                external_id=e.metadata.external_id,
                score=e.signals.fused_score or e.signals.rrf_score or 0.0,
                source="+".join(dict.fromkeys(leg.leg for leg in e.signals.legs)),
            )
            for e in pack.evidences
        ]
        artifacts = CaseArtifacts(
            retrieved=retrieved,
            fused=fused,
            reranked=reranked,
            context=context,
            latency_ms=ms,
            stage_ms={name: round(value, 3) for name, value in pack.stats.stage_ms.items()},
            fallbacks=fallbacks,
            warnings=pack.warnings,
            trace_id=pack.explain.trace_id,
            asset_ids=sorted({a for e in pack.evidences for a in e.metadata.asset_ids}),
        )
        if made is not None:
            traces += self.catcher.take(made.trace_id)
            artifacts = _with_answer(artifacts, made)
        return CaseRun(
            artifacts,
            {e.chunk_id: e.metadata.collection or "" for e in pack.evidences},
            {e.chunk_id: e.metadata.version_id or "" for e in pack.evidences},
            tuple(traces),
            made.passages if made else (),
            made.statement if made else "",
        )


def _with_answer(artifacts: CaseArtifacts, made: MadeAnswer) -> CaseArtifacts:
    """The artifacts of a retrieval, and those of the answer made from it."""
    return artifacts.model_copy(
        update={
            "answer_markdown": made.markdown,
            "trace_id": made.trace_id or artifacts.trace_id,
            "refused": made.refused,
            "citations": list(made.citations),
            "sentences": made.sentences,
            "sentences_cited": made.sentences_cited,
            "usage": made.usage,
            "warnings": [*artifacts.warnings, *made.warnings],
            "asset_ids": list(made.asset_ids) or artifacts.asset_ids,
        }
    )


def _from_trace(
    trace: TraceEnvelope | None,
) -> tuple[list[Ranked], list[Retrieved], list[str], list[dict[str, Any]]]:
    """Fused ranking, candidates of every leg, reranked ids and fallbacks, as the events tell."""
    fused: list[Ranked] = []
    retrieved: list[Retrieved] = []
    reranked: list[str] = []
    fallbacks: list[dict[str, Any]] = []
    for event in trace.events if trace else ():
        payload = event.payload
        if event.kind is EventKind.RETRIEVAL_CANDIDATES:
            source = str(payload["source"])
            retrieved.append(
                Retrieved(
                    source=source,
                    query_index=int(payload["query_index"]),
                    candidates=_ranked(payload["candidates"], source),
                )
            )
        elif event.kind is EventKind.FUSION_RANKED:
            fused = _ranked(payload["ranked"])
        elif event.kind is EventKind.RERANK_RANKED:
            reranked = [str(chunk) for chunk in payload["after"][:KEPT]]
        elif event.kind is EventKind.FALLBACK:
            fallbacks.append(payload)
    # The legs run side by side and report in whatever order they end.
    retrieved.sort(key=lambda leg: (leg.query_index, leg.source))
    return fused, retrieved, reranked, fallbacks


def _ranked(items: Sequence[dict[str, Any]], source: str | None = None) -> list[Ranked]:
    return [
        Ranked(
            chunk_id=item["chunk_id"],
            score=float(item["score"]),
            source=source or str(item.get("source", "")),
        )
        for item in items[:KEPT]
    ]


def _ms(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
