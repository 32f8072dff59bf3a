"""Listen, serve, and end when told to."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
from types import FrameType

import uvicorn

from mcp_app.http.access import Access
from mcp_app.http.app import http_app
from mcp_app.server import build_server
from mcp_app.server_log import log_to
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home

#: Open streams get this long to end before the process does.
_GRACE_S = 1
_CLOSE_S = 2.0


def serve_http(home: Home, access: Access) -> None:
    """Serve until SIGINT or SIGTERM, then end the process; does not return.

    Prints the address of the MCP endpoint on stdout.

    Raises:
        ExcerptaError: ``ADDRESS_IN_USE`` or ``INVALID_ARGUMENT`` where it cannot listen.
    """
    listening = _listen(access)
    log_to(home)
    server = build_server(home)
    server.service.start_warming()
    app = http_app(server, home, access)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    shown = f"[{access.host}]" if ":" in access.host else access.host
    print(f"http://{shown}:{listening.getsockname()[1]}/mcp", flush=True)  # noqa: T201
    # uvicorn hands the signal on when it has ended; Python's own handler would end the process
    # before the traces are written.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        app.state.evaluations.end()
        server.service.close(_CLOSE_S)
        logging.shutdown()
        sys.stderr.flush()
    # A worker thread may still be deep in a native call, which aborts when Python ends under it.
    os._exit(0)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _listen(access: Access) -> socket.socket:
    family = socket.AF_INET6 if ":" in access.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((access.host, access.port))
        listening.listen(128)
    except (OSError, OverflowError) as exc:
        listening.close()
        in_use = isinstance(exc, OSError) and exc.errno == errno.EADDRINUSE
        raise ExcerptaError(
            ErrorCode.ADDRESS_IN_USE if in_use else ErrorCode.INVALID_ARGUMENT,
            f"The server cannot listen on {access.host}:{access.port}: "
            f"{(exc.strerror if isinstance(exc, OSError) else None) or exc}.",
            hint="Choose another port (0: any free), or end what listens there.",
        ) from exc
    return listening
