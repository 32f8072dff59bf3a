"""Templates, and how numbers and times are written in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from mcp_app.library_state import count_label
from rag_query import __version__
from rag_query.text.section_paths import shown_path, shown_place

FOLDER = Path(__file__).parent
#: Nothing is loaded from elsewhere, and no text of a document can run.
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}

PAGES = (
    ("/", "Overview"),
    ("/documents", "Documents"),
    ("/ingestion", "Ingestion"),
    ("/traces/ingestion", "Ingestion traces"),
    ("/traces/query", "Query traces"),
    ("/evaluation", "Evaluation"),
)


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A template as a response; ``values`` are its variables."""
    rendered = _ENVIRONMENT.get_template(template).render(
        path=request.url.path,
        query=_Query(request.query_params),
        pages=PAGES,
        version=__version__,
        **values,
    )
    return HTMLResponse(rendered, status_code=status, headers=SECURITY_HEADERS)


class _Query(dict[str, str]):
    """Fields of the query string; one that was not given is empty."""

    def __missing__(self, name: str) -> str:
        return ""


def duration(milliseconds: float | None) -> str:
    """``0.4 ms``, ``87 ms``, ``2.31 s``, ``3 min 12 s``."""
    if milliseconds is None:
        return "–"
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.2f} s"
    return f"{int(milliseconds // 60_000)} min {int(milliseconds % 60_000 // 1000)} s"


def unit(metric: str) -> str:
    """The unit that the name of a metric ends with; empty for a metric without one."""
    return "ms" if metric.endswith("_ms") else ""


def measure(value: float | None, metric: str) -> str:
    """A value of a metric, in its unit."""
    return duration(value) if unit(metric) == "ms" else number(value)


def change(value: float, metric: str) -> str:
    """A difference of a metric, with its sign and unit: ``+81.8 ms``, ``-0.0125``."""
    return f"{value:+.1f} ms" if unit(metric) == "ms" else f"{value:+.4f}"


def number(value: float | None) -> str:
    """Thousands apart; up to four decimals."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.4f}".rstrip("0")


def moment(value: datetime | None) -> Markup:
    """A ``<time>`` in UTC; the browser's script shows it in the reader's zone."""
    if value is None:
        return Markup("–")
    utc = value.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        utc.isoformat(timespec="milliseconds"), f"{utc:%Y-%m-%d %H:%M:%S} UTC"
    )


def short(identifier: str | None, length: int = 12) -> str:
    """The beginning of an id; the whole of a short one."""
    if not identifier:
        return "–"
    kind, _, rest = identifier.rpartition("_")
    if len(rest) <= length:
        return identifier
    return f"{kind}_{rest[:length]}…" if kind else f"{rest[:length]}…"


def with_query(path: str, query: Mapping[str, str], **changes: str | None) -> str:
    """``path`` with the query of this page and some of its fields changed; None removes one."""
    merged = {**query, **changes}
    kept = {name: value for name, value in merged.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def span(first: int | None, last: int | None) -> str:
    """Pages or lines: ``3``, ``3–5``, or a dash when there are none."""
    if not first:
        return "–"
    return f"{first}–{last}" if last and last != first else str(first)


def pretty(value: Any) -> str:
    """JSON for a person."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def message(text: str) -> Markup:
    """What is said to a person; what stands between backticks, names and commands, is code."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts)
    )


def in_line(value: Any) -> str:
    """JSON for a person, on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "duration": duration,
        "number": number,
        "measure": measure,
        "change": change,
        "moment": moment,
        "short": short,
        "pretty": pretty,
        "in_line": in_line,
        "message": message,
        "section": shown_path,
        "count_label": count_label,
        "segment": lambda text: quote(str(text), safe=""),
        "combine": lambda first, second: {**first, **second},
    }
    made.globals |= {"with_query": with_query, "span": span, "shown_place": shown_place}
    return made


_ENVIRONMENT = _environment()
