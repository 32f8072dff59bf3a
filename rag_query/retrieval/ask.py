"""A plan for a plain question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_query.contracts.filters import Filters
from rag_query.contracts.plan import PLAN_VERSION, RetrievalPlan
from rag_query.retrieval.validation import parse_plan


def plan_for_question(
    text: str,
    mode: str = "hybrid",
    top_k: int | None = None,
    filters: Filters | Mapping[str, Any] | None = None,
    *,
    max_snippet_chars: int | None = None,
    include_snippets: bool = True,
    include_raw: bool | None = None,
) -> RetrievalPlan:
    """One query as a RetrievalPlan; what is left out gets the default of a question.

    Args:
        text: the question.
        mode: see :class:`~rag_query.contracts.plan.Query`.
        top_k: evidences wanted, 1 to 1000.
        filters: ``global_filters`` of the plan.
        max_snippet_chars, include_snippets, include_raw: of the plan's ``output``.

    Raises:
        ExcerptaError: ``INVALID_PLAN`` or ``INVALID_FILTER``.
    """
    if isinstance(filters, Filters):
        filters = filters.model_dump(by_alias=True, exclude_none=True)
    plan: dict[str, Any] = {
        "version": PLAN_VERSION,
        "purpose": "qa",
        "queries": [{"text": text, "mode": mode}],
        "global_filters": filters or {},
        "budget": {"top_k": top_k},
        "output": {
            "max_snippet_chars": max_snippet_chars,
            "include_snippets": include_snippets,
            "include_raw": include_raw,
        },
    }
    return parse_plan(plan)
