"""Media, documents and chunks by URI."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.unit.mcp_app.conftest import Call, data_of, with_client

CONTENT = b"the bytes of a medium"
THUMB = b"the bytes of its thumbnail"
INVALID_PARAMS = -32602


def _read(service: LibraryService, uri: str) -> Any:
    (content,) = with_client(service, lambda client: client.read_resource(uri)).contents
    return content


def _refusal(service: LibraryService, uri: str) -> MCPError:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        return caught.value

    refused: MCPError = with_client(service, work)
    return refused


def test_the_templates_are_listed(service: LibraryService) -> None:
    listed = with_client(service, lambda client: client.list_resource_templates())
    assert [template.uri_template for template in listed.resource_templates] == [
        "asset://{asset_id}{?variant}",
        "document://{doc_id}{?cursor}",
        "chunk://{chunk_id}",
    ]


def test_a_document_and_its_chunks(service: LibraryService, call: Call) -> None:
    data = data_of(call("library_get_document", document_id="tea.md", view="chunks"))
    document = data["document"]
    whole = _read(service, f"document://{document['doc_id']}")
    assert whole.mime_type == "text/markdown" and "Brew at 80 degrees" in whole.text
    for chunk in document["chunks"]:
        text = _read(service, f"chunk://{chunk['chunk_id']}").text
        assert chunk["chunk_text"] in text and document["source_uri"] in text


def test_a_medium_and_its_thumbnail(service: LibraryService, library: Home) -> None:
    asset_id = hashlib.sha256(CONTENT).hexdigest()
    library.media_file(asset_id).parent.mkdir(parents=True, exist_ok=True)
    library.media_file(asset_id).write_bytes(CONTENT)
    library.thumb_file(asset_id).write_bytes(THUMB)
    assert base64.b64decode(_read(service, f"asset://{asset_id}").blob) == CONTENT
    assert base64.b64decode(_read(service, f"asset://{asset_id}?variant=thumb").blob) == THUMB


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        (f"asset://{'f' * 64}", "ASSET_NOT_FOUND"),
        (f"asset://{'f' * 64}?variant=huge", "INVALID_ARGUMENT"),
        ("document://doc_nowhere", "DOCUMENT_NOT_FOUND"),
        ("chunk://chk_000000000000000000000000", "CHUNK_NOT_FOUND"),
        ("chunk://nothing", "CHUNK_NOT_FOUND"),
    ],
)
def test_what_is_not_there(service: LibraryService, uri: str, code: str) -> None:
    refused = _refusal(service, uri)
    assert refused.error.code == INVALID_PARAMS and code in refused.error.message


@pytest.mark.parametrize("uri", ["asset://..%2F..%2Flibrary.json", "asset://%2Fetc%2Fpasswd"])
def test_a_path_is_no_asset(service: LibraryService, uri: str) -> None:
    assert _refusal(service, uri).error.code == INVALID_PARAMS
