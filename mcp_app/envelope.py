"""A tool's answer as an MCP result (DEV_SPEC 3.3.4).

The text content is readable Markdown that stands alone (level L0); ``structuredContent`` is the
whole envelope, with the same Markdown in ``data.markdown``, because some clients hand the model
only one of the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mcp_types import CallToolResult, TextContent

from rag_query.contracts.envelope import ResponseEnvelope
from rag_query.contracts.errors import ExcerptaError

JsonSchema = dict[str, Any]


def fresh_trace_id() -> str:
    """For a call that leaves no trace of its own."""
    # The trace's models are not needed to answer `initialize`.
    from rag_query.tracing.context import new_trace_id

    return new_trace_id()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found.

    Attributes:
        markdown: for a reader; names its sources.
        data: the structured fields beside ``markdown``; JSON-serialisable, no absolute path.
        warnings: what the reader should know about how it came about.
        trace_id: of the trace that was recorded; a fresh one when nothing was.
    """

    markdown: str
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    trace_id: str = field(default_factory=fresh_trace_id)


def success(answer: Answer) -> CallToolResult:
    """The result of a call that worked."""
    data = {"markdown": answer.markdown, **answer.data}
    envelope = ResponseEnvelope[dict[str, Any]].success(answer.trace_id, data, answer.warnings)
    return CallToolResult(
        content=[TextContent(type="text", text=answer.markdown)],
        structured_content=envelope.to_json(),
    )


def failure(error: ExcerptaError) -> CallToolResult:
    """The result of a call that did not: code, message and what to do next, ``is_error`` set."""
    envelope = ResponseEnvelope[dict[str, Any]].failure(fresh_trace_id(), error)
    text = f"**{error.code}**: {error.message}"
    if error.hint:
        text += f"\n\nWhat to do: {error.hint}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=envelope.to_json(),
        is_error=True,
    )


def envelope_schema(data: JsonSchema) -> JsonSchema:
    """The output schema of a tool, without ``$ref``.

    Args:
        data: JSON Schema ``properties`` of ``data``, beside ``markdown``.
    """
    return {
        "type": "object",
        "required": ["ok", "trace_id"],
        "properties": {
            "ok": {"type": "boolean"},
            "trace_id": {"type": "string", "description": "names this call in traces"},
            "data": {
                "type": "object",
                "required": ["markdown"],
                "properties": {"markdown": {"type": "string"}, **data},
            },
            "warnings": {"type": "array", "items": {"type": "string"}},
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": {"type": "string", "description": "stable, for programs"},
                    "message": {"type": "string", "description": "one sentence, for a person"},
                    "details": {"type": "object", "description": "facts; `hint`: what to do next"},
                },
            },
        },
    }
