"""Open MCP sessions: when there are as many as there may be, the longest idle makes room."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from mcp_app.http.refusal import refusal
from rag_query.contracts.errors import ErrorCode, ExcerptaError

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

#: Open sessions at once. Clients that leave without a DELETE leave theirs open.
MAX_SESSIONS = 200
#: Seconds after which a client that was refused may try again.
_RETRY_AFTER_S = 5


class TooManySessionsError(ExcerptaError):
    """Every session there may be has a request or a stream open."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.TOO_MANY_SESSIONS,
            f"{MAX_SESSIONS} sessions are open, and all of them are in use.",
            hint="Try again in a moment. A client ends its session with DELETE /mcp.",
            transient=True,
        )


def make_room_when_full(manager: StreamableHTTPSessionManager) -> None:
    """Have ``manager`` close the longest idle session rather than refuse a new one.

    A client whose session was closed gets 404, upon which it opens another (MCP, transports:
    session management). Where all are in use, :class:`TooManySessionsError` is raised.
    """
    # The SDK (2.3) refuses at its limit and has no hook; this method runs under its lock.
    admit = manager._admit_session

    def admitted(requestor: Any) -> Any:
        opened = admit(requestor)
        if opened is None and _close_longest_idle(manager):
            opened = admit(requestor)
        if opened is None:
            raise TooManySessionsError
        return opened

    setattr(manager, "_admit_session", admitted)  # noqa: B010


def _close_longest_idle(manager: StreamableHTTPSessionManager) -> bool:
    """Close the session that has been idle longest; False where every one has a request in flight,
    whose deadline is ``inf`` then."""
    ends = {
        name: transport.idle_scope
        for name, transport in manager._server_instances.items()
        if transport.idle_scope is not None and transport.idle_scope.deadline < math.inf
    }
    if not ends:
        return False
    idlest = min(ends, key=lambda name: ends[name].deadline)
    # As when its time is up: its task ends, and with it the transport.
    ends[idlest].cancel()
    del manager._server_instances[idlest]
    manager._session_owners.pop(idlest, None)
    return True


async def refuse_session(_: Request, exc: Exception) -> Response:
    """The answer to :class:`TooManySessionsError`."""
    assert isinstance(exc, TooManySessionsError)
    return refusal(503, exc, {"Retry-After": str(_RETRY_AFTER_S)})
