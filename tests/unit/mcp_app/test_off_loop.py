"""Work that nobody waits for ends, and the loop goes on answering meanwhile."""

from __future__ import annotations

import threading
import time
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ToolAnnotations

from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.options import ServerOptions
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments, registered
from rag_query.cancellation import checkpoint
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.retrieval.ask import plan_for_question
from tests.unit.mcp_app.conftest import data_of, error_of, with_client


class _Endless:
    """Work that ends only when it is canceled."""

    def __init__(self) -> None:
        self.began, self.ended = threading.Event(), threading.Event()

    def __call__(self) -> Answer:
        self.began.set()
        try:
            while True:
                checkpoint()
                time.sleep(0.01)
        finally:
            self.ended.set()


def test_canceled_work_ends() -> None:
    work = _Endless()

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(off_loop, work)
            await anyio.to_thread.run_sync(work.began.wait, 5)
            group.cancel_scope.cancel()

    anyio.run(main)
    assert work.ended.wait(5)


def _tool(work: _Endless) -> LibraryTool:
    async def run(_service: LibraryService, _arguments: Any, _report: Report) -> Answer:
        return await off_loop(work)

    return LibraryTool("library_wait", "Wait", "Wait.", ToolArguments, {}, ToolAnnotations(), run)


def test_a_call_past_its_deadline_is_given_up(library: Home) -> None:
    from mcp_app.server import LibraryServer

    work = _Endless()
    service = LibraryService(library, options=ServerOptions(deadline_s=0.2))
    tool = _tool(work)

    async def main() -> Any:
        server = LibraryServer(service)
        server._tool_manager._tools["library_status"] = registered(tool, service, "library_status")
        async with Client(server) as client:
            async with anyio.create_task_group() as group:
                given_up: list[Any] = []

                async def ask() -> None:
                    given_up.append(await client.call_tool("library_status", {}))

                group.start_soon(ask)
                await anyio.to_thread.run_sync(work.began.wait, 5)
                # Another request is answered while that one waits.
                assert (await client.list_tools()).tools
            return given_up[0]

    error = error_of(anyio.run(main))
    assert error["code"] == "DEADLINE_EXCEEDED" and "EXCERPTA_CALL_DEADLINE_S" in str(error)
    assert work.ended.wait(5)


def test_a_canceled_query_stops_between_its_stages(service: LibraryService) -> None:
    from rag_query.cancellation import Cancellation

    cancellation = Cancellation()
    cancellation.cancel()
    with cancellation.active(), pytest.raises(ExcerptaError) as ended:
        service.answer(plan_for_question("steamed tea"))
    assert ended.value.code is ErrorCode.CANCELED


def test_a_client_may_cancel_its_call(service: LibraryService) -> None:
    async def work(client: Client) -> Any:
        with anyio.move_on_after(0.001):
            await client.call_tool("library_query", {"query": "steamed tea"})
        return await client.call_tool("library_query", {"query": "steamed tea"})

    assert data_of(with_client(service, work))["results"]
