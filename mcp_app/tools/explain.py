"""``library_explain``: how an earlier answer, or an ingest, came about."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mcp_app.budget import tokens_of
from mcp_app.cursor import decode, encode
from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.text.ids import TRACE_ID

if TYPE_CHECKING:
    from rag_query.contracts.trace import Span, StageError, TraceEnvelope
    from rag_query.library.home import Home

#: Seconds to wait for a trace: it is written after its answer was sent.
_PATIENCE_S = 0.6
_POLL_S = 0.1
#: Tokens of a stage, in the table and in the fields together.
_STAGE_TOKENS = 90
_MOST_EVENTS = 20


class ExplainArguments(ToolArguments):
    trace_id: str = Field(
        pattern=f"^{TRACE_ID}$",
        description="trace_id of an answer of library_query or library_ask.",
    )
    top: int = Field(3, ge=0, le=50, description="How many candidates of each search to name.")
    cursor: str | None = Field(None, description="next_cursor, for the stages left out.")


async def run(service: LibraryService, arguments: ExplainArguments, _: Report) -> Answer:
    return await off_loop(partial(_explain, service, arguments))


def _explain(service: LibraryService, arguments: ExplainArguments) -> Answer:
    from rag_query.library.settings import load_settings

    load_settings(service.home)
    (offset,) = decode(arguments.cursor, int) if arguments.cursor else (0,)
    trace = _trace_of(service.home, arguments.trace_id)
    room = service.options.answer_tokens * 9 // 10
    top = arguments.top
    data = _facts(trace, top, offset, 0)
    # Fewer candidates are named when they do not leave half of the room to the stages.
    while top and tokens_of([data, _markdown(data)]) > room // 2:
        top //= 2
        data = _facts(trace, top, offset, 0)
    left = room - tokens_of([data, _markdown(data)])
    data = _facts(trace, top, offset, max(1, left // _STAGE_TOKENS))
    return Answer(_markdown(data), data, _notes(arguments.top, top))


def _notes(wanted: int, top: int) -> list[str]:
    return [] if top == wanted else [f"Only the best {top} candidates of each search are named."]


def _trace_of(home: Home, trace_id: str) -> TraceEnvelope:
    from rag_query.tracing.reader import find_trace

    deadline = time.monotonic() + _PATIENCE_S
    while (trace := find_trace(home, trace_id)) is None:
        if time.monotonic() >= deadline:
            raise ExcerptaError(
                ErrorCode.TRACE_NOT_FOUND,
                f"There is no trace {trace_id}.",
                hint="library_query, library_ask and ingests leave a trace; take the trace_id "
                "from the answer of one of them.",
            )
        time.sleep(_POLL_S)
    return trace


def _facts(trace: TraceEnvelope, top: int, offset: int, stages: int) -> dict[str, Any]:
    from rag_query.contracts.trace import EventKind

    def payloads(kind: EventKind) -> list[dict[str, Any]]:
        return [item.payload for item in trace.events if item.kind is kind]

    spans = sorted(trace.spans, key=lambda span: span.start_ms)
    return {
        "explained_trace_id": trace.trace_id,
        "trace_type": trace.trace_type,
        "status": trace.status,
        "started_at": trace.started_at.isoformat(timespec="milliseconds"),
        "latency_ms": round(trace.aggregates.latency_ms, 2),
        "snapshot": trace.snapshot,
        "strategy": trace.strategy_config_id,
        "stages": [_stage(span) for span in spans[offset : offset + stages]],
        "next_cursor": encode(offset + stages) if offset + stages < len(spans) else None,
        "stages_total": len(spans),
        "candidates": [_found(each, top) for each in payloads(EventKind.RETRIEVAL_CANDIDATES)],
        "counters": trace.aggregates.counters,
        "fallbacks": payloads(EventKind.FALLBACK)[:_MOST_EVENTS],
        "trace_warnings": payloads(EventKind.WARNING)[:_MOST_EVENTS],
        "errors": [_shown(error) for error in trace.aggregates.errors[:_MOST_EVENTS]],
    }


def _stage(span: Span) -> dict[str, Any]:
    return {
        "name": str(span.name),
        "ms": round(span.end_ms - span.start_ms, 2),
        "start_ms": round(span.start_ms, 2),
        "status": span.status,
        "provider": span.provider.provider_id if span.provider else None,
    }


def _found(payload: dict[str, Any], top: int) -> dict[str, Any]:
    """What one search found, with the best ``top`` of it."""
    hits = payload.get("candidates", [])
    return {
        "source": payload.get("source"),
        "query_index": payload.get("query_index"),
        "count": len(hits),
        "top": hits[:top],
    }


def _shown(error: StageError) -> dict[str, str]:
    # The text of an unexpected exception may hold paths.
    message = "" if error.code == ErrorCode.INTERNAL else error.message
    return {"stage": error.stage, "code": error.code, "message": message}


def _markdown(data: dict[str, Any]) -> str:
    kind = "Query" if data["trace_type"] == "query" else "Ingestion run"
    snapshot = "" if data["snapshot"] is None else f" on snapshot {data['snapshot']}"
    lines = [
        f"**{kind}** `{data['explained_trace_id']}`: {data['status']}, "
        f"{data['latency_ms']:.1f} ms{snapshot}, {data['started_at']}",
        "\n| stage | ms | provider | status |",
        "|---|---:|---|---|",
    ]
    lines += [
        f"| {stage['name'].removeprefix('stage.')} | {stage['ms']:.1f} | "
        f"{stage['provider'] or ''} | {stage['status']} |"
        for stage in data["stages"]
    ]
    if data["next_cursor"]:
        lines.append(f"\nMore stages: call again with cursor `{data['next_cursor']}`.")
    if data["candidates"]:
        lines.append("\nCandidates:")
        lines += [_candidates_line(found) for found in data["candidates"]]
    if data["counters"]:
        counted = (f"{name} {number:g}" for name, number in sorted(data["counters"].items()))
        lines.append(f"\nCounts: {', '.join(counted)}.")
    for title, items in (("Fallbacks", data["fallbacks"]), ("Warnings", data["trace_warnings"])):
        if items:
            lines.append(f"\n{title}:")
            lines += ["- " + ", ".join(f"{k}: {v}" for k, v in item.items()) for item in items]
    if data["trace_type"] == "query" and not data["fallbacks"]:
        lines.append("\nNo fallback was needed.")
    lines += [f"- **{e['code']}** in {e['stage']}: {e['message']}" for e in data["errors"]]
    return "\n".join(lines)


def _candidates_line(found: dict[str, Any]) -> str:
    best = ", ".join(f"`{hit['chunk_id']}` ({hit['score']:.4g})" for hit in found["top"])
    line = f"- {found['source']}, query {found['query_index']}: {found['count']}"
    return f"{line}; best: {best}" if best else line


_objects = {"type": "array", "items": {"type": "object"}}

TOOL = LibraryTool(
    name="library_explain",
    title="Explain an answer",
    description="""
        How an earlier answer of library_query came about, by its trace_id: the stages with their
        milliseconds and providers, how many candidates each search found and the best of them,
        what fell back to what and why. Use it when an answer surprises, is slow, or came with a
        warning; to ask again, use library_query.
        """,
    arguments=ExplainArguments,
    data={
        "explained_trace_id": {"type": "string"},
        "trace_type": {"type": "string", "enum": ["query", "ingestion"]},
        "status": {"type": "string", "enum": ["ok", "error"]},
        "started_at": {"type": "string"},
        "latency_ms": {"type": "number"},
        "snapshot": {"type": ["integer", "null"]},
        "strategy": {"type": "string"},
        "stages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "ms": {"type": "number"},
                    "start_ms": {"type": "number"},
                    "status": {"type": "string"},
                    "provider": {"type": ["string", "null"]},
                },
            },
        },
        "stages_total": {"type": "integer"},
        "next_cursor": {"type": ["string", "null"]},
        "candidates": _objects,
        "counters": {"type": "object", "additionalProperties": {"type": "number"}},
        "fallbacks": _objects,
        "trace_warnings": _objects,
        "errors": _objects,
    },
    annotations=READS,
    run=run,
    place=30,
)
