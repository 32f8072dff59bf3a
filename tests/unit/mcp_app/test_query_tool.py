"""``library_query``: evidence that a reader and a program can both use."""

from __future__ import annotations

from typing import Any

import pytest

from rag_query.contracts.pack import EvidencePack
from tests.unit.mcp_app.conftest import Call, data_of, error_of


def test_the_markdown_stands_alone(call: Call) -> None:
    data = data_of(call("library_query", query="How is green tea steamed?"))
    first = data["markdown"].split("**[2]")[0]
    assert first.startswith("**[1] Tea**")
    for part in ("page 1", "file://inbox/tea.md", "Green tea is steamed."):
        assert part in first


def test_results_carry_citations(call: Call) -> None:
    data = data_of(call("library_query", query="brewing temperature 80 degrees"))
    first = data["results"][0]
    assert first["rank"] == 1 and first["chunk_id"].startswith("chk_")
    citation = first["citation"]
    assert citation["title"] == "Tea" and citation["page_range"] == [2, 2]
    assert citation["section_path"] == "Tea / Brewing"
    assert citation["doc_id"].startswith("doc_") and citation["version_id"].startswith("ver_")
    assert data["effective_mode"] == "hybrid" and data["snapshot"] == 1
    assert "pack" not in data


def test_images_come_as_references_only(call: Call) -> None:
    data = data_of(call("library_query", query="Paragraph 0 of a long story", mode="exact"))
    held = next(r for r in data["results"] if r["asset_ids"])
    assert held["asset_uris"] == ["asset://" + "a" * 64]
    assert "base64" not in str(data)


@pytest.mark.parametrize(
    "filters",
    [
        {"tag_ids": ["hot"]},
        {"tags": "hot"},
        {"tag": "hot"},
        {"tags": None, "tag_ids": ["hot"], "doc_id": None},
        '{"tag_ids": ["hot"]}',
    ],
    ids=["plan name", "specified name", "name of the list", "others null", "object sent as text"],
)
def test_filters_hold(call: Call, filters: Any) -> None:
    data = data_of(call("library_query", query="steamed", filters=filters))
    assert data["results"]
    assert {r["citation"]["title"] for r in data["results"]} == {"Tea"}


@pytest.mark.parametrize("name", ["tea.md", "Tea", "file://inbox/tea.md"])
def test_a_document_is_filtered_by_any_of_its_names(call: Call, name: str) -> None:
    data = data_of(call("library_query", query="steamed", filters={"document_ids": [name]}))
    assert {r["citation"]["title"] for r in data["results"]} == {"Tea"}


@pytest.mark.parametrize(
    ("filters", "warning"),
    [
        ({"document_ids": ["espresso.md"]}, "'espresso.md'"),
        ({"collection": ["nope"]}, "No passage has the collection 'nope'; there are: 'inbox'; 's"),
        ({"tag": "HOTT"}, "No passage has the tag 'HOTT'; did you mean 'hot'?"),
        ({"source": "inbox/tea"}, "has the source 'inbox/tea'; there are: 'file://inbox/'; 'f"),
    ],
)
def test_a_filter_that_names_nothing_says_so(
    call: Call, filters: dict[str, Any], warning: str
) -> None:
    result = call("library_query", query="steamed", filters=filters)
    assert data_of(result)["results"] == []
    assert warning in result.structured_content["warnings"][0]
    assert warning in data_of(result)["markdown"]


def test_a_section_of_another_document_is_not_taken_for_one_that_is_nowhere(call: Call) -> None:
    only = {"doc_id": "coffee.md", "section_path": "Brewing"}
    result = call("library_query", query="steamed", filters=only)
    (said,) = result.structured_content["warnings"]
    assert said.startswith("The filters contradict each other")


def test_one_filter_by_two_names_is_refused(call: Call) -> None:
    both = {"tags": "hot", "tag_ids": ["drink"]}
    error = error_of(call("library_query", query="steamed", filters=both))
    assert error["code"] == "INVALID_FILTER"
    assert "`filters.tag_ids`" in error["message"] and "`tag_ids`" in error["details"]["hint"]


def test_an_error_names_the_argument_that_was_given(call: Call) -> None:
    empty = error_of(call("library_query", query=""))
    assert empty["message"] == "`query` is empty." and empty["details"]["hint"]
    long = error_of(call("library_query", query="x" * 100_000))
    assert "`query`" in long["message"] and "queries[0]" not in long["message"]


def test_a_chinese_question_finds_the_chinese_passage(call: Call) -> None:
    data = data_of(call("library_query", query="备份如何加密", mode="exact"))
    assert data["results"][0]["text_snippet"] == "备份每天加密一次。"


def test_a_whole_plan_returns_the_pack(call: Call) -> None:
    plan = {
        "version": "0.1",
        "request_id": "mine",
        "queries": [{"text": "steamed", "mode": "exact"}, {"text": "brewing", "mode": "hybrid"}],
        "budget": {"top_k": 2},
        "colour": "red",
    }
    result = call("library_query", plan=plan)
    data = data_of(result)
    pack = EvidencePack.model_validate(data["pack"])
    assert pack.request_id == "mine" and len(pack.evidences) == 2
    assert any("colour" in field for field in pack.explain.ignored_fields)
    assert result.structured_content["trace_id"] == pack.explain.trace_id
    assert data["effective_mode"] == "mixed"


def test_nothing_found_is_an_answer_with_a_reason(call: Call) -> None:
    result = call("library_query", query="zyxwvut", mode="exact")
    assert data_of(result)["results"] == []
    assert result.structured_content["warnings"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "INVALID_ARGUMENT"),
        ({"query": "x", "plan": {"version": "0.1", "queries": []}}, "INVALID_ARGUMENT"),
        ({"query": "   "}, "INVALID_ARGUMENT"),
        ({"query": "x", "top_k": 0}, "INVALID_ARGUMENT"),
        ({"query": "x", "mode": "psychic"}, "INVALID_ARGUMENT"),
        ({"query": "x" * 100_000}, "INVALID_PLAN"),
        ({"query": "x", "filters": {"colour": "red"}}, "INVALID_FILTER"),
        ({"plan": {"version": "2.0", "queries": [{"text": "x"}]}}, "UNSUPPORTED_VERSION"),
        ({"plan": {"version": "0.1"}}, "INVALID_PLAN"),
    ],
)
def test_bad_questions_get_a_code(call: Call, arguments: dict[str, Any], code: str) -> None:
    assert error_of(call("library_query", **arguments))["code"] == code
