"""The MCP Inspector's command line, over stdio."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from mcp_app.tools import TOOLS
from tests.e2e.clients.conftest import Npx
from tests.e2e.conftest import Excerpta

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


class Inspector:
    """One library, asked through the Inspector; a server process for each call."""

    def __init__(self, npx: Npx, excerpta: Excerpta) -> None:
        self._npx = npx
        self._server = [*excerpta.command, "mcp"]

    def __call__(self, method: str, *options: str) -> Any:
        done = self._npx(INSPECTOR, "--cli", *self._server, "--method", method, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def tool(self, name: str, **arguments: Any) -> Any:
        """The ``data`` of an answer, after checking that text and structure agree."""
        given = json.dumps(arguments)
        answer = self("tools/call", "--tool-name", name, "--tool-args-json", given)
        envelope = answer["structuredContent"]
        assert envelope["ok"] is True, answer
        assert answer["content"][0]["text"] == envelope["data"]["markdown"]
        return envelope["data"]


@pytest.fixture(scope="module")
def inspector(npx: Npx, pictured: Excerpta) -> Inspector:
    return Inspector(npx, pictured)


def test_tools_are_portable(inspector: Inspector) -> None:
    """``--strict`` fails on schemas that some client cannot read."""
    listed = inspector("tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]


def test_every_reading_tool_answers(inspector: Inspector) -> None:
    answer = inspector.tool("library_query", query="How often is the gauge calibrated?")
    assert "every thirty days" in answer["markdown"]
    doc_id = answer["results"][0]["citation"]["doc_id"]
    assert "Calibration" in inspector.tool("library_get_document", document_id=doc_id)["markdown"]
    assert len(inspector.tool("library_list_documents")["documents"]) == 2
    assert inspector.tool("library_status")["snapshot"] == 1
    zh = inspector.tool("library_query", query="密钥保存在哪里？", mode="exact")
    assert "保险柜" in zh["markdown"]
    assert inspector.tool("library_job_status")["jobs"]


def test_a_picture_is_read_as_a_resource(inspector: Inspector) -> None:
    listed = inspector("resources/templates/list")
    assert any("asset://" in item["uriTemplate"] for item in listed["resourceTemplates"])
    answer = inspector.tool("library_query", query="float gauge picture")
    assets = [a for result in answer["results"] for a in result.get("asset_ids", [])]
    read = inspector("resources/read", "--uri", f"asset://{assets[0]}")
    content = read["contents"][0]
    assert content["mimeType"] == "image/png"
    assert Image.open(BytesIO(base64.b64decode(content["blob"]))).size == (320, 200)


def test_jobs_and_deleting(inspector: Inspector) -> None:
    run = inspector.tool("library_ingest", wait_seconds=60)
    assert run["state"] == "success"
    assert inspector.tool("library_job_status", job_id=run["job_id"])["state"] == "success"
    ended = inspector.tool("library_cancel_job", job_id=run["job_id"])
    assert ended["state"] == "success"
    gone = inspector.tool("library_delete_document", document_id="观测手册.md", wait_seconds=60)
    assert gone["state"] == "success"
    assert len(inspector.tool("library_list_documents")["documents"]) == 1
