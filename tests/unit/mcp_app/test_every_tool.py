"""What holds for every tool, also for one that is added later."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mcp_app.options import ServerOptions
from mcp_app.service import LibraryService
from mcp_app.tools import ALL_TOOLS, TOOLS
from mcp_app.tools.base import LibraryTool
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from tests.unit.mcp_app.conftest import caller, error_of, with_client

TOOL_IDS = [tool.name for tool in ALL_TOOLS]
#: A value of another type than any argument has, and one no argument is as large as.
MISTYPED: dict[str, Any] = {"string": [1], "integer": "many", "number": {}, "boolean": "perhaps"}
HUGE: dict[str, Any] = {"string": "x" * 200_000, "integer": 10**18, "number": 1e300}


@pytest.fixture(scope="module")
def service(library: Home) -> Any:
    made = LibraryService(library, patience_s=10, options=ServerOptions(research_tools=True))
    yield made
    made.close(1)


def _listed(service: LibraryService) -> dict[str, Any]:
    return {t.name: t for t in with_client(service, lambda client: client.list_tools()).tools}


def _required(tool: LibraryTool) -> dict[str, Any]:
    """Arguments a tool cannot do without, with values of the right type that mean nothing."""
    schema = tool.arguments.model_json_schema()
    made: dict[str, Any] = {}
    for name in schema.get("required", []):
        kind = schema["properties"][name]["type"]
        made[name] = {"string": "nothing", "array": ["nothing"], "boolean": True}[kind]
    return made


def _argument_of(tool: LibraryTool, kinds: dict[str, Any]) -> list[tuple[str, Any]]:
    properties = tool.arguments.model_json_schema()["properties"]
    found = []
    for name, schema in properties.items():
        choices = [schema, *schema.get("anyOf", [])]
        kind = next((c["type"] for c in choices if c.get("type") in kinds), None)
        if kind is not None:
            found.append((name, kinds[kind]))
    return found


def test_a_model_can_tell_which_tool_to_use(service: LibraryService) -> None:
    listed = _listed(service)
    assert list(listed) == TOOL_IDS
    for name, tool in listed.items():
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        assert tool.title and tool.annotations is not None
        assert 60 < len(tool.description) < 800
        for argument in tool.input_schema["properties"].values():
            assert "title" not in argument
        for schema in (tool.input_schema, tool.output_schema):
            assert "$ref" not in json.dumps(schema) and "$defs" not in json.dumps(schema)
            # Words of pydantic that JSON Schema does not know, so that nobody would obey them.
            assert not re.search(r'"(ge|le|gt|lt)": [0-9]', json.dumps(schema)), name
        assert tool.input_schema["additionalProperties"] is False
    for tool in (t for t in listed.values() if t.name in {t.name for t in TOOLS}):
        others = [n for n in listed if n != tool.name and n in tool.description]
        assert others or tool.name == "library_ingest", f"{tool.name} names no other tool"


def test_the_list_costs_a_model_little(service: LibraryService) -> None:
    from mcp_app.budget import tokens_of

    listed = [
        {"name": t.name, "description": t.description, "inputSchema": t.input_schema}
        for t in _listed(service).values()
    ]
    assert tokens_of(listed) < 6_000


@pytest.mark.parametrize("tool", ALL_TOOLS, ids=TOOL_IDS)
def test_unknown_arguments_are_refused_by_name(service: LibraryService, tool: LibraryTool) -> None:
    error = error_of(caller(service)(tool.name, **_required(tool), colour="red"))
    assert error["code"] == "INVALID_ARGUMENT"
    assert "`colour` is not known" in error["message"] and error["details"]["hint"]


@pytest.mark.parametrize("tool", [t for t in TOOLS if "wait_seconds" in t.arguments.model_fields])
def test_who_would_wait_longer_is_told_how(service: LibraryService, tool: LibraryTool) -> None:
    error = error_of(caller(service)(tool.name, **_required(tool), wait_seconds=90))
    assert error["code"] == "INVALID_ARGUMENT"
    assert "library_job_status" in error["details"]["hint"]


@pytest.mark.parametrize("tool", ALL_TOOLS, ids=TOOL_IDS)
def test_missing_arguments_are_named(service: LibraryService, tool: LibraryTool) -> None:
    for name in _required(tool):
        given = {key: value for key, value in _required(tool).items() if key != name}
        error = error_of(caller(service)(tool.name, **given))
        assert error["code"] == "INVALID_ARGUMENT" and f"`{name}`" in error["message"]


@pytest.mark.parametrize("tool", ALL_TOOLS, ids=TOOL_IDS)
def test_mistyped_arguments_are_named(service: LibraryService, tool: LibraryTool) -> None:
    for name, value in _argument_of(tool, MISTYPED):
        error = error_of(caller(service)(tool.name, **{**_required(tool), name: value}))
        assert error["code"] == "INVALID_ARGUMENT" and f"`{name}" in error["message"], name


@pytest.mark.parametrize("tool", ALL_TOOLS, ids=TOOL_IDS)
def test_huge_arguments_are_answered_in_the_envelope(
    service: LibraryService, tool: LibraryTool
) -> None:
    for name, value in _argument_of(tool, HUGE):
        result = caller(service)(tool.name, **{**_required(tool), name: value})
        if not result.is_error:
            continue
        error = error_of(result)
        assert error["code"] != "INTERNAL", (name, error)
        # What was refused is not sent back.
        assert len(json.dumps(error)) < 5_000, name


@pytest.mark.parametrize("tool", TOOLS, ids=[t.name for t in TOOLS])
def test_each_tool_has_two_names_and_is_listed_once(
    library: Home, service: LibraryService, tool: LibraryTool
) -> None:
    assert tool.dotted_name.startswith("library.")
    dotted = LibraryService(library, options=ServerOptions(tool_names="dotted"))
    assert tool.dotted_name in _listed(dotted) and tool.name not in _listed(dotted)
    for server in (service, dotted):
        for name in (tool.name, tool.dotted_name):
            assert "`colour` is not known" in error_of(caller(server)(name, colour=1))["message"]


def test_research_tools_are_listed_on_request_only(library: Home) -> None:
    plain = LibraryService(library)
    assert {"search", "fetch"}.isdisjoint(_listed(plain))
    assert "search" not in error_of(caller(plain)("search", query="tea"))["details"]["hint"]


def test_search_and_fetch_have_the_shape_research_clients_read(service: LibraryService) -> None:
    call = caller(service)
    found = json.loads(call("search", query="How is green tea made?").content[0].text)
    assert set(found) == {"results"} and found["results"]
    assert all({"id", "title", "url"} <= set(item) for item in found["results"])
    got = call("fetch", id=found["results"][0]["id"])
    document = json.loads(got.content[0].text)
    assert document == got.structured_content
    assert {"id", "title", "text", "url"} <= set(document)
    assert "steamed" in document["text"]
    whole = json.loads(call("fetch", id=document["metadata"]["doc_id"]).content[0].text)
    assert "Brew at 80 degrees" in whole["text"]
    assert error_of(call("fetch", id="chk_nothing"))["code"] == "CHUNK_NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EXCERPTA_TOOL_NAMES", "camel"),
        ("EXCERPTA_RESEARCH_TOOLS", "yes"),
        ("EXCERPTA_ANSWER_TOKENS", "few"),
        ("EXCERPTA_ANSWER_TOKENS", "10"),
        ("EXCERPTA_CALL_DEADLINE_S", "inf"),
        ("EXCERPTA_CALL_DEADLINE_S", "nan"),
    ],
)
def test_a_setting_that_is_none_is_refused(name: str, value: str) -> None:
    with pytest.raises(ExcerptaError) as refused:
        ServerOptions.from_environment({name: value})
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT and name in refused.value.message


def test_settings_come_from_the_environment() -> None:
    assert ServerOptions.from_environment({}) == ServerOptions()
    environment = {
        "EXCERPTA_TOOL_NAMES": "dotted",
        "EXCERPTA_RESEARCH_TOOLS": "1",
        "EXCERPTA_ANSWER_TOKENS": "5000",
        "EXCERPTA_CALL_DEADLINE_S": "2.5",
    }
    assert ServerOptions.from_environment(environment) == ServerOptions("dotted", True, 5000, 2.5)
