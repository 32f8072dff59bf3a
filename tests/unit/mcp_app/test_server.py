"""The server as a client sees it: what it lists, how it answers, how it refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client

from mcp_app.service import LibraryService
from mcp_app.tools import TOOLS
from tests.unit.mcp_app.conftest import Call, data_of, error_of, with_client


def _list(service: LibraryService, mode: str) -> Any:
    return with_client(service, lambda client: client.list_tools(), mode).tools


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed_once_with_names_every_client_accepts(
    service: LibraryService, mode: str
) -> None:
    tools = _list(service, mode)
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.name)
        assert tool.title and tool.description and tool.annotations
        assert tool.output_schema
        for schema in (tool.input_schema, tool.output_schema):
            assert "$ref" not in str(schema) and "$defs" not in str(schema)
        assert tool.input_schema["additionalProperties"] is False


def test_the_tools_that_write_say_so(service: LibraryService) -> None:
    tools = _list(service, "auto")
    writing = [tool.name for tool in tools if not tool.annotations.read_only_hint]
    assert writing == [
        "library_ingest",
        "library_cancel_job",
        "library_delete_document",
        "library_undelete_document",
    ]
    destructive = [tool.name for tool in tools if tool.annotations.destructive_hint]
    assert destructive == ["library_delete_document"]


def test_the_dotted_name_of_the_specification_works(call: Call) -> None:
    listed = data_of(call("library_query", query="steamed", mode="exact"))
    dotted = data_of(call("library.query", query="steamed", mode="exact"))
    assert [r["chunk_id"] for r in dotted["results"]] == [r["chunk_id"] for r in listed["results"]]


def test_an_unknown_tool_is_refused_with_the_known_ones(call: Call) -> None:
    error = error_of(call("library_paint"))
    assert error["code"] == "INVALID_ARGUMENT"
    assert "library_query" in error["details"]["hint"]


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_an_unknown_argument_is_named(call: Call, tool: str) -> None:
    error = error_of(call(tool, query="x", colour="red", document_id="d", job_id="j"))
    assert error["code"] == "INVALID_ARGUMENT"
    assert "`colour` is not known" in error["message"]


def test_the_argument_that_was_meant_and_the_one_that_is_missing_are_named(call: Call) -> None:
    assert "did you mean `query`?" in error_of(call("library_query", qurey="x"))["message"]
    message = error_of(call("library_ask", qestion="x"))["message"]
    assert "did you mean `question`?" in message and "`question` is missing" in message
    # What is only somewhat alike was not meant.
    assert "did you mean" not in error_of(call("library_query", query="x", page=2))["message"]


def test_mistyped_and_huge_arguments_are_named(call: Call) -> None:
    error = error_of(call("library_query", query="x", top_k="many", max_snippet_chars=10**9))
    assert "`top_k`" in error["message"] and "`max_snippet_chars`" in error["message"]
    assert "Traceback" not in str(error)


def test_a_missing_argument_is_named(call: Call) -> None:
    assert "`document_id`" in error_of(call("library_get_document"))["message"]


def test_without_a_library_every_tool_says_so(tmp_path: Any) -> None:
    from rag_query.library.home import Home
    from tests.unit.mcp_app.conftest import caller

    call = caller(LibraryService(Home.resolve(tmp_path / "nothing")))
    for tool, arguments in {
        "library_query": {"query": "tea"},
        "library_list_documents": {},
        "library_get_document": {"document_id": "tea"},
        "library_ingest": {"paths": [str(tmp_path)]},
        "library_job_status": {},
        "library_cancel_job": {"job_id": "never"},
        "library_delete_document": {"document_id": "tea"},
        "library_undelete_document": {"document_id": "tea"},
        "library_summarize_document": {"document_id": "tea"},
        "library_show_page": {"chunk_id": "chk_tea"},
        "library_explain": {"trace_id": f"trc_{'0' * 32}"},
        "library_query_assets": {"asset_ids": ["a"]},
        "library_status": {},
    }.items():
        error = error_of(call(tool, **arguments))
        assert error["code"] == "LIBRARY_NOT_FOUND"
        assert str(tmp_path) not in str(error)
    assert not (tmp_path / "nothing").exists()


def test_many_calls_at_once_are_all_answered(service: LibraryService) -> None:
    import anyio

    answers: list[Any] = []

    async def work(client: Client) -> None:
        async def ask() -> None:
            arguments = {"query": "steamed tea", "mode": "hybrid"}
            answers.append(await client.call_tool("library_query", arguments))

        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ask)

    with_client(service, work)
    assert len(answers) == 20
    assert len({str(data_of(a)["results"]) for a in answers}) == 1
