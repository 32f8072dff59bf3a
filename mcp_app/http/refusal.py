"""How the HTTP server turns a request away: the error of an envelope with a fitting status."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from rag_query.contracts.errors import ExcerptaError


def refusal(
    status: int, error: ExcerptaError, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """``{"ok": false, "error": {code, message, details}}``; ``details.hint`` says what to do."""
    return JSONResponse({"ok": False, "error": error.to_dict()}, status, headers)
