"""What a plan leaves open: defaults by purpose, then by strategy.

The table below is the meaning of ``purpose`` (docs/plans/README.md). A value in the plan always
wins over the purpose, the purpose over the strategy.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from rag_query.contracts.plan import Purpose, RetrievalPlan
from rag_query.retrieval.fusion import FusionParams
from rag_query.retrieval.providers import ContextParams

_DEFAULT_TOP_K = 10


@dataclass(frozen=True, slots=True)
class PurposeDefaults:
    """Defaults of one purpose.

    Attributes:
        top_k: evidences returned.
        by_document: limit of one document, so that one does not fill the answer.
        include_raw: whether the raw payload is there.
        snippet_chars: ``max_snippet_chars``; the strategy's when None.
        why: as docs/plans tells it.
    """

    top_k: int = _DEFAULT_TOP_K
    by_document: int | None = None
    include_raw: bool = False
    snippet_chars: int | None = None
    why: str = field(default="", compare=False)


PURPOSES: dict[Purpose, PurposeDefaults] = {
    "qa": PurposeDefaults(why="a few strong passages"),
    "continue_task": PurposeDefaults(top_k=12, why="a little more context than an answer needs"),
    "debug": PurposeDefaults(top_k=20, include_raw=True, why="see what lies below the cut"),
    "summarize": PurposeDefaults(top_k=20, snippet_chars=1600, why="long passages, many of them"),
    "research": PurposeDefaults(top_k=30, by_document=5, why="many documents"),
    "other": PurposeDefaults(),
}


def effective_plan(
    plan: RetrievalPlan, fusion: FusionParams, context: ContextParams
) -> tuple[RetrievalPlan, list[str]]:
    """The plan with every default filled in, and what had to be adjusted, as warnings.

    Idempotent: the effective plan is its own effective plan.
    """
    purpose = PURPOSES[plan.purpose]
    warnings: list[str] = []
    made = plan.model_copy(deep=True)
    made.request_id = plan.request_id or str(uuid.uuid4())
    budget, output, ranking = made.budget, made.output, made.ranking
    budget.top_k = _first(budget.top_k, purpose.top_k)
    wanted = _first(budget.candidate_k, fusion.candidate_k)
    budget.candidate_k = max(wanted, budget.top_k)
    if plan.budget.candidate_k is not None and plan.budget.candidate_k < budget.top_k:
        warnings.append(f"candidate_k raised to top_k ({budget.top_k})")
    limits = budget.diversity
    limits.by_document = _first(limits.by_document, purpose.by_document)
    limits.overlaps = _first(limits.overlaps, "collapse")
    limits.near_duplicates = _first(limits.near_duplicates, "collapse")
    output.include_raw = _first(output.include_raw, purpose.include_raw)
    output.max_snippet_chars = _first(
        output.max_snippet_chars, purpose.snippet_chars, context.max_snippet_chars
    )
    chosen = ranking.fusion
    chosen.method = _first(chosen.method, fusion.method)
    chosen.rrf_k = _first(chosen.rrf_k, fusion.rrf_k)
    chosen.normalization = _first(chosen.normalization, fusion.normalization)
    chosen.weights.exact = _first(chosen.weights.exact, fusion.weights.exact)
    chosen.weights.semantic = _first(chosen.weights.semantic, fusion.weights.semantic)
    ranking.rerank.enabled = _first(ranking.rerank.enabled, True)
    ranking.rerank.top_n = _first(ranking.rerank.top_n, fusion.rerank_top_n)
    return made, warnings


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
