"""The server over stdin and stdout, for clients that start it themselves.

A client does so by configuration, for example (Claude Desktop, Cursor and others)::

    {"mcpServers": {"excerpta": {
        "command": "excerpta", "args": ["--home", "/path/to/library", "mcp"]}}}

or, with Claude Code, ``claude mcp add excerpta -- excerpta --home /path/to/library mcp``.
``EXCERPTA_ALLOWED_ROOTS`` in ``env`` names further folders it may ingest from.

While the server runs, the SDK keeps the protocol on a private descriptor and points fd 1 at
stderr, so nothing a library prints reaches the client.
"""

from __future__ import annotations

import logging
import os
import sys

import anyio

from mcp_app.server import build_server
from mcp_app.server_log import log_to
from rag_query.library.home import Home


def serve_stdio(home: Home) -> None:
    """Serve until stdin closes, then end the process; does not return."""
    log_to(home)
    server = build_server(home)
    anyio.run(server.run_stdio_async)
    logging.shutdown()
    sys.stderr.flush()
    # A worker thread may still be deep in a native call; nobody waits for its answer.
    os._exit(0)
