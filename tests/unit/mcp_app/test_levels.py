"""What a client of each level gets (DEV_SPEC 3.3.4.1)."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_app.service import LibraryService
from mcp_app.tools import TOOLS
from tests.unit.mcp_app.conftest import Call, data_of, with_client

READING: dict[str, dict[str, Any]] = {
    "library_query": {"query": "steamed tea"},
    "library_get_document": {"document_id": "tea.md", "include_summary": True},
    "library_summarize_document": {"document_id": "tea.md"},
    "library_list_documents": {"group_by": "tags"},
    "library_query_assets": {"asset_ids": ["f" * 64]},
    "library_status": {},
    "library_job_status": {},
}


@pytest.mark.parametrize("tool", list(READING))
def test_each_level_adds_to_the_one_before(call: Call, tool: str) -> None:
    plain, fields, links = (
        call(tool, **READING[tool], level=level) for level in ("L0", "L1", "L2")
    )
    assert set(data_of(plain)) == {"markdown"} and len(plain.content) == 1
    assert set(data_of(fields)) > {"markdown"} and len(fields.content) == 1
    assert set(data_of(links)) == set(data_of(fields))
    assert plain.structured_content["trace_id"]
    default = call(tool, **READING[tool])
    assert [item.type for item in default.content] == [item.type for item in links.content]


@pytest.mark.parametrize("tool", list(READING))
@pytest.mark.parametrize("level", ["L0", "L1", "L2"])
def test_an_answer_is_what_its_schema_says(
    service: LibraryService, call: Call, tool: str, level: str
) -> None:
    listed = with_client(service, lambda client: client.list_tools()).tools
    schema = next(t.output_schema for t in listed if t.name == tool)
    Draft202012Validator.check_schema(schema)
    answer = call(tool, **READING[tool], level=level).structured_content
    Draft202012Validator(schema).validate(answer)


def test_an_error_is_what_every_schema_says(service: LibraryService, call: Call) -> None:
    listed = with_client(service, lambda client: client.list_tools()).tools
    for tool in listed:
        failed = call(tool.name, colour="red")
        Draft202012Validator(tool.output_schema).validate(failed.structured_content)
    assert len(listed) == len(TOOLS)


def test_links_stand_beside_the_text(service: LibraryService, call: Call) -> None:
    text, *links = call("library_query", query="green tea", mode="exact").content
    assert text.text and links
    for link in links:
        assert link.type == "resource_link" and link.name
        if link.uri.startswith("document://"):
            read = with_client(service, lambda client, uri=link.uri: client.read_resource(uri))
            assert read.contents[0].text


def test_no_base64_but_from_the_media_tool(call: Call) -> None:
    asked = {"query": "Paragraph 0 of a long story", "mode": "exact", "top_k": 100}
    answer = call("library_query", **asked, include_pack=True)
    assert "blob" not in str(answer.structured_content)
    assert all(item.type in ("text", "resource_link") for item in answer.content)
    uris = {uri for result in data_of(answer)["results"] for uri in result["asset_uris"]}
    assert uris == {f"asset://{'a' * 64}"}


def test_a_thumbnail_is_an_image_to_look_at(call: Call, picture: tuple[str, bytes]) -> None:
    asset_id, _ = picture
    answer = call("library_query_assets", asset_ids=[asset_id, "f" * 64])
    _, image, link = answer.content
    assert (image.type, image.mime_type) == ("image", "image/png")
    assert base64.b64decode(image.data)[:4] == b"\x89PNG"
    assert link.uri == f"asset://{asset_id}"
    raw = call("library_query_assets", asset_ids=[asset_id], variant="raw")
    assert [item.type for item in raw.content] == ["text", "resource_link"]
