"""The library over HTTP: MCP under ``/mcp``, health under ``/healthz``, the console's pages."""

from __future__ import annotations

from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecuritySettings,
)
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcp_app.console.app import add_console
from mcp_app.http.access import Access
from mcp_app.http.guard import Guard
from mcp_app.http.login import login_route
from mcp_app.http.sessions import (
    MAX_SESSIONS,
    TooManySessionsError,
    make_room_when_full,
    refuse_session,
)
from mcp_app.server import LibraryServer
from rag_query import __version__
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home
from rag_query.library.manifests import current_number

#: Bytes of one request; a plan with a hundred long questions is below it.
MAX_BODY = 4 * 1024 * 1024


def http_app(server: LibraryServer, home: Home, access: Access) -> Starlette:
    """The ASGI application; its lifespan runs the server's sessions."""
    app = server.streamable_http_app(
        streamable_http_path="/mcp",
        max_request_body_size=MAX_BODY,
        max_sessions=MAX_SESSIONS,
        # The guard checks host and origin for every route, not only this one.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    make_room_when_full(server.session_manager)

    async def health(_: Request) -> Response:
        try:
            status = {"status": "ok", "version": __version__, "snapshot": current_number(home)}
        except ExcerptaError as exc:
            return JSONResponse({"status": "failed", "code": str(exc.code)}, status_code=503)
        return JSONResponse(status, headers={"Cache-Control": "no-store"})

    app.router.routes.extend([Route("/healthz", health), login_route(access)])
    add_console(app, home, server.service)
    app.add_exception_handler(TooManySessionsError, refuse_session)
    app.user_middleware[:0] = [
        Middleware(Guard, access=access),
        Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY),
    ]
    return app
