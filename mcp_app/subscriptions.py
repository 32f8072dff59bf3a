"""Telling clients what a publication changed.

Two eras of the protocol do it in two ways: before 2026-07-28 a client subscribes to single
resources and is told on its connection; since then it opens a stream that says what it wants.
"""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_app.off_loop import off_loop
from mcp_app.service import NOTHING_THERE, LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.pictures import ASSET_SCHEME

log = logging.getLogger(__name__)

#: How often ``CURRENT`` is looked at; one small read.
POLL_S = 0.5
MAX_SUBSCRIPTIONS = 1_000
_SCHEMES = ("document://", "chunk://", ASSET_SCHEME)


class Subscriptions:
    """Who wants to know what, of all connections of one server."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        #: What was last announced; the first watcher that sees another number announces it.
        self.announced: int | None = None
        self._listening: Counter[str] = Counter()
        self._sessions: dict[int, tuple[ServerSession, set[str]]] = {}

    @property
    def uris(self) -> set[str]:
        """Every resource somebody asked about."""
        asked = {uri for _, uris in self._sessions.values() for uri in uris}
        return asked | set(self._listening)

    async def follow(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Middleware: notes connections, and the resources of streams while they are open."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._uris_of(ctx)
        if ctx.method != "subscriptions/listen":
            return await call_next(ctx)
        wanted = (ctx.params or {}).get("notifications") or {}
        named = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        uris = [uri for uri in named or [] if isinstance(uri, str)][:MAX_SUBSCRIPTIONS]
        self._listening.update(uris)
        try:
            return await call_next(ctx)
        finally:
            self._listening.subtract(uris)
            self._listening = +self._listening

    async def subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Remember a resource for this connection."""
        uri, uris = str(params.uri), self._uris_of(ctx)
        if not uri.startswith(_SCHEMES):
            raise MCPError(INVALID_PARAMS, f"Unknown resource: {uri[:200]}")
        if len(uris) >= MAX_SUBSCRIPTIONS:
            raise MCPError(INVALID_PARAMS, f"At most {MAX_SUBSCRIPTIONS} subscriptions are kept.")
        uris.add(uri)
        return EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Forget it."""
        self._uris_of(ctx).discard(str(params.uri))
        return EmptyResult()

    async def announce(self, changed: set[str]) -> None:
        """Tell everybody that the list changed, and of these resources those who asked."""
        await self.bus.publish(ResourcesListChanged())
        for uri in changed:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for session, uris in list(self._sessions.values()):
            try:
                await session.send_notification(ResourceListChangedNotification())
                for uri in changed & uris:
                    params = ResourceUpdatedNotificationParams(uri=uri)
                    await session.send_notification(ResourceUpdatedNotification(params=params))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                log.info("a connection closed before it was told of a publication")

    def _uris_of(self, ctx: ServerRequestContext[Any, Any]) -> set[str]:
        # A session is made for each request; the connection behind it is what lasts.
        connection = ctx.session._connection
        key = id(connection)
        if key not in self._sessions:
            self._sessions[key] = (ctx.session, set())
            connection.exit_stack.callback(self._sessions.pop, key, None)
        return self._sessions[key][1]


async def watch(service: LibraryService, subscriptions: Subscriptions) -> None:
    """Announce publications until canceled."""
    # `initialize` is answered before anything is imported for this.
    await anyio.sleep(POLL_S)
    from rag_query.library.manifests import current_number

    number = partial(current_number, service.home)
    if subscriptions.announced is None:
        subscriptions.announced = await _quietly(number)
    known = await _quietly(partial(_states, service, subscriptions.uris)) or {}
    while True:
        await anyio.sleep(POLL_S)
        now = await _quietly(number)
        fresh = subscriptions.uris - known.keys()
        if now == subscriptions.announced or now is None:
            if fresh:
                known |= await _quietly(partial(_states, service, fresh)) or {}
            continue
        # Nothing is awaited between looking and claiming, so one watcher announces.
        subscriptions.announced = now
        states = await _quietly(partial(_states, service, subscriptions.uris)) or {}
        await subscriptions.announce({u for u, state in states.items() if known.get(u) != state})
        known = states


async def _quietly(work: Any) -> Any:
    """What ``work`` gives; None while there is nothing to read, or it cannot be read.

    A watcher that raised would end the server it is part of.
    """
    try:
        return await off_loop(work)
    except ExcerptaError as exc:
        if exc.code not in NOTHING_THERE:
            log.warning("watching for publications: %s", exc)
    except Exception:
        log.exception("watching for publications")
    return None


def _states(service: LibraryService, uris: set[str]) -> dict[str, str]:
    """What identifies the content of each resource now; "" when there is none."""
    if not uris:
        return {}
    snapshot = service.snapshot()
    return {uri: _state(service, snapshot, uri) for uri in uris}


def _state(service: LibraryService, snapshot: Any, uri: str) -> str:
    from rag_query.library.media import media_path

    scheme, _, name = uri.partition("://")
    name = name.partition("?")[0]
    try:
        if scheme == "document":
            found = snapshot.catalog.get_document(name)
            return f"{found.version_id} {found.status}"
        if scheme == "chunk":
            return " ".join(chunk.version_id for chunk in snapshot.chunks([name]))
        media_path(service.home, name)
        return name  # the hash of its bytes
    except ExcerptaError as exc:
        if exc.code in (
            ErrorCode.DOCUMENT_NOT_FOUND,
            ErrorCode.ASSET_NOT_FOUND,
            ErrorCode.CHUNK_NOT_FOUND,
        ):
            return ""
        raise
