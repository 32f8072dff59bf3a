"""Routes of the console, and its page for what cannot be shown."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from mcp_app.console import documents, evaluation, ingestion, media, overview, traces
from mcp_app.console.evaluation_runs import EvaluationRuns
from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.rendering import FOLDER, page
from mcp_app.service import LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.tracing.store import TraceStore

_STATUS = {
    ErrorCode.INVALID_ARGUMENT: 400,
    ErrorCode.INVALID_PLAN: 400,
    ErrorCode.INVALID_FILTER: 400,
    ErrorCode.PATH_NOT_ALLOWED: 403,
    ErrorCode.BUSY: 409,
    ErrorCode.NOT_PUBLISHED: 503,
}


def add_console(app: Starlette, home: Home, service: LibraryService) -> None:
    """Give ``app`` the console's pages, under the root; ``app.state.evaluations`` is to be ended
    with it."""
    evaluations = EvaluationRuns(home)
    app.state.evaluations = evaluations
    library = ConsoleLibrary(home, service, TraceStore(home), evaluations)
    for part in (overview, documents, ingestion, traces, evaluation, media):
        app.router.routes.extend(part.routes(library))
    app.router.routes.append(
        Mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    )
    app.add_exception_handler(ExcerptaError, _refused)
    app.add_exception_handler(404, _unknown_page)


async def _refused(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, ExcerptaError)
    status = 404 if exc.code.endswith("_NOT_FOUND") else _STATUS.get(exc.code, 500)
    return page(request, "error.html", status=status, error=exc)


async def _unknown_page(request: Request, _: Exception) -> Response:
    error = ExcerptaError(
        ErrorCode.INVALID_ARGUMENT, "There is no such page.", hint="The pages are named above."
    )
    return page(request, "error.html", status=404, error=error)
