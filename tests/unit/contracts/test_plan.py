"""A plan is refused with the field and the allowed values, or understood completely."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.filters import Filters
from rag_query.contracts.plan import MAX_QUERY_CHARS, MAX_TOP_K, RetrievalPlan
from rag_query.contracts.plan_part import unknown_fields
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.defaults import PURPOSES, effective_plan
from rag_query.retrieval.fusion import FusionParams
from rag_query.retrieval.providers import ContextParams
from rag_query.retrieval.validation import parse_filters, parse_plan

#: Every field of RetrievalPlan v0.1, with the values of the specification's examples.
COMPLETE: dict[str, Any] = {
    "version": "0.1",
    "request_id": "c2b2f7d6-7c3b-4d53-8f8b-6f1f3a8c2a10",
    "purpose": "research",
    "queries": [
        {"text": "RAG memory runtime design", "mode": "hybrid", "weight": 1.0},
        {
            "text": "MemGPT hierarchical memory",
            "mode": "semantic",
            "weight": 0.7,
            "filters": {"language": ["en"]},
            "hints": {"prefer_recent": True},
        },
    ],
    "global_filters": {
        "document_ids": ["doc_1"],
        "tag_ids": ["t"],
        "topic_ids": ["p"],
        "source_type": ["url", "file", "manual", "memory_snapshot"],
        "source_uri_prefix": ["https://", "file://"],
        "language": ["zh", "en"],
        "time_range": {"from": "2026-01-01T00:00:00Z", "to": "2026-02-20T00:00:00Z"},
    },
    "budget": {
        "top_k": 30,
        "per_mode_k": {
            "exact": 10,
            "semantic": 10,
            "hybrid": 10,
            "relational": 10,
            "associative": 10,
        },
        "candidate_k": 200,
        "diversity": {"by_document": 3, "by_source": 10, "by_section": 1},
    },
    "ranking": {
        "fusion": {"method": "rrf", "rrf_k": 60, "weights": {"exact": 1.0, "semantic": 1.0}},
        "rerank": {"enabled": True, "model": "qwen3-reranker", "top_n": 50},
        "tie_breaker": "recency",
        "source_priority": {"url": 0.9, "file": 1.0, "manual": 0.8, "memory_snapshot": 0.7},
    },
    "output": {
        "include_snippets": True,
        "snippet_policy": "l2",
        "include_signals": True,
        "include_provenance": True,
        "include_raw": False,
        "max_snippet_chars": 800,
    },
    "debug": {
        "trace": True,
        "notes": "free text",
        "caller": {"app": "smart_bot", "session_id": "s"},
    },
}


def minimal(**changes: Any) -> dict[str, Any]:
    return {"version": "0.1", "queries": [{"text": "q", "mode": "hybrid"}]} | changes


def refused(plan: Any) -> ExcerptaError:
    with pytest.raises(ExcerptaError) as caught:
        parse_plan(plan)
    return caught.value


def effective(**changes: Any) -> RetrievalPlan:
    return effective_plan(parse_plan(minimal(**changes)), FusionParams(), ContextParams())[0]


def test_every_field_of_the_specification_is_known_and_survives() -> None:
    plan = parse_plan(COMPLETE)
    assert list(unknown_fields(plan)) == []
    again = parse_plan(plan.to_json())
    assert again == plan
    for section in ("budget", "ranking", "output", "debug"):
        for name, value in COMPLETE[section].items():
            assert plan.to_json()[section][name] == value


def test_unknown_fields_are_kept_and_named() -> None:
    plan = parse_plan(
        minimal(
            flavour="mint",
            queries=[{"text": "q", "boost": 2}],
            budget={"top_k": 3, "diversity": {"by_author": 1}},
        )
    )
    assert set(unknown_fields(plan)) == {
        "flavour",
        "queries[0].boost",
        "budget.diversity.by_author",
    }
    assert parse_plan(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("version", "code"),
    [
        ("1.0", ErrorCode.UNSUPPORTED_VERSION),
        ("2", ErrorCode.UNSUPPORTED_VERSION),
        ("new", ErrorCode.INVALID_PLAN),
        (0.1, ErrorCode.INVALID_PLAN),
        (None, ErrorCode.INVALID_PLAN),
    ],
)
def test_another_major_version_is_refused(version: Any, code: ErrorCode) -> None:
    error = refused(minimal(version=version))
    assert error.code == code
    assert "0.1" in error.hint


def test_a_later_minor_version_is_executed() -> None:
    assert parse_plan(minimal(version="0.9")).version == "0.9"


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"queries": []}, "queries", "at least 1"),
        ({"queries": [{"text": "a"}] * 100}, "queries", "at most 32"),
        ({"queries": [{"text": ""}]}, "queries[0].text", "at least 1"),
        ({"queries": [{"text": " \t\x00\x1f\n"}]}, "queries[0].text", "nothing to search"),
        ({"queries": [{"text": "\u200b\ufeff"}]}, "queries[0].text", "nothing to search"),
        ({"queries": [{"text": "\ud800 tea"}]}, "queries[0].text", "unicode"),
        ({"queries": [{"text": "x" * 100_000}]}, "queries[0].text", str(MAX_QUERY_CHARS)),
        ({"queries": [{"mode": "exact"}]}, "queries[0].text", "required"),
        ({"queries": [{"text": "a", "mode": "fuzzy"}]}, "queries[0].mode", "'semantic'"),
        ({"queries": [{"text": "a", "weight": -1}]}, "queries[0].weight", "greater than"),
        ({"queries": [{"text": "a", "weight": float("nan")}]}, "queries[0].weight", "finite"),
        ({"budget": {"top_k": 0}}, "budget.top_k", "greater than or equal to 1"),
        ({"budget": {"top_k": True}}, "budget.top_k", "a number is needed"),
        ({"queries": [{"text": "a", "weight": False}]}, "queries[0].weight", "a number is needed"),
        ({"budget": {"top_k": -5}}, "budget.top_k", "greater than or equal to 1"),
        ({"budget": {"top_k": 10_000}}, "budget.top_k", "less than or equal to 1000"),
        ({"purpose": "fun"}, "purpose", "'research'"),
        ({"ranking": {"fusion": {"method": "max"}}}, "ranking.fusion.method", "'weighted_sum'"),
        ({"ranking": {"tie_breaker": "luck"}}, "ranking.tie_breaker", "'source_priority'"),
        ({"output": {"snippet_policy": "l9"}}, "output.snippet_policy", "'auto'"),
        ({"output": {"max_snippet_chars": 0}}, "output.max_snippet_chars", "greater than"),
        ({"queries": None}, "queries", "required"),
        ({"queries": "why"}, "queries", "list"),
    ],
)
def test_a_wrong_value_names_the_field_and_what_is_allowed(
    changes: dict[str, Any], field: str, said: str
) -> None:
    error = refused(minimal(**changes))
    assert error.code == ErrorCode.INVALID_PLAN
    assert f"`{field}`" in error.message
    assert said in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("filters", "field", "said"),
    [
        ({"author": "x"}, "global_filters.author", "no such filter"),
        ({"tags": ["x"]}, "global_filters.tags", "`tag_ids`"),
        ({"language": ["fr"]}, "global_filters.language[0]", "'zh'"),
        ({"source_type": "book"}, "global_filters.source_type[0]", "'manual'"),
        ({"time_range": {"from": "soon"}}, "global_filters.time_range.from", "datetime"),
        (
            {"time_range": {"from": "2026-02-01", "to": "2026-01-01"}},
            "global_filters.time_range",
            "later",
        ),
        ({"page_range": {"from": 5, "to": 2}}, "global_filters.page_range", "greater"),
        ({"page_range": {"from": 2**70}}, "global_filters.page_range.from", "less than"),
        ({"page_range": {"to": 2**31}}, "global_filters.page_range.to", "less than"),
        (
            {"time_range": {"from": "0001-01-01T00:00:00+14:00"}},
            "global_filters.time_range.from",
            "years 1 to 9999",
        ),
        ({"section_path": ["汉" * 1001]}, "global_filters.section_path[0]", "at most 1000"),
        ({"source_uri_prefix": "a" * 1001}, "global_filters.source_uri_prefix[0]", "at most 1000"),
        ({"document_ids": [""]}, "global_filters.document_ids[0]", "at least 1"),
        ({"has_image": "perhaps"}, "global_filters.has_image", "boolean"),
        ("everything", "global_filters", "no JSON object"),
    ],
)
def test_a_condition_that_cannot_be_executed_is_refused(
    filters: Any, field: str, said: str
) -> None:
    error = refused(minimal(global_filters=filters))
    assert error.code == ErrorCode.INVALID_FILTER
    assert f"`{field}`" in error.message
    assert said in error.message
    assert "leave it out" in error.hint


def test_a_filter_of_another_form_is_shown_its_own() -> None:
    pages = refused(minimal(global_filters={"page_range": [3, 1]}))
    assert '{"from": 3, "to": 5}' in pages.hint
    assert pages.message == "`global_filters.page_range`: [3, 1] is no JSON object."


def test_a_filter_of_one_query_is_refused_by_its_place() -> None:
    error = refused(minimal(queries=[{"text": "a", "filters": {"colour": "red"}}]))
    assert (error.code, "`queries[0].filters.colour`" in error.message) == (
        ErrorCode.INVALID_FILTER,
        True,
    )


def test_null_is_left_out() -> None:
    nulls = {"global_filters": None, "budget": {"top_k": None, "diversity": None}, "debug": None}
    assert parse_plan(minimal(**nulls)) == parse_plan(minimal())
    assert parse_filters({"time_range": {"from": None}}) == parse_filters({"time_range": {}})


def test_all_problems_are_listed() -> None:
    error = refused(minimal(budget={"top_k": 0, "candidate_k": 0}, purpose="fun"))
    assert len(error.details["problems"]) == 3


@pytest.mark.parametrize("value", ["text", 5, [], None])
def test_what_is_no_object_is_refused(value: Any) -> None:
    assert refused(value).code == ErrorCode.INVALID_PLAN


def test_filters_accept_what_people_write() -> None:
    filters = parse_filters(
        {
            "language": "zh-CN",
            "tag_ids": "a",
            "topic_ids": [],
            "version": "ver_1",
            "time_range": {"from": "2026-01-01", "to": "2026-01-31"},
        }
    )
    assert filters.language == ["zh"]
    assert filters.tag_ids == ["a"]
    assert filters.topic_ids is None
    assert filters.version == ["ver_1"]
    assert filters.time_range is not None
    assert filters.time_range.from_ == datetime(2026, 1, 1, tzinfo=UTC)
    assert filters.time_range.to == datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC)


def test_filters_of_a_query_replace_those_of_the_plan_field_by_field() -> None:
    plan = parse_plan(
        minimal(
            global_filters={"tag_ids": ["a"], "language": ["en"]},
            queries=[{"text": "q"}, {"text": "r", "filters": {"tag_ids": ["b"]}}],
        )
    )
    assert dict(plan.filters_of(0).given()) == {"tag_ids": ["a"], "language": ["en"]}
    assert dict(plan.filters_of(1).given()) == {"tag_ids": ["b"], "language": ["en"]}


@pytest.mark.parametrize("purpose", list(PURPOSES))
def test_a_purpose_sets_defaults_and_the_plan_overrides_them(purpose: str) -> None:
    assert effective(purpose=purpose).budget.top_k == PURPOSES[purpose].top_k  # type: ignore[index]
    assert effective(purpose=purpose, budget={"top_k": 7}).budget.top_k == 7


def test_the_effective_plan_leaves_nothing_open_and_is_its_own() -> None:
    plan = effective(purpose="debug")
    assert plan.request_id
    assert plan.output.include_raw is True
    assert plan.output.max_snippet_chars == ContextParams().max_snippet_chars
    assert plan.ranking.fusion.weights.exact == FusionParams().weights.exact
    again, warnings = effective_plan(
        parse_plan(plan.to_json()), FusionParams(rrf_k=1), ContextParams(max_snippet_chars=5)
    )
    assert again == plan
    assert warnings == []


def test_fewer_candidates_than_results_are_raised_and_said() -> None:
    plan = parse_plan(minimal(budget={"top_k": 50, "candidate_k": 10}))
    made, warnings = effective_plan(plan, FusionParams(), ContextParams())
    assert made.budget.candidate_k == 50
    assert warnings == ["candidate_k raised to top_k (50)"]


def test_a_question_becomes_a_plan() -> None:
    plan = plan_for_question("why?", "exact", 3, {"collection": "x"})
    assert (plan.queries[0].mode, plan.budget.top_k, plan.purpose) == ("exact", 3, "qa")
    assert plan.global_filters.collection == ["x"]
    assert plan_for_question("why?", filters=Filters(tag_ids=["a"])).global_filters.tag_ids == ["a"]
    with pytest.raises(ExcerptaError, match="queries"):
        plan_for_question("   ")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "mode", "queries", "from", "x"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(["queries", "global_filters", "budget", "ranking", "output", "debug"]),
        _json,
    )
)
def test_any_json_is_understood_or_refused_with_a_code(value: dict[str, Any]) -> None:
    try:
        plan = parse_plan({"version": "0.1", **value})
    except ExcerptaError as error:
        assert error.code in (ErrorCode.INVALID_PLAN, ErrorCode.INVALID_FILTER)
        assert error.details["problems"]
    else:
        assert plan.queries


@pytest.mark.parametrize(
    ("control", "value"), [("top_k", 0), ("top_k", MAX_TOP_K + 1), ("candidate_k", 0)]
)
def test_the_schema_that_clients_read_knows_the_bounds(control: str, value: int) -> None:
    schema = RetrievalPlan.model_json_schema()
    plan = {"queries": [{"text": "tea"}], "budget": {control: 3}}
    jsonschema.validate(plan, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plan | {"budget": {control: value}}, schema)
