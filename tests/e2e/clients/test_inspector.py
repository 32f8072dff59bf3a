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
        self.called: set[str] = set()
        #: Of the last answer.
        self.trace_id = ""

    def __call__(self, method: str, *options: str, fails: bool = False) -> Any:
        done = self._npx(INSPECTOR, "--cli", *self._server, "--method", method, *options)
        assert fails or done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def tool(self, name: str, **arguments: Any) -> Any:
        """The ``data`` of an answer, after checking that text and structure agree."""
        answer = self._call(name, arguments)
        envelope = answer["structuredContent"]
        assert envelope["ok"] is True, answer
        assert answer["content"][0]["text"] == envelope["data"]["markdown"]
        self.trace_id = envelope["trace_id"]
        return envelope["data"]

    def refusal(self, name: str, **arguments: Any) -> Any:
        """The error of a call that has to fail."""
        answer = self._call(name, arguments, fails=True)
        assert answer["isError"] is True, answer
        return answer["structuredContent"]["error"]

    def _call(self, name: str, arguments: dict[str, Any], *, fails: bool = False) -> Any:
        self.called.add(name)
        given = json.dumps(arguments)
        options = ("--tool-name", name, "--tool-args-json", given)
        return self("tools/call", *options, fails=fails)


@pytest.fixture(scope="module")
def inspector(npx: Npx, pictured: Excerpta) -> Inspector:
    return Inspector(npx, pictured)


def test_tools_are_portable(inspector: Inspector) -> None:
    """``--strict`` fails on schemas that some client cannot read."""
    listed = inspector("tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]


@pytest.mark.timeout(900)
def test_every_tool_answers(inspector: Inspector) -> None:
    """Each listed tool once, in the order a conversation would call them."""
    answer = inspector.tool("library_query", query="How often is the gauge calibrated?")
    assert "every thirty days" in answer["markdown"]
    doc_id = answer["results"][0]["citation"]["doc_id"]
    chunk_id = answer["results"][0]["chunk_id"]
    assert "Calibration" in inspector.tool("library_get_document", document_id=doc_id)["markdown"]
    summary = inspector.tool("library_summarize_document", document_id=doc_id)["summary"]
    assert summary["sentences"]
    assert len(inspector.tool("library_list_documents")["documents"]) == 2
    zh = inspector.tool("library_query", query="密钥保存在哪里？", mode="exact")
    assert "保险柜" in zh["markdown"]
    trace_id = inspector.trace_id
    explained = inspector.tool("library_explain", trace_id=trace_id)
    assert explained["explained_trace_id"] == trace_id and explained["stages"]
    refused = inspector.refusal("library_show_page", chunk_id=chunk_id)
    assert refused["code"] == "INVALID_ARGUMENT" and "PDF" in str(refused)

    said = "How often must the float gauge be calibrated?"
    asked = inspector.tool("library_ask", question=said, lock=doc_id)
    assert asked["status"] == "answered" and "thirty days" in asked["markdown"]
    session = {"session_id": asked["session_id"]}
    assert inspector.tool("library_release", **session)["lock"]["status"] == "released"
    assert inspector.tool("library_replay", **session)["turns_total"] == 2

    run = inspector.tool("library_ingest", wait_seconds=60)
    assert run["state"] == "success"
    assert inspector.tool("library_job_status", job_id=run["job_id"])["state"] == "success"
    assert inspector.tool("library_cancel_job", job_id=run["job_id"])["state"] == "success"
    named = {"document_id": "观测手册.md", "wait_seconds": 60}
    for tool, left in (("library_delete_document", 1), ("library_undelete_document", 2)):
        assert inspector.tool(tool, **named)["state"] == "success"
        listed = inspector.tool("library_list_documents", filters={"status": "active"})
        assert len(listed["documents"]) == left, tool
    assert inspector.tool("library_status")["snapshot"] >= 3
    # With the picture, which the next test asks for, none was left out.
    uncalled = {tool.name for tool in TOOLS} - inspector.called - {"library_query_assets"}
    assert not uncalled


def test_a_picture_is_read_as_a_resource(inspector: Inspector) -> None:
    listed = inspector("resources/templates/list")
    assert any("asset://" in item["uriTemplate"] for item in listed["resourceTemplates"])
    answer = inspector.tool("library_query", query="float gauge picture")
    assets = [a for result in answer["results"] for a in result.get("asset_ids", [])]
    read = inspector("resources/read", "--uri", f"asset://{assets[0]}")
    content = read["contents"][0]
    assert content["mimeType"] == "image/png"
    assert Image.open(BytesIO(base64.b64decode(content["blob"]))).size == (320, 200)
    shown = inspector.tool("library_query_assets", asset_ids=assets[:1])
    assert len(shown["assets"]) == 1 and not shown["missing"]
