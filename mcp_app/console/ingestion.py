"""Page three: add, read again, delete, and follow the runs (DEV_SPEC 3.5.5.3).

Runs and backfills themselves are Dagster's; its UI is linked where it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mcp_app.console.forms import offset, posted
from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.rendering import page
from mcp_app.deletion import find_deletable, find_restorable, start_deleting, start_restoring
from mcp_app.ingestion import (
    absolute_path,
    counts_told,
    documents_told,
    register_and_start,
    seconds_of,
)
from rag_query.text.ids import run_trace_id

_RUNS = 25
_FOLLOW_MS = 1500


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/ingestion``, ``/ingestion/runs/{run_id}`` and the forms that start something."""
    pages = _IngestionPages(library)
    return [
        Route("/ingestion", pages.manager),
        Route("/ingestion/add", pages.add, methods=["POST"]),
        Route("/ingestion/delete", pages.delete, methods=["POST"]),
        Route("/ingestion/restore", pages.restore, methods=["POST"]),
        Route("/ingestion/runs/{run_id}", pages.run),
        Route("/ingestion/runs/{run_id}/cancel", pages.cancel, methods=["POST"]),
    ]


class _IngestionPages:
    """The pages and forms of ingestion; a form answers with the page of the run it started."""

    def __init__(self, library: ConsoleLibrary) -> None:
        self._library = library
        self._home = library.home

    def manager(self, request: Request) -> Response:
        from rag_assets.launch import list_runs
        from rag_query.library.settings import load_settings
        from rag_query.library.sources import allowed_roots, load_sources

        settings, sources = load_settings(self._home), load_sources(self._home)
        start = offset(request)
        runs = list_runs(self._home)
        shown = runs[start : start + _RUNS]
        snapshot = self._library.snapshot_or_none()
        gone = snapshot.catalog.removed_kept() if snapshot else []
        return page(
            request,
            "ingestion.html",
            runs=[(each, documents_told(each)) for each in shown],
            total=len(runs),
            next_cursor=str(start + _RUNS) if start + _RUNS < len(runs) else None,
            sources=sources.roots,
            removed=len(gone),
            restorable=sum(gone),
            roots=[root.name for root in allowed_roots(settings, sources)],
            dagster=_dagster(self._library),
            follow_ms=_FOLLOW_MS if any(not run.ended for run in shown) else None,
        )

    def run(self, request: Request) -> Response:
        from rag_assets.launch import run_status

        status = run_status(self._home, request.path_params["run_id"])
        dagster = _dagster(self._library)
        return page(
            request,
            "run.html",
            run=status,
            counts=counts_told(status),
            seconds=seconds_of(status),
            trace_id=_trace_of(self._library, status.run_id),
            dagster=f"{dagster}/runs/{status.run_id}" if dagster else None,
            follow_ms=None if status.ended else _FOLLOW_MS,
        )

    async def add(self, request: Request) -> Response:
        form = await posted(request)
        return await _started(lambda: _add(self._library, form))

    async def delete(self, request: Request) -> Response:
        form = await posted(request)

        def start() -> str:
            found = find_deletable(
                self._library.snapshot().catalog,
                form.get("doc_id", ""),
                version=form.get("version") or None,
                hard=form.get("hard") == "yes",
                part=False,
            )
            return start_deleting(self._home, found, hard=form.get("hard") == "yes").run_id

        return await _started(start)

    async def restore(self, request: Request) -> Response:
        form = await posted(request)

        def start() -> str:
            found = find_restorable(
                self._home, self._library.snapshot().catalog, form.get("doc_id", "")
            )
            return start_restoring(self._home, found).run_id

        return await _started(start)

    async def cancel(self, request: Request) -> Response:
        run_id = request.path_params["run_id"]

        def end() -> str:
            from rag_assets.launch import cancel as cancel_run

            return cancel_run(self._home, run_id).run_id

        return await _started(end)


def _add(library: ConsoleLibrary, form: dict[str, str]) -> str:
    """Register a path, or none, and start a run; its id."""
    from rag_query.library.settings import load_settings
    from rag_query.library.sources import allowed_roots, check_allowed, load_sources

    paths: list[Path] = []
    if text := form.get("path"):
        path = absolute_path(text)
        roots = allowed_roots(load_settings(library.home), load_sources(library.home))
        check_allowed(path, roots)
        paths.append(path)
    tags = [tag for tag in form.get("tags", "").replace(",", " ").split() if tag]
    collection = form.get("collection") or None
    handle = register_and_start(
        library.home,
        paths,
        collection=collection,
        tags=tags,
        retry_failed=form.get("retry_failed") == "1",
        policy="new_version" if form.get("new_version") == "1" else "skip",
    )
    return handle.run_id


async def _started(start: Callable[[], str]) -> Response:
    run_id = await run_in_threadpool(start)
    return RedirectResponse(f"/ingestion/runs/{run_id}", status_code=303)


def _dagster(library: ConsoleLibrary) -> str | None:
    """Address of the library's Dagster UI, while it runs."""
    from rag_assets.webserver import Webserver

    found = Webserver.find(library.home)
    return found.url if found is not None else None


def _trace_of(library: ConsoleLibrary, run_id: str) -> str | None:
    """The trace a run has left so far."""
    trace_id = run_trace_id(run_id)
    return trace_id if library.traces.get(trace_id) is not None else None
