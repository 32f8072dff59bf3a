"""The server over stdin and stdout, for clients that start it themselves (docs/clients.md)."""

from __future__ import annotations

import io
import logging
from typing import IO, cast

import anyio
from mcp.server.stdio import stdio_server

from mcp_app.pipes import Pipes
from mcp_app.readable_messages import ReadableMessages
from mcp_app.server import LibraryServer, build_server
from mcp_app.server_log import log_to
from rag_query.library.home import Home

log = logging.getLogger(__name__)

#: For the last traces to be written.
_TRACES_S = 0.2


def serve_stdio(home: Home, pipes: Pipes) -> None:
    """Serve until stdin closes, then end the process; does not return.

    Args:
        home: of the library.
        pipes: taken before anything else was imported (:func:`mcp_app.pipes.claim`).
    """
    log_to(home)
    server = build_server(home)
    try:
        anyio.run(_serve, server, pipes)
    except* BrokenPipeError:
        log.info("the client reads no more")
    server.service.close(_TRACES_S)
    pipes.end()


async def _serve(server: LibraryServer, pipes: Pipes) -> None:
    lines = io.TextIOWrapper(io.BufferedReader(pipes.inward), encoding="utf-8", errors="replace")
    # The SDK only writes to it.
    messages = anyio.wrap_file(cast("IO[str]", pipes.outward))
    async with stdio_server(anyio.wrap_file(lines), messages) as (read, write):
        await server.serve_streams(ReadableMessages(read, write), write)
