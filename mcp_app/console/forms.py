"""Reading a request: fields of the query string and of a posted form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

from starlette.requests import Request

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Values of a filter on time.
SPANS = {
    "last hour": timedelta(hours=1),
    "last 24 hours": timedelta(days=1),
    "last 7 days": timedelta(days=7),
    "last 30 days": timedelta(days=30),
}


def given(request: Request, name: str) -> str | None:
    """A field of the query string; None when it is absent or blank."""
    return request.query_params.get(name, "").strip() or None


def since(request: Request) -> datetime | None:
    """The beginning of the ``since`` filter, one of :data:`SPANS`.

    Raises ExcerptaError ``INVALID_ARGUMENT`` for any other.
    """
    name = given(request, "since")
    if name is None:
        return None
    if name not in SPANS:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT, f"since must be one of: {', '.join(SPANS)}."
        )
    return datetime.now(UTC) - SPANS[name]


def least_ms(request: Request) -> float | None:
    """The ``min_ms`` filter. Raises ExcerptaError ``INVALID_ARGUMENT`` for no number."""
    text = given(request, "min_ms")
    try:
        return float(text) if text else None
    except ValueError as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT, "The least latency must be a number of milliseconds."
        ) from exc


def offset(request: Request, name: str = "cursor") -> int:
    """Rows to pass over. Raises ExcerptaError ``INVALID_ARGUMENT``."""
    text = given(request, name) or "0"
    if not text.isdecimal() or len(text) > 9:
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, f"{name} is not one that a page gave.")
    return int(text)


async def posted(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[-1].strip() for name, values in fields.items()}
