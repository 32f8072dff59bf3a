"""What a pack says of how it came about: pure functions over what the stages left behind."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag_query.contracts.evidence import Leg, Preference
from rag_query.contracts.explain import FilterStep, FusionExplain, QueryExplain
from rag_query.contracts.pack import ModeStats, Stats
from rag_query.contracts.plan import Mode, RetrievalPlan
from rag_query.contracts.plan_part import unknown_fields
from rag_query.retrieval.filters import MATRIX, Conditions
from rag_query.retrieval.hints import read_hints
from rag_query.retrieval.preprocess import QueryIR
from rag_query.retrieval.recalled import FOLLOWING, LEGS, Recalled


def ignored_fields(plan: RetrievalPlan) -> list[str]:
    """Fields of the plan that did nothing, each with the reason."""
    ignored = [f"{name} is not known" for name in unknown_fields(plan)]
    for index, query in enumerate(plan.queries):
        said = read_hints(query.hints).ignored
        ignored += [f"queries[{index}].hints.{reason}" for reason in said]
    if plan.ranking.source_priority and plan.ranking.tie_breaker != "source_priority":
        ignored.append("ranking.source_priority acts only with tie_breaker source_priority")
    if plan.ranking.fusion.method == "none" and plan.ranking.tie_breaker != "none":
        ignored.append("ranking.tie_breaker does nothing with fusion none: there are no ties")
    return ignored


def filters_applied(plan: RetrievalPlan, queries: Sequence[QueryIR]) -> dict[str, Any]:
    """What held for every query, and under ``queries[i]`` what one query or its text replaced."""
    applied = plan.global_filters.to_json()
    applied.setdefault("version", "latest")
    for index, query in enumerate(plan.queries):
        own = query.filters.to_json() if query.filters is not None else {}
        if own := own | queries[index].filters:
            applied[f"queries[{index}]"] = own
    return applied


def filter_steps(
    plan: RetrievalPlan, conditions: Sequence[Conditions], queries: Sequence[QueryIR]
) -> list[FilterStep]:
    """Where each condition ran; those every query shares are named once."""
    own = [query.filters for query in plan.queries if query.filters]
    shared = set.intersection(*(set(c.fields) for c in conditions))
    shared -= {name for filters in own for name, _ in filters.given()}
    shared -= {name for query in queries for name in query.filters}
    steps = []
    for row in MATRIX:
        holders = [index for index, c in enumerate(conditions) if row.field in c.fields]
        groups = [holders] if row.field in shared else [[index] for index in holders]
        for group in groups:
            modes = [plan.queries[index].mode for index in group]
            legs: set[Leg] = {leg for mode in modes for leg in (*LEGS[mode], *FOLLOWING[mode])}
            steps.append(
                FilterStep(
                    field=row.field,
                    query_index=None if row.field in shared else group[0],
                    source="question" if row.field in queries[group[0]].filters else "plan",
                    executed_in=sorted(legs),
                )
            )
    return steps


def preference_steps(preferences: Collection[Preference]) -> list[FilterStep]:
    """The soft rows of the matrix that take part: they order the list (DEV_SPEC 3.2.5.2)."""
    return [
        FilterStep(
            field=f"prefer_{name}",
            strength="soft",
            stage="rerank",
            missing="no_boost",
            executed_in=[],
        )
        for name in sorted(preferences)
    ]


def fusion_explained(plan: RetrievalPlan) -> FusionExplain:
    """The fusion of an effective plan."""
    fusion = plan.ranking.fusion
    return FusionExplain(
        method=fusion.method or "rrf",
        rrf_k=fusion.rrf_k or 0,
        weights=fusion.weights.model_dump(exclude_none=True),
        normalization=fusion.normalization if fusion.method == "weighted_sum" else None,
    )


def queries_explained(
    plan: RetrievalPlan, queries: Sequence[QueryIR], recalled: Recalled
) -> list[QueryExplain]:
    """How each query was understood, and which legs it had."""
    words = {r.query_index: r for r in recalled.rankings if r.leg == "sparse"}
    return [
        QueryExplain(
            query_index=index,
            mode=plan.queries[index].mode,
            retrieval_mode_effective=recalled.effective[index],
            normalized_query=query.normalized_query,
            language=query.language,
            intent=query.intent,
            phrases=list(query.phrases),
            required=list(query.required),
            excluded=list(query.excluded),
            wildcards=list(query.wild),
            dense_query_text=_rewritten(query),
            synonyms=list(query.synonyms),
            parsed_filters=list(query.conditions),
            parsed_preferences=list(query.preferences),
            rewrite=query.rewrite,
            entities=recalled.entities.get(index),
            neighbours=recalled.neighbours.get(index),
            lexical_coverage=round(words[index].coverage, 4) if index in words else None,
            identifiers=list(words[index].identifiers) if index in words else [],
            expansions=recalled.expansions.get(index),
            seeds=recalled.seeds.get(index),
        )
        for index, query in enumerate(queries)
    ]


def statistics(
    plan: RetrievalPlan, recalled: Recalled, returned: Sequence[str], stage_ms: Mapping[str, float]
) -> Stats:
    """Counts of one run; ``returned`` are the chunk ids of the pack."""
    by_leg: dict[Leg, set[str]] = {}
    by_mode: dict[Mode, set[str]] = {query.mode: set() for query in plan.queries}
    for ranking in recalled.rankings:
        by_leg.setdefault(ranking.leg, set()).update(ranking.chunk_ids)
        by_mode[ranking.mode].update(ranking.chunk_ids)
    both = by_leg["dense"] & by_leg["sparse"] if {"dense", "sparse"} <= by_leg.keys() else None
    return Stats(
        candidates=len(set().union(*by_leg.values())),
        returned=len(returned),
        by_mode={
            mode: ModeStats(candidates=len(ids), returned=sum(chunk in ids for chunk in returned))
            for mode, ids in by_mode.items()
        },
        by_leg={leg: len(ids) for leg, ids in by_leg.items()},
        stage_ms={stage: round(took, 3) for stage, took in stage_ms.items()},
        dense_sparse_overlap=None if both is None else len(both),
    )


def why_nothing(
    applied: Mapping[str, Any], library_is_empty: bool, contradiction: str | None
) -> str:
    """The reason an empty pack gives.

    Args:
        contradiction: why the filters leave nothing (``contradiction.py``).
    """
    if library_is_empty:
        return "The library is empty: nothing in it can be searched yet."
    if contradiction:
        return contradiction
    conditions = [name for name in applied if name != "version"]
    if conditions:
        return (
            f"No passage that satisfies the filters ({', '.join(conditions)}) holds the words of "
            "the query."
        )
    return "No passage holds the words of the query."


def _rewritten(query: QueryIR) -> str | None:
    rewrite = query.rewrite
    return query.dense_query_text if rewrite is not None and rewrite.rewrite_used else None
