"""The MCP server of a library (DEV_SPEC 3.3): the same for every transport.

:func:`build_server` makes it; ``mcp_app/stdio.py`` and HTTP run it. Only the SDK is imported
before ``initialize`` is answered; the library and the embedder are opened by a background thread
right after the first message.
"""

from __future__ import annotations

import logging
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from mcp_app.envelope import failure
from mcp_app.resources import add_resources
from mcp_app.service import LibraryService
from mcp_app.tools import TOOLS
from mcp_app.tools.base import refused_arguments, registered
from rag_query import __version__
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.home import Home

log = logging.getLogger(__name__)

INSTRUCTIONS = """\
A document library that answers with evidence. Ask library_query first: it returns passages with
the document, section and page they come from; cite those. library_list_documents shows what is
there; library_get_document reads on around a passage, library_query_assets fetches its pictures;
library_explain tells how an answer came about and library_status what is published;
library_ingest adds files, library_job_status follows a long ingest and library_cancel_job ends it;
library_delete_document takes a document out."""


class LibraryServer(MCPServer[Any]):
    """The SDK's server with this library's tools and its one way of reporting failures."""

    def __init__(self, service: LibraryService) -> None:
        super().__init__(
            "excerpta",
            title="Excerpta",
            instructions=INSTRUCTIONS,
            version=__version__,
            tools=[registered(tool, service) for tool in TOOLS],
            log_level="WARNING",
            middleware=[self._warm_after_first_message],
        )
        self.service = service
        add_resources(self, service)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by its listed name or by the specification's (``library.query``)."""
        listed = name.replace(".", "_", 1)
        if listed not in {tool.name for tool in TOOLS}:
            known = ", ".join(tool.name for tool in TOOLS)
            return failure(
                ExcerptaError(
                    ErrorCode.INVALID_ARGUMENT,
                    f"There is no tool {name[:80]!r}.",
                    hint=f"The tools are {known}.",
                )
            )
        try:
            return await super().call_tool(listed, arguments, context)
        except MCPError:
            raise
        except ToolError as exc:
            return failure(self._explained(listed, exc.__cause__ or exc))

    def _explained(self, tool: str, cause: BaseException) -> ExcerptaError:
        if isinstance(cause, ValidationError):
            return refused_arguments(tool, cause)
        if isinstance(cause, ExcerptaError):
            log.info("%s: %s", tool, cause)
            return cause
        log.error("%s failed", tool, exc_info=cause)
        known = classify(cause)
        if known.code is not ErrorCode.INTERNAL:
            return known
        # The exception's own text may hold paths; it stays in the log.
        return ExcerptaError(
            ErrorCode.INTERNAL,
            f"{tool} failed unexpectedly ({type(cause).__name__}).",
            hint="The server's log (logs/mcp.log in the library) has the details.",
        )

    async def _warm_after_first_message(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        try:
            return await call_next(ctx)
        finally:
            self.service.start_warming()


def build_server(home: Home) -> LibraryServer:
    """The server of a library, for any transport. ``home`` need not hold a library yet.

    Its :attr:`LibraryServer.service` is closed by who runs the transport.
    """
    return LibraryServer(LibraryService(home))
