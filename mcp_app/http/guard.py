"""What every HTTP request passes before it reaches a page or a tool."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_app.http.access import Access
from mcp_app.http.refusal import refusal
from rag_query.contracts.errors import ErrorCode, ExcerptaError

COOKIE = "excerpta_console"
LOGIN = "/login"
#: Paths that need no token. Neither says anything about documents.
_OPEN_PATHS = frozenset({LOGIN, "/healthz"})


class Guard:
    """ASGI middleware: host, origin, rate, token, in this order.

    A request that is turned away gets the error of an envelope (``ok: false``, a code, what to
    do) with the fitting HTTP status. A browser without a token is sent to the login page.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refuse(scope)
        await (self._app if refused is None else refused)(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._access.knows_host(host):
            return _failure(
                421,
                ErrorCode.HOST_NOT_ALLOWED,
                "This server does not answer under that host name.",
                "Start it with --allowed-host for each name its clients use.",
            )
        origin = headers.get("origin")
        if origin is not None and not self._access.knows_origin(origin, host):
            return _failure(
                403,
                ErrorCode.HOST_NOT_ALLOWED,
                "A page of another site may not call this server.",
                "Start it with --allowed-host for the site's host name; other ports are refused.",
            )
        client = (scope.get("client") or ("",))[0]
        if not self._limiter.hit(self._access.rate, client):
            refused = _failure(
                429,
                ErrorCode.RATE_LIMITED,
                f"More than {self._access.rate} came from this address.",
                "Wait, and send fewer requests; --rate-limit sets the limit.",
            )
            refused.headers["Retry-After"] = "1"
            return refused
        if scope["path"] in _OPEN_PATHS or self._admits(headers):
            return None
        if "text/html" in headers.get("accept", "") and scope["method"] == "GET":
            return RedirectResponse(LOGIN, status_code=303)
        refused = _failure(
            401,
            ErrorCode.UNAUTHORIZED,
            "This server asks for a token.",
            "Send it as 'Authorization: Bearer …'.",
        )
        refused.headers["WWW-Authenticate"] = 'Bearer realm="excerpta"'
        return refused

    def _admits(self, headers: Headers) -> bool:
        if self._access.token is None:
            return True
        if self._access.accepts_bearer(headers.get("authorization", "")):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and self._access.accepts_cookie(cookie.value)


def _failure(status: int, code: ErrorCode, message: str, hint: str) -> Response:
    return refusal(status, ExcerptaError(code, message, hint=hint))
