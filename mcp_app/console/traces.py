"""Pages four and five: what runs and questions did, step by step (DEV_SPEC 3.5.5.3)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_app.console.answers import answer_of
from mcp_app.console.forms import SPANS, given, least_ms, posted, since
from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.ranking import Ranking, ranking
from mcp_app.console.rendering import page
from mcp_app.console.rerun import rerun
from mcp_app.console.waterfall import AXIS, waterfall
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import EventKind, TraceEnvelope
from rag_query.strategies.strategy import available
from rag_query.tracing.store import TraceFilter

if TYPE_CHECKING:
    from rag_query.library.served import ServedChunk

Kind = Literal["query", "ingestion"]

_ROWS = 50
#: Orders of the list and how they are called; the first is the one it has by itself.
ORDERS = {
    "-started_at": "newest first",
    "started_at": "oldest first",
    "-latency_ms": "slowest first",
    "latency_ms": "quickest first",
}
#: Candidates of a query that are shown; the whole of them is in the JSON below.
_CANDIDATES = 60
#: Kinds that have a table of their own.
_SHOWN_APART = {
    EventKind.RETRIEVAL_CANDIDATES,
    EventKind.FUSION_RANKED,
    EventKind.RERANK_RANKED,
    EventKind.CONTEXT_FINAL,
}


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/traces/query``, ``/traces/ingestion``, one of each, and asking a question again."""

    def listing(kind: Kind) -> Route:
        return Route(f"/traces/{kind}", lambda request: _listing(library, request, kind))

    def one(request: Request) -> Response:
        return _one(library, request)

    async def again(request: Request) -> Response:
        form = await posted(request)
        return await run_in_threadpool(_asked_again, library, request, form)

    return [
        listing("query"),
        listing("ingestion"),
        Route("/traces/query/{trace_id}", one),
        Route("/traces/ingestion/{trace_id}", one),
        Route("/traces/query/{trace_id}/rerun", again, methods=["POST"]),
    ]


def _listing(library: ConsoleLibrary, request: Request, kind: Kind) -> Response:
    return page(
        request,
        "traces.html",
        kind=kind,
        found=library.traces.page(
            _filter(request, kind),
            order=given(request, "order") or "-started_at",
            limit=_ROWS,
            cursor=given(request, "cursor"),
        ),
        under_way=library.under_way() if kind == "ingestion" else frozenset(),
        counts=library.traces.counts,
        spans=list(SPANS),
        orders=ORDERS,
    )


def _one(library: ConsoleLibrary, request: Request) -> Response:
    trace = _find(library, request)
    ranked = ranking(trace)
    return page(
        request,
        "trace.html",
        trace=trace,
        is_under_way=trace.trace_type == "ingestion" and trace.trace_id in library.under_way(),
        bars=waterfall(trace),
        axis=AXIS,
        ranked=ranked,
        shown=ranked.candidates[:_CANDIDATES],
        passages=_passages(library, ranked.chunk_ids[:_CANDIDATES]),
        groups=_groups(trace),
        strategies=available(),
        job_url=_job_url(trace),
        answer=answer_of(library, trace),
    )


def _asked_again(library: ConsoleLibrary, request: Request, form: dict[str, str]) -> Response:
    trace = _find(library, request)
    done = rerun(library, trace, strategy=form.get("strategy") or None)
    before, after = ranking(trace), ranking(done)
    return page(
        request,
        "rerun.html",
        trace=trace,
        again=done,
        strategy=form.get("strategy") or "the published one",
        rows=_difference(before, after),
        passages=_passages(library, [*before.chunk_ids[:_ROWS], *after.chunk_ids[:_ROWS]]),
    )


def _difference(before: Ranking, after: Ranking) -> list[dict[str, Any]]:
    """Passages of either answer with their positions, in the order of the second."""
    first = {c.chunk_id: c.final for c in before.candidates if c.final}
    second = {c.chunk_id: c.final for c in after.candidates if c.final}
    order = sorted(first.keys() | second.keys(), key=lambda c: (second.get(c, 1e9), first.get(c)))
    return [
        {"chunk_id": chunk, "before": first.get(chunk), "after": second.get(chunk)}
        for chunk in order
    ]


def _filter(request: Request, kind: Kind) -> TraceFilter:
    status = given(request, "status")
    if status not in (None, "ok", "error"):
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, "status must be ok or error.")
    snapshot = given(request, "snapshot")
    if snapshot is not None and not (snapshot.isdecimal() and len(snapshot) < 10):
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, "snapshot must be a number.")
    return TraceFilter(
        trace_type=kind,
        status="ok" if status == "ok" else "error" if status == "error" else None,
        since=since(request),
        min_latency_ms=least_ms(request),
        strategy_config_id=given(request, "strategy"),
        snapshot=int(snapshot) if snapshot else None,
        text=given(request, "text"),
        code=given(request, "code"),
        eval_run_id=given(request, "eval_run"),
        nested=given(request, "nested") == "all" or given(request, "eval_run") is not None,
        evaluations="all" if given(request, "eval_run") else _evaluations(request),
    )


def _evaluations(request: Request) -> Literal["all", "none"]:
    """Questions of evaluations are many; they are listed when asked for."""
    return "all" if given(request, "evaluations") == "all" else "none"


def _find(library: ConsoleLibrary, request: Request) -> TraceEnvelope:
    trace_id = request.path_params["trace_id"]
    trace = library.traces.get(trace_id)
    if trace is None:
        raise ExcerptaError(
            ErrorCode.TRACE_NOT_FOUND,
            f"There is no trace {trace_id[:80]!r}.",
            hint="Old traces are cleaned up after the retention time.",
        )
    return trace


def _passages(library: ConsoleLibrary, chunk_ids: list[str]) -> dict[str, ServedChunk]:
    """What the candidates say now; those that are gone are missing."""
    snapshot = library.snapshot_or_none()
    if snapshot is None:
        return {}
    return {chunk.chunk_id: chunk for chunk in snapshot.chunks(list(dict.fromkeys(chunk_ids)))}


def _groups(trace: TraceEnvelope) -> list[tuple[str, list[Any]]]:
    """Events by kind, without those that have a table."""
    events = [event for event in trace.events if event.kind not in _SHOWN_APART]
    events.sort(key=lambda event: (event.kind, event.ts_ms))
    return [(str(kind), list(group)) for kind, group in groupby(events, key=lambda e: e.kind)]


def _job_url(trace: TraceEnvelope) -> str | None:
    return f"/ingestion/runs/{trace.links.job_id}" if trace.links.job_id else None
