"""One suite over every way to the server: in process, stdio and HTTP, in both protocol eras."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_app.server import LibraryServer
from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.e2e.conftest import Excerpta

#: ``connect(work, hear)``: run ``work(client)`` with a session of its own; ``hear`` gets what the
#: server says unasked.
Connect = Callable[..., None]

WAYS = [(transport, era) for transport in ("memory", "stdio", "http") for era in ("auto", "legacy")]
#: Runs take seconds; what starts one goes through two ways that differ in both respects.
WAYS_TO_RUNS = [("stdio", "auto"), ("http", "legacy")]


@pytest.fixture(scope="module")
def service(excerpta: Excerpta) -> Iterator[LibraryService]:
    """What a server in this process serves to one client after another."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in excerpta.environment.items():
            patch.setenv(name, value)
        made = LibraryService(Home(excerpta.home))
        yield made
        made.close(1)


@pytest.fixture
def connect(request: pytest.FixtureRequest, excerpta: Excerpta) -> Connect:
    transport, era = request.param

    def server() -> Any:
        if transport == "http":
            return request.getfixturevalue("http_url")
        if transport == "stdio":
            return StdioServerParameters(
                command=excerpta.command[0],
                args=[*excerpta.command[1:], "mcp"],
                env=dict(excerpta.environment),
            )
        return LibraryServer(request.getfixturevalue("service"))

    def run(work: Callable[[Client], Awaitable[Any]], hear: Any = None) -> None:
        async def main() -> None:
            async with Client(server(), mode=era, message_handler=hear) as client:
                await work(client)

        anyio.run(main)

    return run


each_way = pytest.mark.parametrize("connect", WAYS, indirect=True, ids="-".join)
each_way_to_runs = pytest.mark.parametrize("connect", WAYS_TO_RUNS, indirect=True, ids="-".join)


def _data(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    data: dict[str, Any] = result.structured_content["data"]
    assert data["markdown"] == result.content[0].text
    return data


@each_way
def test_a_session_from_question_to_document(connect: Connect) -> None:
    async def work(client: Client) -> None:
        assert "library_query" in {tool.name for tool in (await client.list_tools()).tools}
        question = {"query": "How often must the gauge be calibrated?", "top_k": 3}
        answer = _data(await client.call_tool("library_query", question))
        assert answer["effective_mode"] == "hybrid"
        best = answer["results"][0]
        assert "every thirty days" in best["text_snippet"]
        assert "every thirty days" in answer["markdown"] and "[1]" in answer["markdown"]
        read = _data(
            await client.call_tool(
                "library_get_document",
                {
                    "document_id": best["citation"]["doc_id"],
                    "section": best["citation"]["section_path"],
                },
            )
        )
        assert "slack water" in read["document"]["md_text"]
        listed = _data(await client.call_tool("library_list_documents", {}))
        assert {d["status"] for d in listed["documents"]} == {"active", "failed"}

    connect(work)


@each_way
def test_what_may_not_be_done_gets_a_code(connect: Connect, documents: Path) -> None:
    refused = [
        ("library_ingest", {"paths": ["/etc"]}, "PATH_NOT_ALLOWED"),
        ("library_ingest", {"paths": ["notes.md"]}, "INVALID_ARGUMENT"),
        ("library_ingest", {"paths": [f"{documents}/../../elsewhere"]}, "PATH_NOT_ALLOWED"),
        ("library_ingest", {"paths": [f"{documents}/missing.md"]}, "PATH_NOT_FOUND"),
        ("library_job_status", {"job_id": "never"}, "JOB_NOT_FOUND"),
        ("library_job_status", {"job_id": "../library"}, "JOB_NOT_FOUND"),
    ]

    async def work(client: Client) -> None:
        for tool, arguments, code in refused:
            result = await client.call_tool(tool, arguments)
            assert result.is_error and result.structured_content is not None
            assert result.structured_content["error"]["code"] == code
            assert str(documents.parent) not in str(result.structured_content["error"])

    connect(work)


@each_way_to_runs
def test_a_long_ingest_becomes_a_job_its_document_is_deleted_and_a_job_canceled(
    connect: Connect, documents: Path
) -> None:
    spare = documents / "spare.md"
    spare.write_text("# Spare\n\nThe spare anemometer hangs in the shed.\n", encoding="utf-8")

    async def work(client: Client) -> None:
        arguments = {"paths": [str(spare)], "wait_seconds": 0}
        job = _data(await client.call_tool("library_ingest", arguments))
        assert job["state"] in ("queued", "running")
        assert job["job_id"] in job["markdown"]
        waiting = {"job_id": job["job_id"], "wait_seconds": 60}
        added = _data(await client.call_tool("library_job_status", waiting))
        assert added["state"] == "success"
        recent = _data(await client.call_tool("library_job_status", {}))
        assert recent["jobs"][0]["job_id"] == job["job_id"]

        wanted = {"document_id": "spare.md", "wait_seconds": 60}
        deleted = _data(await client.call_tool("library_delete_document", wanted))
        assert deleted["state"] == "success" and deleted["snapshot"] > added["snapshot"]
        assert deleted["deleted"][0]["source_uri"].endswith("/spare.md")
        assert spare.exists()
        again = await client.call_tool("library_delete_document", wanted)
        assert again.is_error and again.structured_content is not None
        assert again.structured_content["error"]["code"] == "DOCUMENT_NOT_FOUND"

        job = _data(await client.call_tool("library_ingest", {"wait_seconds": 0}))
        ended = _data(await client.call_tool("library_cancel_job", {"job_id": job["job_id"]}))
        assert ended["canceled"] and ended["state"] == "canceled"
        state = _data(await client.call_tool("library_status", {}))
        assert state["snapshot"] == deleted["snapshot"]

    try:
        connect(work)
    finally:
        spare.unlink()


@each_way_to_runs
def test_an_ingest_reports_progress_its_result_and_its_publication(
    connect: Connect, documents: Path
) -> None:
    """A publication by a notice on the connection, or by a stream the client opened, as its era
    has it."""
    buoy = documents / "buoy.md"
    buoy.write_text(f"# Buoy\n\nThe buoy has the number {uuid4()}.\n", encoding="utf-8")
    told: list[str] = []
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        assert total is not None and done <= total
        seen.append(done)

    async def listen(client: Client) -> None:
        async with client.listen(resources_list_changed=True) as events:
            async for event in events:
                told.append(type(event).__name__)

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as group:
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                group.start_soon(listen, client)
            # What a client does before it asks for a change of the library.
            await client.list_resources()
            await anyio.sleep(1)
            arguments = {"paths": [str(documents)], "wait_seconds": 60}
            result = _data(
                await client.call_tool("library_ingest", arguments, progress_callback=progress)
            )
            with anyio.fail_after(30):
                while not told:
                    await anyio.sleep(0.05)
            group.cancel_scope.cancel()
        assert result["state"] == "success" and result["snapshot"]
        assert result["failed_documents"][0]["code"] == "PDF_CORRUPT"
        assert "PDF_CORRUPT" in result["markdown"]
        assert seen == sorted(set(seen)) and seen
        assert set(told) <= {"ResourcesListChanged", "ResourceListChangedNotification"}
        listed = (await client.list_resources()).resources
        assert "buoy.md" in {resource.name for resource in listed}

    async def hear(message: Any) -> None:
        if type(message).__name__ == "ResourceListChangedNotification":
            told.append(type(message).__name__)

    try:
        connect(work, hear)
    finally:
        buoy.unlink()
